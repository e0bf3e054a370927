/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the files of hooks share. */
#ifndef STUB_HOOKS_H
#define STUB_HOOKS_H

#include "stub-plan.h"

#define STUB_DECLARE(name, class) extern __typeof__ (cl##name) hook_##name;
STUB_ENTRIES (STUB_DECLARE)
#undef STUB_DECLARE

#define ORIGINAL(name, object) ((__typeof__ (&cl##name)) stub_original (STUB_##name, object))

/* A function that only says how it went. */
#define STATUS_HOOK(name, object, declared, passed)                     \
  cl_int CL_API_CALL                                                    \
  hook_##name declared                                                  \
  {                                                                     \
    cl_int status = stub_enter (STUB_##name);                           \
                                                                        \
    return status == CL_SUCCESS ? ORIGINAL (name, object) passed : status; \
  }

#endif
