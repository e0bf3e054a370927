/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A system that has no thread to give, while `no_threads`.  The function stands before the C library's in a program that
 * exports it; one file of the program includes this. */
#ifndef NO_THREADS_H
#define NO_THREADS_H

#include "behind.h"

#include <errno.h>
#include <pthread.h>

static gint no_threads;         /* atomic */

EXPORT int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes, void *(*function) (void *), void *data)
{
  static gpointer next;

  return g_atomic_int_get (&no_threads) ? EAGAIN
         : ((__typeof__ (&pthread_create)) real (&next, "pthread_create")) (thread, attributes, function, data);
}

#endif
