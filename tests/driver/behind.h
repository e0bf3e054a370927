/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Functions of ours that stand before a library's; the program exports them. */
#ifndef BEHIND_H
#define BEHIND_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <glib.h>

#define EXPORT __attribute__ ((visibility ("default")))

/* The function behind ours; found once. */
static inline gpointer
real (gpointer *known, const char *name)
{
  gpointer function = __atomic_load_n (known, __ATOMIC_RELAXED);

  if (! function)
    {
      function = dlsym (RTLD_NEXT, name);
      __atomic_store_n (known, function, __ATOMIC_RELAXED);
    }
  return function;
}

#endif
