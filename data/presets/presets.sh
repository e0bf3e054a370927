#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Presets for the filters whose settings need experience.  GIMP 3 looks for presets in its profile alone, so they are put there.
set -eu

command -v gettext >/dev/null || gettext() { printf %s "$1"; }
export TEXTDOMAIN=tessera

usage()
{
  gettext 'Usage: presets.sh add | remove | write FOLDER

  add      puts the presets into each profile of GIMP 3, for filters that have none there yet; in the dialog they are under Presets
  remove   takes away those that GIMP has not rewritten since (it does, once a filter was used: then the file is yours)
  write    writes all of them into FOLDER

Their names are in the language of the locale. TEXTDOMAINDIR says where the translations are.
'
}

# GIMP drops this line when it writes the file.
mark='# Presets that came with Tessera'

# operation NAME: those that follow are presets of it.
operation() { type=GimpGegl-tessera-$1-config; }

# preset NAME PROPERTY=VALUE...
preset()
{
  printf '(%s "%s"' "$type" "$1"
  shift
  for pair; do
    case ${pair#*=} in
      *' '*) printf '\n    (%s "%s")' "${pair%%=*}" "${pair#*=}" ;;
      *)     printf '\n    (%s %s)' "${pair%%=*}" "${pair#*=}" ;;
    esac
  done
  printf ')\n'
}

names='bilateral-filter bilateral-grid convolution denoise detail equalize label median-blur motion-blur sharpen-lens tone unsharp-mask'

presets_of()
{
  operation "$1"
  case $1 in
    bilateral-filter | bilateral-grid)
      preset "$(gettext 'Sensor noise')" spatial-sigma=4 range-sigma=0.08 guide=luminance tone=perceptual
      preset "$(gettext 'Smooth skin')" spatial-sigma=8 range-sigma=0.08 guide=luminance tone=perceptual
      preset "$(gettext 'Painted areas')" spatial-sigma=12 range-sigma=0.15 guide=luminance tone=perceptual ;;
    convolution)
      preset "$(gettext 'Out of focus')" preset=custom divisor=0 offset=0 border=clamp channels=rgb \
        'kernel=0 0 1 1 1 0 0; 0 1 1 1 1 1 0; 1 1 1 1 1 1 1; 1 1 1 1 1 1 1; 1 1 1 1 1 1 1; 0 1 1 1 1 1 0; 0 0 1 1 1 0 0'
      preset "$(gettext 'Relief, lit from the upper left')" preset=custom divisor=0 offset=0 border=clamp channels=rgb \
        'kernel=-2 -1 0; -1 1 1; 0 1 2'
      preset "$(gettext 'Outlines')" preset=custom divisor=1 offset=0 border=clamp channels=rgb \
        'kernel=-1 -1 -1; -1 8 -1; -1 -1 -1' ;;
    detail)
      preset "$(gettext 'Local contrast without halos')" texture=0 clarity=1 radius=40 protect=0.012
      preset "$(gettext 'Detail boost')" texture=1 clarity=1 radius=16 protect=0.012
      preset "$(gettext 'Stone, bark and fabric')" texture=1 clarity=0.5 radius=16 protect=0.012
      preset "$(gettext 'Soft skin')" texture=-0.6 clarity=-0.2 radius=8 protect=0 ;;
    denoise)
      preset "$(gettext 'Portrait')" lightness=1 color=1 detail=0.4 level=0
      preset "$(gettext 'Night')" lightness=1.2 color=1.5 detail=0.2 level=0
      preset "$(gettext 'JPEG from a phone')" lightness=1.25 color=1.5 detail=0.1 level=0
      preset "$(gettext 'Scan')" lightness=1 color=1 detail=0.3 level=0 ;;
    equalize)
      preset "$(gettext 'Through the haze')" mode=luminance clip-limit=2 tiles=6 bins=4096
      preset "$(gettext 'Microscope or X-ray')" mode=luminance clip-limit=4 tiles=8 bins=4096
      preset "$(gettext 'Whole image')" mode=luminance clip-limit=0 tiles=8 bins=4096 ;;
    label)
      preset "$(gettext 'Stars and galaxies')" source=luminance threshold=0.06 connectivity=8 min-area=20 result=colors
      preset "$(gettext 'Mask of bright areas')" source=luminance threshold=0.5 connectivity=8 min-area=2000 result=mask ;;
    median-blur)
      preset "$(gettext 'Dust and hot pixels')" radius=1 percentile=50 neighborhood=square border=clamp filter-alpha=no
      preset "$(gettext 'Scratches')" radius=3 percentile=50 neighborhood=circle border=clamp filter-alpha=no
      preset "$(gettext 'Bright specks only')" radius=1 percentile=25 neighborhood=square border=clamp filter-alpha=no ;;
    motion-blur)
      preset "$(gettext 'Panning')" length=80 angle=0 border=clamp
      preset "$(gettext 'Falling water')" length=60 angle=90 border=clamp
      preset "$(gettext 'Texture without a seam')" length=64 angle=20 border=loop ;;
    sharpen-lens)
      preset "$(gettext 'Soft lens')" radius=0.7 iterations=8 protect=0.006
      preset "$(gettext 'Enlarged or scanned')" radius=1.5 iterations=8 protect=0.01
      preset "$(gettext 'Out of focus, a little')" radius=2.5 iterations=12 protect=0.01 ;;
    tone)
      preset "$(gettext 'Open the shadows')" shadows=1.5 highlights=0 compression=0 range=7 detail=1 radius=0 edge=1.6
      preset "$(gettext 'Against the light')" shadows=1 highlights=1 compression=0 range=7 detail=1 radius=0 edge=1.6
      preset "$(gettext 'HDR for the display')" shadows=0.7 highlights=0.3 compression=1 range=7 detail=1 radius=0 edge=1.6 ;;
    unsharp-mask)
      preset "$(gettext 'For the screen, after reducing')" std-dev=1 amount=1 threshold=0.01
      preset "$(gettext 'For print')" std-dev=1.2 amount=0.8 threshold=0.01
      preset "$(gettext 'Portrait, skin left alone')" std-dev=1.5 amount=0.7 threshold=0.04
      preset "$(gettext 'Local contrast')" std-dev=50 amount=0.4 threshold=0 ;;
  esac
}

# write_one NAME FILE
write_one()
{
  {
    printf '%s\n\n' "$mark"
    presets_of "$1"
  } >"$2" || { rm -f "$2"; return 1; }         # GIMP would read a part of one
}

profiles()
{
  if [ -n "${GIMP3_DIRECTORY:-}" ]; then echo "$GIMP3_DIRECTORY"; return; fi
  for folder in "${XDG_CONFIG_HOME:-$HOME/.config}"/GIMP/3.*; do
    if [ -d "$folder" ]; then echo "$folder"; fi
  done
}

settings() { echo "GimpGegl-tessera-$1-config.settings"; }

no_profile()
{
  printf "$(gettext 'No profile of GIMP 3 in %s. Start GIMP 3 once, then run this again; or name the profile: GIMP3_DIRECTORY=FOLDER')\\n" \
    "${XDG_CONFIG_HOME:-$HOME/.config}/GIMP" >&2
  exit 1
}

add()
{
  [ -n "$(profiles)" ] || no_profile
  profiles | while IFS= read -r profile; do
    mkdir -p "$profile/filters"
    for name in $names; do
      file=$profile/filters/$(settings "$name")
      if [ ! -e "$file" ]; then write_one "$name" "$file"; fi
    done
    echo "  presets       $profile/filters"
  done
}

remove()
{
  profiles | while IFS= read -r profile; do
    for name in $names; do
      file=$profile/filters/$(settings "$name")
      [ -e "$file" ] || continue
      if [ "$(head -n 1 "$file")" = "$mark" ]; then rm -f "$file"; else echo "$(gettext 'Left, with settings of your own:') $file"; fi
    done
    rmdir "$profile/filters" 2>/dev/null || true        # GIMP makes it when it needs it
  done
}

case ${1:-} in
  add)    add ;;
  remove) remove ;;
  write)  for name in $names; do write_one "$name" "${2:?a folder}/$(settings "$name")"; done ;;
  *)      usage; [ "${1:-}" = --help ] || exit 2 ;;
esac
