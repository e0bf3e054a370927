/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What libstub-icd offers to a test in the same process.  The library is an
 * OpenCL driver (ICD) that passes everything on to a real one (environment
 * variable STUB_ICD_DRIVER, PoCL by default) and fails where its plan says so.
 *
 * A plan is a list of rules, separated by `;`.  ENTRY is a function's name
 * without `cl`, CODE a name (CL_OUT_OF_RESOURCES) or a number, N counts calls
 * from the moment at which the plan is set, beginning with 1:
 *
 *   fail ENTRY:N:CODE   the N-th call fails
 *   from ENTRY:N:CODE   the N-th call and all that follow fail
 *   lost:N[:CODE]       from the N-th enqueue, wait or finish on every call but releases
 *                       fails (CL_OUT_OF_RESOURCES)
 *   event:N             the N-th kernel or read is accepted and fails later, and all
 *                       that follows on its queue or waits for it: WaitForEvents and Finish say so
 *   quiet-event:N       the same, but Finish says nothing
 *   late KIND:N[:CODE]  the N-th command of a KIND (write, fill, launch, read) is accepted and fails later,
 *                       and all that follows on its queue or waits for it; Finish says nothing.
 *                       CODE (CL_OUT_OF_RESOURCES) is what the events say of their commands
 *   alone KIND:N[:CODE] the same command alone is not carried out, and what waits for its event;
 *                       everything else reports success, and what it makes is rubbish
 *   stray KIND:N[:CODE] (write, read) as late, but Finish fails, and the data come after all when
 *                       somebody else uses that memory, until `settle`
 *   every ENTRY:N[:CODE] each N-th call fails (CL_OUT_OF_RESOURCES)
 *   host-memory:N       the N-th CreateBuffer fails with CL_OUT_OF_HOST_MEMORY
 *   delay ENTRY:MS      each call takes MS milliseconds longer
 *   lie:download        reads deliver altered bytes
 *   lie:launch          kernels do not run
 *   lie:round           reads deliver the 7th word and all that follow with another last bit
 *   skip KERNEL         this one does not run, and new memory of the device holds threes
 *   lie:memory          the device has 1 TiB of memory, in one piece
 *   lie:nothing         the device has no memory
 *   piece:N             one piece of the device's memory has at most N bytes
 *   lie:build           programs build without being built
 *   lie:version         the device has no compiler
 *   lie:cut             a kernel is launched in two parts, left and right, which is no lie: the engine cuts wide rows so
 *   lie:gpu             the device says that it is no processor but a graphics card
 *   lie:single          the device has no double precision
 *   lie:kept            a program's binary is its source behind the word "kept ", which is no lie: PoCL's takes seconds
 *   lie:five            the driver's version begins with "5."
 *
 * The first plan is the environment variable STUB_ICD_PLAN.  A release that is
 * told to fail says so, but releases; a Finish that fails has waited, and so has
 * everything that fails because the device is lost; a WaitForEvents has not.
 */
#ifndef STUB_ICD_H
#define STUB_ICD_H

#include <glib.h>

/* OpenCL objects created and not yet released by those who called through us. */
typedef struct
{
  gint64 queues, memories, programs, kernels, events;
} StubLive;

/* Is told of each call in its thread, before anything is done; NULL: nobody is. */
typedef void (*StubWatch) (const gchar *entry);

/* Each is exported under its name; open the library with g_module_open. */
#define STUB_ICD_API(X)                                 \
  X (gboolean, set_plan, (const gchar *plan))           \
  X (gboolean, met, (void))                             \
  X (gint64, calls, (const gchar *entry))               \
  X (void, live, (StubLive *live))                      \
  X (gint64, come, (void))                              \
  X (gint64, settle, (void))                            \
  X (gint64, overlaps, (void))                          \
  X (gint64, kernels, (void))                           \
  X (gint64, largest, (void))                           \
  X (void, set_watch, (StubWatch watch))

/* set_plan: FALSE if it is not understood.  met: whether a fault of the plan has
 * fired.  calls: of ENTRY since the start, -1 if the stub has no such entry.  come: strays into host memory
 * come now; how many.  settle: strays come no
 * more; how often host memory was unmapped or released while one was still to come.  overlaps: how often a kernel was launched,
 * since this was last asked, while its last launch had not ended; the first question begins the count.
 * kernels: of the program that was built last.  largest: bytes of the largest memory of the device that was made. */

typedef struct
{
#define STUB_ICD_MEMBER(type, name, arguments) type (*name) arguments;
  STUB_ICD_API (STUB_ICD_MEMBER)
#undef STUB_ICD_MEMBER
} StubIcd;

#endif
