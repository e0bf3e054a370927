#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# install.sh: puts Tessera where GEGL and each GIMP of this user look, and says where.  It asks nothing, and needs no root.
# install.sh --undo: takes away exactly what it put there, and puts back what was there before.
set -eu
unset CDPATH
[ -n "${HOME:-}" ] || { echo "install.sh: HOME is not set, and says where your files are: set it to your home folder" >&2; exit 1; }
here=$(cd -- "$(dirname -- "$0")" >/dev/null && pwd)
: "${XDG_DATA_HOME:=$HOME/.local/share}" "${XDG_CONFIG_HOME:=$HOME/.config}"

installs=
case ${1:-} in
  '')     installs=1 ;;
  --undo) ;;
  *) sed -n 's/^# \(install\.sh.*\)/\1/p' "$0"; exit 2 ;;
esac

# Beside the module is the list of files, each with its checksum, and one of the folders that were made.
newline='
'
failed=
copy=
trap 'rm -f "$copy"; exit 1' HUP INT TERM

# complain TEXT: the end then says that not all is well.  No function here counts on set -e, which is off wherever one is a condition.
complain() { printf 'install.sh: %s\n' "$1" >&2; failed=1; }

is_there() { [ -e "$1" ] || [ -L "$1" ]; }

is_listed() { sed 's/^[0-9]* [0-9]* //' "$list" | grep -qxF -e "$1"; }

# new_folders FOLDER: those of its path that are not there yet.
new_folders()
{
  folder=$1
  while [ -n "$folder" ] && [ ! -d "$folder" ]; do printf '%s\n' "$folder"; folder=${folder%/*}; done
}

# make_copy FILE PLACE SED: what SED makes of it is a program.
make_copy()
{
  [ -d "${2%/*}" ] || mkdir -p "${2%/*}" || return
  if [ -n "$3" ]; then sed "$3" "$1" >"$2" && chmod +x "$2"; else cp "$1" "$2"; fi
}

# move_in PLACE: the copy goes there.  It is in the list before, so that --undo knows it whatever happens.
move_in()
{
  [ -L "$1" ] || [ ! -d "$1" ] || { echo ": a folder has its name"; return 1; }
  if is_there "$1" && is_there "$1.before-tessera"; then echo ": $1.before-tessera is there, where it would be kept"; return 1; fi
  printf '%s %s\n' "$(cksum <"$copy")" "$1" >>"$list" || return
  ! is_there "$1" || mv "$1" "$1.before-tessera" || return
  mv -f "$copy" "$1"
}

# put FILE PLACE [SED]: a copy, through sed if that is given; a file that is there and is not from here is kept.
put()
{
  was_there=
  if is_there "$2"; then
    ! is_listed "$2" || return 0        # the user changed it
    was_there=1
  fi
  copy=$2.tessera-new
  if new_folders "${2%/*}" >>"$list.folders" && reason=$(make_copy "$1" "$copy" "${3:-}" 2>&1) && reason=$(move_in "$2" 2>&1); then
    [ -z "$was_there" ] || printf '  kept       %s is now %s.before-tessera\n' "$2" "${2##*/}"
    return 0
  fi
  rm -f "$copy" 2>/dev/null
  complain "$2 cannot be written (${reason##*: }). Make room, make its folder writable, or move away what is in the way; then run this again"
  return 1
}

# put_all FOLDER PLACE: names in the archive have no blanks.
put_all() { for file in $(cd "$1" && find . -type f | sort); do put "$1/$file" "$2/${file#./}" || return; done; }

# give_up: half of it may be worse than nothing.
give_up()
{
  each undo_with_presets
  echo "install.sh: nothing is installed: what was put is taken away again" >&2
  exit 1
}

# has_gimp_3 CONFIG
has_gimp_3() { for folder in "$1"/GIMP/3.*; do [ ! -d "$folder" ] || return 0; done; return 1; }

# quoted PATH: for text between ' in Python, which sed puts there.
quoted() { printf '%s\n' "$1" | sed -e "s/[\\\\']/\\\\&/g" -e 's/[\\&,]/\\&/g'; }

# add_to_gimp PROFILE
add_to_gimp()
{
  case ${1##*/} in
    2.10) put_all "$here/gimp-2.10" "$1/plug-ins" ;;
    *)    for name in tessera-graphs tessera-align-layers; do
            put "$here/gimp-3/$name.py.in" "$1/plug-ins/$name/$name.py" \
              "s,@GRAPHS@,$(quoted "$modules/tessera/graphs"),; s,@LOCALES@,$(quoted "$modules/tessera/locale")," || return
          done ;;
  esac
}

# add DATA CONFIG: for a GEGL that has these folders.
add()
{
  modules=$1/gegl-0.4/plug-ins
  undo "$1"
  new=$(new_folders "$modules")
  reason=$({ mkdir -p "$modules" && printf '%s\n' "$new" >>"$list.folders" && : >>"$list"; } 2>&1) || { complain "$modules cannot be written (${reason##*: })"; give_up; }
  put_all "$here/plug-ins" "$modules" || give_up
  echo "  GEGL       $modules"
  for profile in "$2"/GIMP/2.10 "$2"/GIMP/3.*; do
    [ -d "$profile" ] || continue
    ! add_to_gimp "$profile" || printf '  %-10s %s\n' "GIMP ${profile##*/}" "$profile"
  done
  # As the language of this terminal has their names.
  if has_gimp_3 "$2"; then
    XDG_CONFIG_HOME=$2 TEXTDOMAINDIR=$modules/tessera/locale sh "$here/presets.sh" add >/dev/null || complain "presets cannot be written into $2/GIMP"
  fi
}

# undo DATA: what the list says.  What the user changed stays, and what cannot be removed stays in the list.
undo()
{
  list=$1/gegl-0.4/plug-ins/tessera-installed.txt left=
  [ -e "$list" ] || return 0
  found=1
  while IFS= read -r line; do
    file=${line#* * }
    case $file in /*) ;; *) continue ;; esac            # cut, on a full disk
    if is_there "$file"; then
      if [ -L "$file" ] || [ "$(cksum <"$file" 2>/dev/null)" != "${line%" $file"}" ]; then
        printf '  left       %s, as you have changed it\n' "$file"
        ! is_there "$file.before-tessera" || printf '             and what was there before: %s.before-tessera\n' "$file"
        [ -z "$installs" ] || left=$left$line$newline
        continue
      fi
      rm -f "$file" 2>/dev/null || { complain "$file cannot be removed"; left=$left$line$newline; continue; }
    fi
    is_there "$file.before-tessera" || continue
    mv "$file.before-tessera" "$file" 2>/dev/null || { complain "$file.before-tessera cannot be put back"; left=$left$line$newline; continue; }
    [ -n "$installs" ] || printf '  back       %s, as it was before\n' "$file"
  done <"$list"
  folders=$(sort -ru "$list.folders" 2>/dev/null) || true
  if [ -z "$left" ]; then
    rm -f "$list" "$list.folders" 2>/dev/null || complain "$list cannot be removed"
  else
    { printf %s "$left" >"$list.new" && mv -f "$list.new" "$list"; } 2>/dev/null || { complain "$list cannot be written"; rm -f "$list.new" 2>/dev/null || true; }
  fi
  printf '%s\n' "$folders" | while IFS= read -r folder; do rmdir "$folder" 2>/dev/null || true; done
}

# each FUNCTION: for each place of GEGL's.
each()
{
  # Plain: a distribution's GIMP, an AppImage, the command gegl.
  "$1" "$XDG_DATA_HOME" "$XDG_CONFIG_HOME"
  if [ -d "$HOME/.var/app/org.gimp.GIMP" ]; then "$1" "$HOME/.var/app/org.gimp.GIMP/data" "$HOME/.var/app/org.gimp.GIMP/config"; fi
  if [ -d "$HOME/snap/gimp/current" ]; then "$1" "$HOME/snap/gimp/current/.local/share" "$HOME/snap/gimp/current/.config"; fi
}

undo_with_presets()
{
  [ -e "$1/gegl-0.4/plug-ins/tessera-installed.txt" ] || return 0
  ! has_gimp_3 "$2" || XDG_CONFIG_HOME=$2 sh "$here/presets.sh" remove >/dev/null || complain "presets cannot be removed from $2/GIMP"
  undo "$1"
}

found=
if [ -z "$installs" ]; then
  each undo_with_presets
  [ -n "$found" ] || { echo "Nothing to remove: install.sh has put nothing here" >&2; exit 1; }
  [ -z "$failed" ] || { echo "Not all of Tessera is removed: make these folders writable, then run this again" >&2; exit 1; }
  echo "Tessera is removed"
  exit
fi
echo "Tessera @VERSION@ for $(id -un):"
each add
list=$XDG_DATA_HOME/gegl-0.4/plug-ins/tessera-installed.txt
for program in "$here"/bin/*; do put "$program" "$HOME/.local/bin/${program##*/}" || give_up; done
put_all "$here/share" "$XDG_DATA_HOME" || give_up
echo "  commands   $HOME/.local/bin"
for file in /usr/lib/*/gegl-0.4/tessera-sobel.so /usr/lib*/gegl-0.4/tessera-sobel.so; do
  [ ! -e "$file" ] || echo "Tessera's packages are installed too (${file%/*}). Both work, and GEGL uses one: remove the packages or this"
done
echo "GIMP shows the filters the next time it starts.  A GIMP that has never run has no folder yet: start it once, then run this again."
echo "install.sh --undo removes all."
[ -z "$failed" ] || { echo "Not all is installed: what is missing is told above" >&2; exit 1; }
