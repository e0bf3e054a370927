# SPDX-License-Identifier: LGPL-3.0-or-later
"""Recipes for GIMP 3 in Python: settings that work, each as a function of a layer, and develop, which applies some to a picture:

  gimp-console-3.0 -i --batch-interpreter=python-fu-eval \\
    -b 'exec(open("recipes-gimp-3.py").read()); develop("photo.jpg", "print.png", sensor_noise, for_print)' --quit

For an effect that can be changed later: layer.append_filter in place of layer.merge_filter."""
from gi.repository import Gimp, Gio


def apply(layer, operation, name, **values):
    effect = Gimp.DrawableFilter.new(layer, operation, name)
    config = effect.get_config()
    for key, value in values.items():
        config.set_property(key.replace('_', '-'), value)
    effect.update()
    layer.merge_filter(effect)


def sensor_noise(layer):
    apply(layer, 'tessera:bilateral-grid', 'Sensor noise', spatial_sigma=4, range_sigma=0.08, guide='luminance', tone='perceptual')


def dust_and_hot_pixels(layer):
    apply(layer, 'tessera:median-blur', 'Dust and hot pixels', radius=1, percentile=50, neighborhood='square', border='clamp')


def through_the_haze(layer):
    apply(layer, 'tessera:equalize', 'Through the haze', mode='luminance', clip_limit=2, tiles=6)


def out_of_focus(layer):
    apply(layer, 'tessera:convolution', 'Out of focus', preset='custom', divisor=0, border='clamp',
          kernel='0 0 1 1 1 0 0; 0 1 1 1 1 1 0; 1 1 1 1 1 1 1; 1 1 1 1 1 1 1; 1 1 1 1 1 1 1; 0 1 1 1 1 1 0; 0 0 1 1 1 0 0')


def panning(layer):
    apply(layer, 'tessera:motion-blur', 'Panning', length=80, angle=0, border='clamp')


def for_print(layer):
    apply(layer, 'tessera:unsharp-mask', 'For print', std_dev=1.2, amount=0.8, threshold=0.01)


def bright_things(layer):
    apply(layer, 'tessera:label', 'Bright things', source='luminance', threshold=0.3, min_area=20, connectivity='8', result='colors')


def develop(path, out, *recipes):
    image = Gimp.file_load(Gimp.RunMode.NONINTERACTIVE, Gio.File.new_for_path(path))
    for recipe in recipes:
        recipe(image.get_layers()[0])
    image.flatten()
    Gimp.file_save(Gimp.RunMode.NONINTERACTIVE, image, Gio.File.new_for_path(out), None)
    image.delete()
