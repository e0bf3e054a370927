# SPDX-License-Identifier: LGPL-3.0-or-later
# Completion in bash for tessera-sequence, tessera-stack, tessera-match and tessera-doctor: the options that --help names, the words that an
# option knows, and files.

# _tessera_words COMMAND OPTION
_tessera_words ()
{
  case $1$2 in
    tessera-stack--method)    echo mean median clipped exposure focus ;;
    tessera-stack--reference) echo first last sharpest ;;
    tessera-stack--model|tessera-match--model|tessera-match-m) echo auto translation similarity affine homography ;;
    tessera-match--normalization) echo l2 root ;;
    tessera-sequence--method) echo either from-shifts from-frames ;;
    tessera-sequence--sides)  echo both past ;;
    tessera-sequence--shift)  echo single iterated pyramid ;;
    tessera-sequence--bayer)  echo mean green luminance none ;;
    tessera-sequence--write)  echo whitened background significance calibrated ;;
  esac
}

_tessera ()
{
  local command=${1##*/} word=$2 option=$3 words

  # bash takes --method=m for three words.
  if [ "${COMP_WORDS[COMP_CWORD]}" = = ]; then
    word='' option=${COMP_WORDS[COMP_CWORD - 1]}
  elif [ "$option" = = ]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  words=$(_tessera_words "$command" "$option")
  if [ -n "$words" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(LC_ALL=C "$1" --help 2>/dev/null | grep -oE '^ +(-[a-z], )?--[a-z0-9-]+=?' | sed 's/.*--/--/')" -- "$word")
    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}

complete -o filenames -F _tessera tessera-sequence tessera-stack tessera-match tessera-doctor
