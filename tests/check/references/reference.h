/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Plain double-precision definitions of the filters, written from their
 * specification and the papers only, never from the code under test.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "../tessera-reference.h"

/* image: premultiplied RGBA */
void reference_motion_blur (const RefImage *image, double length, double angle,
                            RefBorder border, RefResult *result);

/* image: straight RGBA; aux: straight RGBA of the same size or NULL; weights:
 * luminance weights of R, G, B; luminance: the guide is the luminance (implied by aux) */
void reference_bilateral_grid (const RefImage *image, const RefImage *aux,
                               double spatial_sigma, double range_sigma, int luminance,
                               const double weights[3], RefResult *result);

/* image: premultiplied RGBA.  3x3 binomial [1 2 1]/4 along x and y, mixed with the image:
 * out = image + strength (blurred - image); border clamp */
void reference_template (const RefImage *image, double strength, RefResult *result);

/* image: premultiplied RGBA.  Up to sigma 8 the definition; above, the slack holds the error
 * that the specification allows, INFINITY where a NaN or Inf may or may not reach. */
void reference_gaussian_blur (const RefImage *image, double std_dev_x, double std_dev_y,
                              RefBorder border, RefResult *result);

/* out: the largest |I| of the samples that such a blur may read */
void reference_gaussian_reach (const RefImage *image, double std_dev_x, double std_dev_y,
                               RefBorder border, RefResult *result);

/* image: straight R'G'B'A */
void reference_unsharp_mask (const RefImage *image, double std_dev, double amount, double threshold,
                             RefResult *result);

/* image: premultiplied RGBA */
void reference_mean_blur (const RefImage *image, int radius, RefBorder border, RefResult *result);

/* image: straight R'G'B'A */
void reference_median_blur (const RefImage *image, int radius, double percentile, int circle,
                            RefBorder border, int filter_alpha, RefResult *result);

/* kernel, preset, border: the properties' texts ("crop" with borders).  image: straight RGBA,
 * or premultiplied if rgba.  A kernel that does not parse: the image. */
void reference_convolution (const RefImage *image, const char *kernel, const char *preset,
                            double divisor, double offset, const char *border, int rgba,
                            RefResult *result);
/* Rows and columns of the kernel that is used; 0 if it does not parse. */
int  reference_convolution_parse (const char *kernel, const char *preset, double *weights,
                                  int *rows, int *columns);

/* image: straight R'G'B'A where channels and perceptual, else straight linear RGBA; output:
 * "magnitude", "angle", "x", "y", "vector".  Numbers of the luminance: in the first of four,
 * the others 0. */
void reference_sobel (const RefImage *image, int perceptual, int channels, int seen, const char *output,
                      int display, double gain, const double weights[3], RefResult *result);

/* image: straight, as the specification reads it: R'G'B'A, or for the inverse the encoding's */
void reference_cielab (const RefImage *image, int inverse, int d50, int display, RefResult *result);

/* image: straight R'G'B'A; weights: luminance of linear R, G, B */
void reference_equalize (const RefImage *image, int channels, int bins, double clip_limit, int tiles,
                         const double weights[3], RefResult *result);

/* image: straight R'G'B'A; weights: luminance of linear R, G, B */
void reference_detail (const RefImage *image, double texture, double clarity, double radius, double protect,
                       const double weights[3], RefResult *result);

/* image: straight R'G'B'A */
void reference_denoise (const RefImage *image, double lightness, double color, double detail, double level, RefResult *result);

/* image: straight linear RGBA; weights: luminance of R, G, B */
void reference_tone (const RefImage *image, double compression, double range, double shadows, double highlights, double detail,
                     double radius, double edge, const double weights[3], RefResult *result);

/* image: straight linear RGBA; weights: luminance of R, G, B */
void reference_sharpen_lens (const RefImage *image, double radius, int iterations, double protect, const double weights[3],
                             RefResult *result);

/* image: the source's value in the first of four components.  output "index" or "mask" (in the
 * first of four components, the others 0).  Returns the count. */
int  reference_label (const RefImage *image, double threshold, int connectivity, int min_area,
                      const char *output, RefResult *result);

/* light: straight RGBA of linear light; image: the same pixels as an overlay is drawn in, elsewhere light; straight: they
 * come from a format that is not premultiplied, curved: from one behind a curve; weights: luminance of linear R, G, B; output: "overlay", "corners",
 * "strength", "response" (the last three in the first of four components, the others 0); color: of the overlay's marks */
void reference_harris_corners (const RefImage *image, const RefImage *light, int straight, int curved, const double weights[3],
                               double sigma, double k, double threshold, const char *output, const double color[4],
                               RefResult *result);

#endif
