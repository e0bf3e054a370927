; SPDX-License-Identifier: LGPL-3.0-or-later
; Recipes for GIMP 3: settings that work, each as a procedure of a layer, and tessera-develop, which applies some to a picture:
;
;   gimp-console-3.0 -i --batch-interpreter=plug-in-script-fu-eval -b '(load "recipes-gimp-3.scm")
;     (tessera-develop "photo.jpg" "print.png" tessera-sensor-noise tessera-for-print)' --quit
;
; In one -b: each has an interpreter of its own.
; For an effect that can be changed later: gimp-drawable-append-new-filter in place of gimp-drawable-merge-new-filter.

(define (tessera-sensor-noise layer)
  (gimp-drawable-merge-new-filter layer "tessera:bilateral-grid" "Sensor noise" LAYER-MODE-REPLACE 1.0
    "spatial-sigma" 4 "range-sigma" 0.08 "guide" "luminance" "tone" "perceptual"))

(define (tessera-dust-and-hot-pixels layer)
  (gimp-drawable-merge-new-filter layer "tessera:median-blur" "Dust and hot pixels" LAYER-MODE-REPLACE 1.0
    "radius" 1 "percentile" 50 "neighborhood" "square" "border" "clamp"))

(define (tessera-through-the-haze layer)
  (gimp-drawable-merge-new-filter layer "tessera:equalize" "Through the haze" LAYER-MODE-REPLACE 1.0
    "mode" "luminance" "clip-limit" 2 "tiles" 6))

(define (tessera-out-of-focus layer)
  (gimp-drawable-merge-new-filter layer "tessera:convolution" "Out of focus" LAYER-MODE-REPLACE 1.0
    "preset" "custom" "divisor" 0 "border" "clamp"
    "kernel" "0 0 1 1 1 0 0; 0 1 1 1 1 1 0; 1 1 1 1 1 1 1; 1 1 1 1 1 1 1; 1 1 1 1 1 1 1; 0 1 1 1 1 1 0; 0 0 1 1 1 0 0"))

(define (tessera-panning layer)
  (gimp-drawable-merge-new-filter layer "tessera:motion-blur" "Panning" LAYER-MODE-REPLACE 1.0
    "length" 80 "angle" 0 "border" "clamp"))

(define (tessera-for-print layer)
  (gimp-drawable-merge-new-filter layer "tessera:unsharp-mask" "For print" LAYER-MODE-REPLACE 1.0
    "std-dev" 1.2 "amount" 0.8 "threshold" 0.01))

(define (tessera-bright-things layer)
  (gimp-drawable-merge-new-filter layer "tessera:label" "Bright things" LAYER-MODE-REPLACE 1.0
    "source" "luminance" "threshold" 0.3 "min-area" 20 "connectivity" "8" "result" "colors"))

(define (tessera-develop from to . recipes)
  (let* ((image (car (gimp-file-load RUN-NONINTERACTIVE from))))
    (for-each (lambda (recipe) (recipe (vector-ref (car (gimp-image-get-layers image)) 0))) recipes)
    (gimp-image-flatten image)
    (gimp-file-save RUN-NONINTERACTIVE image to -1)
    (gimp-image-delete image)))
