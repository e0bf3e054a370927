/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fits-apart.h"

#include <errno.h>
#include <fcntl.h>
#include <fitsio.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static GRWLock lock;

gboolean
fits_has_threads (void)
{
  return fits_is_reentrant ();
}

void
fits_begin (void)
{
  if (fits_has_threads ())
    g_rw_lock_reader_lock (&lock);
  else
    g_rw_lock_writer_lock (&lock);
}

void
fits_end (void)
{
  if (fits_has_threads ())
    g_rw_lock_reader_unlock (&lock);
  else
    g_rw_lock_writer_unlock (&lock);
}

/* It dies without a word: no handler of the host's, no core, nothing on its terminal. */
static void
be_quiet (gint seconds)
{
  static const gint   deadly[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGPIPE };
  const struct rlimit none = { 0, 0 }, time = { (rlim_t) seconds, (rlim_t) seconds };
  const gint          nowhere = open ("/dev/null", O_RDWR);

  for (guint i = 0; i < G_N_ELEMENTS (deadly); i++)
    signal (deadly[i], SIG_DFL);
  setrlimit (RLIMIT_CORE, &none);
  setrlimit (RLIMIT_CPU, &time);
  if (nowhere >= 0)
    {
      dup2 (nowhere, STDOUT_FILENO);
      dup2 (nowhere, STDERR_FILENO);
    }
}

FitsProcess
fits_apart (FitsWork work, gpointer data, gint seconds)
{
  FitsProcess process = { .pipe = -1, .id = -1 };
  gint        ends[2];

  g_rw_lock_writer_lock (&lock);
  if (pipe (ends) == 0)
    {
      process.id = fork ();
      if (process.id == 0)
        {
          close (ends[0]);
          be_quiet (seconds);
          work (data, ends[1]);
          _exit (0);
        }
      close (ends[1]);
      process.pipe = ends[0];
    }
  g_rw_lock_writer_unlock (&lock);
  if (process.id < 0)
    fits_apart_end (&process);
  return process;
}

void
fits_apart_end (FitsProcess *process)
{
  if (process->pipe >= 0)
    close (process->pipe);
  process->pipe = -1;
  while (process->id >= 0 && waitpid ((pid_t) process->id, NULL, 0) < 0 && errno == EINTR)
    ;
}

void
fits_tell (gint pipe, gconstpointer data, gsize bytes)
{
  for (gsize done = 0; done < bytes;)
    {
      const gssize n = write (pipe, (const guint8 *) data + done, bytes - done);

      if (n < 0 && errno != EINTR)
        _exit (1);
      done += n > 0 ? (gsize) n : 0;
    }
}

gboolean
fits_hear (const FitsProcess *process, gpointer data, gsize bytes)
{
  for (gsize done = 0; done < bytes;)
    {
      const gssize n = read (process->pipe, (guint8 *) data + done, bytes - done);

      if (n == 0 || (n < 0 && errno != EINTR))
        return FALSE;
      done += n > 0 ? (gsize) n : 0;
    }
  return TRUE;
}
