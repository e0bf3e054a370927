/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * OpenCV's filters on plain arrays of floats: no tiles, no formats, no graph.  Built
 * where OpenCV is (Debian: libopencv-imgproc-dev); the bench does without elsewhere.
 */
#include "bench.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>

namespace
{

using Filter = std::function<void (const cv::Mat &in, cv::Mat &out, double size)>;

cv::Mat
full_kernel (int n)
{
  cv::Mat kernel (n, n, CV_32F);

  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      kernel.at<float> (y, x) = 1 + (x * 7 + y * 13 + x * y * 5) % 31;
  return kernel / cv::sum (kernel)[0];
}

void
filter (const cv::Mat &in, cv::Mat &out, double size)
{
  cv::filter2D (in, out, -1, full_kernel (int (size)), cv::Point (-1, -1), 0, cv::BORDER_REPLICATE);
}

void
separable (const cv::Mat &in, cv::Mat &out, double size)
{
  const int n = int (size);
  cv::Mat   taps (n, 1, CV_32F);

  for (int i = 0; i < n; i++)
    taps.at<float> (i) = 1 + std::min (i, n - 1 - i);
  taps /= cv::sum (taps)[0];
  cv::sepFilter2D (in, out, -1, taps, taps, cv::Point (-1, -1), 0, cv::BORDER_REPLICATE);
}

void
gaussian (const cv::Mat &in, cv::Mat &out, double size)
{
  const int n = 2 * int (std::ceil (3 * size)) + 1;

  cv::GaussianBlur (in, out, cv::Size (n, n), size, size, cv::BORDER_REPLICATE);
}

/* Not a Gaussian: a stack blur whose radius gives the same variance. */
void
stack (const cv::Mat &in, cv::Mat &out, double size)
{
  const int radius = int (std::sqrt (6 * size * size + 1) - 1 + 0.5);

#if CV_VERSION_MAJOR > 4 || (CV_VERSION_MAJOR == 4 && CV_VERSION_MINOR >= 7)
  cv::stackBlur (in, out, cv::Size (2 * radius + 1, 2 * radius + 1));
#else
  /* Two boxes of the same size: the same triangle. */
  cv::Mat   half;
  const int n = (radius + 1) | 1;

  cv::boxFilter (in, half, -1, cv::Size (n, n), cv::Point (-1, -1), true, cv::BORDER_REPLICATE);
  cv::boxFilter (half, out, -1, cv::Size (n, n), cv::Point (-1, -1), true, cv::BORDER_REPLICATE);
#endif
}

void
unsharp (const cv::Mat &in, cv::Mat &out, double size)
{
  cv::Mat blurred;

  gaussian (in, blurred, size);
  cv::addWeighted (in, 1.5, blurred, -0.5, 0, out);
}

void
box (const cv::Mat &in, cv::Mat &out, double size)
{
  const int n = 2 * int (size) + 1;

  cv::boxFilter (in, out, -1, cv::Size (n, n), cv::Point (-1, -1), true, cv::BORDER_REPLICATE);
}

void
median (const cv::Mat &in, cv::Mat &out, double size)
{
  cv::medianBlur (in, out, 2 * int (size) + 1);
}

/* Luminance, both gradients, magnitude. */
void
sobel (const cv::Mat &in, cv::Mat &out, double)
{
  cv::Mat grey, gx, gy;

  cv::cvtColor (in, grey, cv::COLOR_RGBA2GRAY);
  cv::Sobel (grey, gx, CV_32F, 1, 0, 3, 0.125, 0, cv::BORDER_REPLICATE);
  cv::Sobel (grey, gy, CV_32F, 0, 1, 3, 0.125, 0, cv::BORDER_REPLICATE);
  cv::magnitude (gx, gy, out);
}

/* Luminance, and the response of a flat window of 5 x 5. */
void
harris (const cv::Mat &in, cv::Mat &out, double)
{
  cv::Mat grey;

  cv::cvtColor (in, grey, cv::COLOR_RGBA2GRAY);
  cv::cornerHarris (grey, out, 5, 3, 0.04, cv::BORDER_REPLICATE);
}

void
lab (const cv::Mat &in, cv::Mat &out, double)
{
  cv::cvtColor (in, out, cv::COLOR_RGB2Lab);    /* of four channels too */
}

cv::Mat
grey_u8 (const cv::Mat &in)
{
  cv::Mat grey, codes;

  cv::cvtColor (in, grey, cv::COLOR_RGBA2GRAY);
  grey.convertTo (codes, CV_8U, 255);
  return codes;
}

const std::map<std::string, Filter> filters = {
  { "filter", filter }, { "separable", separable }, { "gaussian", gaussian }, { "stack", stack },
  { "unsharp", unsharp }, { "box", box }, { "median", median }, { "sobel", sobel }, { "lab", lab },
  { "harris", harris },
};

/* On one channel of 8 bits, which is made before the clock starts. */
const std::map<std::string, Filter> grey_filters = {
  { "clahe", [] (const cv::Mat &in, cv::Mat &out, double size) { cv::createCLAHE (size)->apply (in, out); } },
  { "labels", [] (const cv::Mat &in, cv::Mat &out, double) { cv::connectedComponents (in > 127, out, 8, CV_32S); } },
};

} // namespace

const gchar *
bench_opencv_name (void)
{
  return "OpenCV " CV_VERSION;
}

gdouble
bench_opencv_run (const gchar *what, const gfloat *pixels, gint width, gint height, gint threads)
{
  const cv::Mat picture (height, width, CV_32FC4, const_cast<gfloat *> (pixels));
  char          name[32] = "";
  double        size = 0;
  static cv::Mat out;           /* its pages are kept */

  std::sscanf (what, "%31s %lf", name, &size);
  cv::setNumThreads (threads);

  const bool  is_grey = grey_filters.count (name);
  const auto &known = is_grey ? grey_filters : filters;
  const auto  found = known.find (name);
  const cv::Mat in = is_grey ? grey_u8 (picture) : picture;

  if (found == known.end ())
    return -1;

  const gint64 began = g_get_monotonic_time ();
  found->second (in, out, size);
  return (g_get_monotonic_time () - began) / 1e3;
}
