#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# install.sh: puts Tessera where GEGL and each GIMP of this user look, and says where.  It asks nothing, and needs no root.
# install.sh --undo: takes away exactly what it put there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${XDG_DATA_HOME:=$HOME/.local/share}" "${XDG_CONFIG_HOME:=$HOME/.config}"

case ${1:-} in
  ''|--undo) ;;
  *) sed -n 's/^# \(install\.sh.*\)/\1/p' "$0"; exit 2 ;;
esac

# new_folders FOLDER: those of its path that are not there yet.
new_folders()
{
  folder=$1
  while [ ! -d "$folder" ]; do echo "$folder"; folder=$(dirname "$folder"); done
}

# put FILE PLACE [SED]: a copy, through sed if that is given; the list has it, and folders that are new.
put()
{
  new_folders "$(dirname "$2")" >>"$list.folders"
  mkdir -p "$(dirname "$2")"
  if [ -n "${3:-}" ]; then sed "$3" "$1" >"$2.new"; else cp "$1" "$2.new"; fi
  mv -f "$2.new" "$2"
  echo "$2" >>"$list"
}

# put_all FOLDER PLACE
put_all() { (cd "$1" && find . -type f) | sort | while IFS= read -r file; do put "$1/$file" "$2/${file#./}"; done; }

# has_gimp_3 CONFIG
has_gimp_3() { for folder in "$1"/GIMP/3.*; do [ ! -d "$folder" ] || return 0; done; return 1; }

# add DATA CONFIG: for a GEGL that has these folders.
add()
{
  modules=$1/gegl-0.4/plug-ins
  undo "$1" || true
  new=$(new_folders "$modules")
  mkdir -p "$modules"
  list=$modules/tessera-installed.txt
  [ -z "$new" ] || echo "$new" >"$list.folders"
  put_all "$here/plug-ins" "$modules"
  echo "  GEGL       $modules"
  for profile in "$2"/GIMP/*; do
    [ -d "$profile" ] || continue
    case ${profile##*/} in
      2.10) put_all "$here/gimp-2.10" "$profile/plug-ins" ;;
      3.*)  for name in tessera-graphs tessera-align-layers; do
              put "$here/gimp-3/$name.py.in" "$profile/plug-ins/$name/$name.py" "s,@GRAPHS@,$modules/tessera/graphs,; s,@LOCALES@,$modules/tessera/locale,"
              chmod +x "$profile/plug-ins/$name/$name.py"
            done ;;
      *)    continue ;;
    esac
    printf '  %-10s %s\n' "GIMP ${profile##*/}" "$profile"
  done
  # As the language of this terminal has their names.
  ! has_gimp_3 "$2" || XDG_CONFIG_HOME=$2 TEXTDOMAINDIR=$modules/tessera/locale sh "$here/presets.sh" add >/dev/null || true
}

# undo DATA: what the list says.
undo()
{
  list=$1/gegl-0.4/plug-ins/tessera-installed.txt
  [ -e "$list" ] || return 1
  folders=$(sort -ru "$list.folders")
  while IFS= read -r file; do rm -f "$file"; done <"$list"
  rm -f "$list" "$list.folders"
  echo "$folders" | while IFS= read -r folder; do rmdir "$folder" 2>/dev/null || true; done
}

each()
{
  found=
  # Plain: a distribution's GIMP, an AppImage, the command gegl.
  ! "$1" "$XDG_DATA_HOME" "$XDG_CONFIG_HOME" || found=1
  if [ -d "$HOME/.var/app/org.gimp.GIMP" ]; then ! "$1" "$HOME/.var/app/org.gimp.GIMP/data" "$HOME/.var/app/org.gimp.GIMP/config" || found=1; fi
  if [ -d "$HOME/snap/gimp/current" ]; then ! "$1" "$HOME/snap/gimp/current/.local/share" "$HOME/snap/gimp/current/.config" || found=1; fi
}

undo_with_presets()
{
  [ -e "$1/gegl-0.4/plug-ins/tessera-installed.txt" ] || return 1
  ! has_gimp_3 "$2" || XDG_CONFIG_HOME=$2 sh "$here/presets.sh" remove >/dev/null || true
  undo "$1"
}

if [ "${1:-}" = --undo ]; then
  each undo_with_presets
  [ -n "$found" ] || { echo "Nothing to remove: install.sh has put nothing here" >&2; exit 1; }
  echo "Tessera is removed"
  exit
fi
echo "Tessera @VERSION@ for $(id -un):"
each add
list=$XDG_DATA_HOME/gegl-0.4/plug-ins/tessera-installed.txt
for file in "$here"/bin/*; do put "$file" "$HOME/.local/bin/${file##*/}"; done
put_all "$here/share" "$XDG_DATA_HOME"
echo "  commands   $HOME/.local/bin"
for file in /usr/lib/*/gegl-0.4/tessera-sobel.so /usr/lib*/gegl-0.4/tessera-sobel.so; do
  [ ! -e "$file" ] || echo "Tessera's packages are installed too (${file%/*}). Both work, and GEGL uses one: remove the packages or this"
done
echo "GIMP shows the filters the next time it starts.  A GIMP that has never run has no folder yet: start it once, then run this again."
echo "install.sh --undo removes all."
