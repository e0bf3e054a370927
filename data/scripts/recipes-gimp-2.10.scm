; SPDX-License-Identifier: LGPL-3.0-or-later
; Recipes for GIMP 2.10: settings that work, each as a procedure of an image and a layer, and tessera-develop, which applies some to
; a picture:
;
;   gimp-console-2.10 -i -b '(load "recipes-gimp-2.10.scm")
;     (tessera-develop "photo.jpg" "print.png" tessera-sensor-noise tessera-for-print)' -b '(gimp-quit 0)'
;
; In one -b: each has an interpreter of its own.

(define (tessera-sensor-noise image layer)
  (plug-in-tessera-bilateral-grid RUN-NONINTERACTIVE image layer
    "spatial-sigma=4 range-sigma=0.08 guide=luminance tone=perceptual"))

(define (tessera-dust-and-hot-pixels image layer)
  (plug-in-tessera-median-blur RUN-NONINTERACTIVE image layer "radius=1 percentile=50 neighborhood=square border=clamp"))

(define (tessera-through-the-haze image layer)
  (plug-in-tessera-equalize RUN-NONINTERACTIVE image layer "mode=luminance clip-limit=2 tiles=6"))

(define (tessera-out-of-focus image layer)
  (plug-in-tessera-convolution RUN-NONINTERACTIVE image layer
    "preset=custom divisor=0 border=clamp kernel='0 0 1 1 1 0 0; 0 1 1 1 1 1 0; 1 1 1 1 1 1 1; 1 1 1 1 1 1 1; 1 1 1 1 1 1 1; 0 1 1 1 1 1 0; 0 0 1 1 1 0 0'"))

(define (tessera-panning image layer)
  (plug-in-tessera-motion-blur RUN-NONINTERACTIVE image layer "length=80 angle=0 border=clamp"))

(define (tessera-for-print image layer)
  (plug-in-tessera-unsharp-mask RUN-NONINTERACTIVE image layer "std-dev=1.2 amount=0.8 threshold=0.01"))

(define (tessera-bright-things image layer)
  (plug-in-tessera-label RUN-NONINTERACTIVE image layer "source=luminance threshold=0.3 min-area=20 connectivity=8 result=colors"))

(define (tessera-develop from to . recipes)
  (let* ((image (car (gimp-file-load RUN-NONINTERACTIVE from from))))
    (for-each (lambda (recipe) (recipe image (car (gimp-image-get-active-drawable image)))) recipes)
    (let* ((layer (car (gimp-image-flatten image))))
      (gimp-file-save RUN-NONINTERACTIVE image layer to to))
    (gimp-image-delete image)))
