/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a filter is called and where it is found: a filter is a row.
 *
 * Both GIMPs have an entry with the label at the path; no path, no entry.  GIMP 3's action search
 * looks at the title, the operation's name and the description (GIMP 2.10's at the label and the
 * description), so the description has the words people type: purpose, other names, authors.
 */
#ifndef TESSERA_MENUS_H
#define TESSERA_MENUS_H

#include "config.h"
#include <glib/gi18n-lib.h>
#include <gegl-plugin.h>
#include <string.h>

typedef struct
{
  const gchar *name, *categories, *path, *title, *label, *description;
} TesseraMenu;

static const TesseraMenu tessera_menus[] = {
  { "tessera:bilateral-filter", "enhance:noise-reduction", "<Image>/Filters/Enhance",
    N_("Bilateral Filter"), N_("Smooth and Keep Edges (Tessera Bilateral Filter)..."),
    N_("Smooths skin, sky and noise and keeps edges: surface blur, noise reduction "
       "(bilateral filter; Paris, Durand)") },
  { "tessera:bilateral-grid", "enhance:noise-reduction", "<Image>/Filters/Enhance",
    N_("Bilateral Grid"), N_("Smooth by the Edges of another Picture (Tessera Bilateral Grid)..."),
    N_("Smooths by the edges of another picture, in GIMP 3 the aux input (flash and no flash): surface blur, "
       "noise reduction (joint bilateral filter; Paris, Durand)") },
  { "tessera:cielab", "color", "<Image>/Colors",
    N_("CIELAB"), N_("CIELAB (Tessera)..."),
    N_("Colors as lightness L and the color axes a (green to red) and b (blue to yellow), "
       "and back: Lab color space") },
  { "tessera:convolution", "generic", "<Image>/Filters/Generic",
    N_("Convolution with any Kernel"), N_("Convolution with any Kernel (Tessera)..."),
    N_("Sharpens, embosses, finds edges or blurs: each pixel becomes a weighted sum of those around it, "
       "with a matrix of your own") },
  { "tessera:equalize", "color", "<Image>/Colors",
    N_("Equalize Histogram"), N_("Equalize Histogram (Tessera)..."),
    N_("Brings out detail in haze, shadows and clouds by spreading tones, tile by tile or over the whole "
       "image: local contrast (CLAHE; Zuiderveld)") },
  { "tessera:gaussian-blur", "blur", "<Image>/Filters/Blur",
    N_("Gaussian Blur"), N_("Gaussian Blur (Tessera)..."),
    N_("Blurs evenly by a bell curve of any width: soft focus, smooth backgrounds") },
  { "tessera:label", "generic", "<Image>/Filters/Generic",
    N_("Label Connected Components"), N_("Label Connected Components (Tessera)..."),
    N_("Gives each separate bright part a color of its own and counts them: stars, cells, grains "
       "(blobs, segmentation)") },
  { "tessera:median-blur", "blur", "<Image>/Filters/Blur",
    N_("Median Blur"), N_("Median Blur (Tessera)..."),
    N_("Removes dust, scratches and noise and keeps edges (despeckle): each value becomes the median, or "
       "another percentile, of those around it") },
  { "tessera:sobel", "edge-detect", "<Image>/Filters/Edge-Detect",
    N_("Sobel Gradient"), N_("Sobel Gradient (Tessera)..."),
    N_("Edge detection, outlines: how much, and in which direction, brightness or each color changes") },
  { "tessera:unsharp-mask", "enhance:sharpen", "<Image>/Filters/Enhance",
    N_("Unsharp Mask"), N_("Unsharp Mask (Tessera)..."),
    N_("Sharpens, or lifts local contrast where the radius is large: adds what a blur would take away, "
       "above a threshold") },
};

/* From class_init.  Without a row the operation has no name, and GEGL does not know it. */
static inline void
tessera_set_menu (GeglOperationClass *klass, const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (tessera_menus); i++)
    {
      const TesseraMenu *menu = &tessera_menus[i];

      if (strcmp (menu->name, name) != 0)
        continue;
      gegl_operation_class_set_keys (klass, "name", menu->name, "categories", menu->categories,
                                     "title", _(menu->title), "description", _(menu->description), NULL);
      if (menu->path)
        gegl_operation_class_set_keys (klass, "gimp:menu-path", menu->path, "gimp:menu-label", _(menu->label), NULL);
    }
}

#endif
