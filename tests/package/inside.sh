#!/bin/bash
# SPDX-License-Identifier: LGPL-3.0-or-later
# inside.sh: what run-package.py runs in a minimal Debian, as root.  /package has the packages, /source the tree, /results is for
# pictures.  Lines are `ok   NAME` and `FAIL NAME: DETAIL`.
set -u
export HOME=/tmp/home
mkdir -p "$HOME"
photograph=/usr/share/tessera/images/seeding.jpg
declare -A territory=([de]=DE [es]=ES [fr]=FR [ko]=KR [ru]=RU)
apt=(apt-get -q -y --no-install-recommends)

# check NAME COMMAND...: its last lines of output where it fails.
check()
{
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then echo "ok   $name"; else echo "FAIL $name: $(tail -n 8 <<<"$output" | tr '\n' ' ')"; fi
}

packages() { dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' | sort; }

# All but what apt, dpkg and the loader keep for themselves.
files()
{
  find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /results -o -path /package -o -path /source \
    -o -path /var/cache -o -path /var/log -o -path /var/lib/apt -o -path '/var/lib/dpkg/*-old' \) -prune -o -print | sort
}

empty() { [ -z "$1" ] || { echo "$1"; false; }; }

# filter OUT [VARIABLE=VALUE]...: both filters, in a chain; what they say must be all that is on stderr.
filter()
{
  local out=$1
  shift
  env "$@" gegl "$photograph" -o "$out" -- tessera:bilateral-grid guide=luminance tessera:motion-blur length=25 angle=60 2>/tmp/said
  local code=$?
  cat /tmp/said
  [ $code = 0 ] && [ -s "$out" ]
}

silent_filter() { filter "$@" && ! grep -i tessera /tmp/said; }          # of ours
quiet_filter() { filter "$@" && [ ! -s /tmp/said ]; }
on_opencl()
{
  filter "$@" && [ "$(grep -c '^tessera: .*: OpenCL' /tmp/said)" -ge 2 ] \
    && ! grep -vE '^tessera: .*: (OpenCL|program built) on ' /tmp/said
}

# GEGL itself, by way of FFmpeg, brings the loader on Debian 12, and says so where it is put aside.
without_loader()
{
  local library code
  for library in /usr/lib/*/libOpenCL.so.1; do if [ -e "$library" ]; then mv "$library" "$library.aside"; fi; done
  "$@"
  code=$?
  for library in /usr/lib/*/libOpenCL.so.1.aside; do if [ -e "$library" ]; then mv "$library" "${library%.aside}"; fi; done
  return $code
}

# translated LANGUAGE: at least 20 labels of the operations are other than the English ones.
translated()
{
  local language=$1 name changed
  name=$language${territory[$language]:+_${territory[$language]}}
  localedef -i "$name" -f UTF-8 "/tmp/locales/$name.UTF-8" || true      # warnings
  LC_ALL=C.UTF-8 /tmp/labels $operations >/tmp/english || return 1
  LOCPATH=/tmp/locales LC_ALL=$name.UTF-8 LANGUAGE=$language /tmp/labels $operations >/tmp/foreign || return 1
  changed=$(diff /tmp/english /tmp/foreign | grep -c '^>')
  echo "$changed labels"
  [ "$changed" -ge 20 ]
}

# gimp_job OPERATION PICTURE: Script-Fu that makes the picture, in the dialect of the GIMP that is here.
gimp_job()
{
  if command -v gimp-console-3.0 >/dev/null; then
    cat <<TEXT
(let* ((image (car (gimp-file-load RUN-NONINTERACTIVE "/results/input.ppm")))
       (layer (vector-ref (car (gimp-image-get-layers image)) 0)))
  (gimp-drawable-merge-new-filter layer "$1" "filter" LAYER-MODE-REPLACE 1.0)
  (gimp-image-flatten image)
  (gimp-file-save RUN-NONINTERACTIVE image "$2" -1)
  (gimp-image-delete image))
TEXT
  else
    cat <<TEXT
(let* ((image (car (gimp-file-load RUN-NONINTERACTIVE "/results/input.ppm" "/results/input.ppm"))))
  (plug-in-${1/:/-} RUN-NONINTERACTIVE image (car (gimp-image-get-active-drawable image)) "")
  (let* ((layer (car (gimp-image-flatten image))))
    (file-ppm-save RUN-NONINTERACTIVE image layer "$2" "$2" 1))
  (gimp-image-delete image))
TEXT
  fi
}

first_run()
{
  if command -v gimp-console-3.0 >/dev/null; then gimp-console-3.0 -i -f --quit; else gimp-console-2.10 -i -f -b '(gimp-quit 0)'; fi
}

# in_gimp NAME: every operation once, in one process; GIMP alive at the end, no message of ours.
in_gimp()
{
  local operation script=/tmp/$1.scm
  for operation in $operations; do gimp_job "$operation" "/results/$1-${operation#*:}.ppm"; done >"$script"
  echo '(gimp-message "the last job is done")' >>"$script"
  if command -v gimp-console-3.0 >/dev/null; then
    gimp-console-3.0 -i -f --batch-interpreter=plug-in-script-fu-eval -b "(load \"$script\")" --quit >/tmp/said 2>&1
  else
    gimp-console-2.10 -i -f -b "(load \"$script\")" -b '(gimp-quit 0)' >/tmp/said 2>&1
  fi
  cat /tmp/said
  grep -q 'the last job is done' /tmp/said && ! grep -i tessera /tmp/said
}

by_gegl()
{
  local operation out
  gegl "$photograph" -o /results/input.ppm -- gegl:ppm-save path=/results/input.ppm bitdepth=8 || return 1
  for operation in $operations; do
    out=/results/gegl-${operation#*:}.ppm
    gegl /results/input.ppm -o "$out" -- "$operation" gegl:ppm-save path="$out" bitdepth=8 && [ -s "$out" ] || return 1
  done
}

nothing_left()
{
  local found
  found=$(find / -xdev \( -path /tmp -o -path /results -o -path /package -o -path /source -o -path /proc -o -path /sys -o -path /dev \
    -o -path /var/cache/apt \) -prune -o -iname '*tessera*' -print)
  empty "$found$(ldconfig -p | grep tessera)$(dpkg-query -W -f '${Package}\n' '*tessera*' 2>/dev/null)"
}

apt-get -q update >/tmp/log 2>&1 || { echo "FAIL apt-get update: $(tail -n 3 /tmp/log)"; exit 1; }

# A bare system: what the package depends on must do.
recommended=$(apt-get -s install /package/gegl-tessera_*.deb 2>&1)
check 'a plain apt-get install takes the OpenCL loader along' grep -q '^Inst ocl-icd-libopencl1' <<<"$recommended"
check 'installs in a bare system' "${apt[@]}" install /package/gegl-tessera_*.deb
check 'it depends on no OpenCL' empty "$(dpkg-query -W -f '${Depends}' gegl-tessera | grep -iE 'opencl|pocl')"
check 'no driver came with it' empty "$(packages | grep -iE 'pocl|opencl-icd')"
check 'gegl' "${apt[@]}" install gegl
operations=$(cd /usr/lib/*/gegl-0.4 && for file in tessera-*.so; do name=${file#tessera-}; echo "tessera:${name%.so}"; done)
for operation in $operations; do
  check "gegl knows $operation" gegl --exists "$operation"
done
check 'filters without driver and loader, nothing said by us' without_loader silent_filter /results/bare.npy
check 'filters without driver, nothing said' quiet_filter /results/no-driver.npy
check 'purge from a bare system' dpkg --purge gegl-tessera
check 'purged: nothing of that name is left' nothing_left

# With GIMP, which has run once: its Python leaves folders of its own in the system.
packages_for_gimp=(/package/gegl-tessera_*.deb)
if [ -e "$(echo /package/gimp-tessera_*.deb)" ]; then packages_for_gimp+=(/package/gimp-tessera_*.deb); fi
check 'GIMP' "${apt[@]}" install gimp
check 'GIMP starts' first_run
files >/tmp/files.before
check "for GIMP: ${#packages_for_gimp[@]} of our packages" "${apt[@]}" install "${packages_for_gimp[@]}"
check 'gegl makes a picture with each filter' by_gegl
check 'GIMP makes a picture with each filter, nothing said by us' in_gimp gimp
check 'GIMP without the OpenCL loader, nothing said by us' without_loader in_gimp bare-gimp
check 'purge where GIMP is' dpkg --purge gegl-tessera gimp-tessera
check 'purged: nothing of that name is left' nothing_left
files >/tmp/files.after
check 'purged: files and folders are those of before' diff /tmp/files.before /tmp/files.after

# A developer's system, with a driver.
check 'compiler, meson, PoCL, locales' "${apt[@]}" install gcc libc6-dev libgegl-dev meson pkgconf locales ocl-icd-libopencl1 pocl-opencl-icd
mkdir -p /tmp/locales
files >/tmp/files.before
packages >/tmp/packages.before
check 'both packages install' "${apt[@]}" install /package/gegl-tessera_*.deb /package/libtessera-dev_*.deb
check 'and bring no others' empty "$(packages | diff /tmp/packages.before - | grep '^[<>]' | grep -vE 'gegl-tessera|libtessera-dev')"
check 'filters on PoCL' on_opencl /results/opencl.npy GEGL_USE_OPENCL=cpu TESSERA_OPENCL=force TESSERA_DEBUG=paths
check 'filters in C where PoCL is' quiet_filter /results/c.npy GEGL_USE_OPENCL=no
check 'the example graphs' /source/data/packaging/debian/tests/filters
check 'a program with libtessera' /source/data/packaging/debian/tests/library
check 'the example of a filter' /source/data/packaging/debian/tests/example
# shellcheck disable=SC2046
check 'labels' gcc -o /tmp/labels /source/tests/install/labels.c $(pkg-config --cflags --libs gegl-0.4)
while read -r language; do check "$language: labels are translated" translated "$language"; done </source/po/LINGUAS
check 'installs over itself' "${apt[@]}" install --reinstall /package/gegl-tessera_*.deb /package/libtessera-dev_*.deb
check 'purge' dpkg --purge libtessera-dev gegl-tessera
check 'purged: nothing of that name is left' nothing_left
files >/tmp/files.after
check 'purged: files and folders are those of before' diff /tmp/files.before /tmp/files.after
packages >/tmp/packages.after
check 'purged: the packages are those of before' diff /tmp/packages.before /tmp/packages.after
check 'dpkg --audit' empty "$(dpkg --audit)"
