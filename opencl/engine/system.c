/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * See system.h.  One half is POSIX, the other Windows; both have the same functions.  What stands on them ends the file.
 */
#ifdef __linux__
#define _GNU_SOURCE             /* dladdr */
#endif
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <libintl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tessera.h"

#ifndef G_OS_WIN32

#include <dlfcn.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* ------------------------------------------------------------ the process -- */

gboolean
tessera_has_forked (void)
{
  static gsize first;

  if (g_once_init_enter (&first))
    g_once_init_leave (&first, (gsize) getpid ());
  return (gsize) getpid () != first;
}

/* A process that has only loaded GEGL may fork, too: GEGL's and the driver's threads are there from then on. */
static void __attribute__ ((constructor))
note_process (void)
{
  tessera_has_forked ();
}

gchar *
tessera_file_of (gconstpointer code)
{
  Dl_info info;

  return g_strdup (dladdr (code, &info) && info.dli_fname ? info.dli_fname : "tessera");
}

const gchar *const *
tessera_opencl_names (void)
{
#ifdef __APPLE__
  static const gchar *const names[] = { "/System/Library/Frameworks/OpenCL.framework/OpenCL", NULL };
#else
  static const gchar *const names[] = { "libOpenCL.so.1", "libOpenCL.so", NULL };
#endif

  return names;
}

gint
tessera_ticks (void)
{
  return (gint) sysconf (_SC_CLK_TCK);
}

void
tessera_bind_texts (const gchar *domain, const gchar *folder)
{
  bindtextdomain (domain, folder);
  bind_textdomain_codeset (domain, "UTF-8");
}

gchar **
tessera_command_begins (gchar **argv)
{
  signal (SIGXFSZ, SIG_IGN);
  return g_strdupv (argv);
}

gboolean
tessera_is_terminal (FILE *stream)
{
  return isatty (fileno (stream));
}

void
tessera_when_ended (void (*end) (gint number))
{
  static const gint numbers[] = { SIGINT, SIGTERM, SIGHUP };    /* the last: the terminal is closed */

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (signal (numbers[i], end) == SIG_IGN)
      signal (numbers[i], SIG_IGN);
}

#ifdef __GLIBC__

int __cxa_thread_atexit_impl (void (*function) (gpointer data), gpointer data, gpointer library);
extern gpointer __dso_handle;

static void
leave_thread (gpointer data)
{
  (*(void (**) (void)) data) ();
}

/* glibc's exit begins with what its own thread leaves. */
void
tessera_when_leaving (void (*leave) (void))
{
  static _Thread_local void (*registered) (void);

  if (! registered)
    __cxa_thread_atexit_impl (leave_thread, &registered, &__dso_handle);
  registered = leave;
}

void
tessera_keep_freed (void)
{
  mallopt (M_ARENA_MAX, 1);
  mallopt (M_MMAP_MAX, 0);
  mallopt (M_TRIM_THRESHOLD, -1);
}

#else

void tessera_when_leaving (void (*leave) (void)) { atexit (leave); }    /* each time: others may have registered since */
void tessera_keep_freed   (void) {}

#endif

/* ------------------------------------------------------------------ memory -- */

#define SMALL_PAGE 4096

gsize
tessera_host_memory (void)
{
  return MIN ((guint64) sysconf (_SC_PHYS_PAGES) * (guint64) sysconf (_SC_PAGESIZE), G_MAXSIZE);
}

gboolean
tessera_pages_map (TesseraPages *pages, gsize bytes)
{
  pages->mapping = mmap (NULL, bytes + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages->mapping == MAP_FAILED)
    return FALSE;
  pages->bytes = bytes;
  pages->memory = (guchar *) (((gsize) pages->mapping + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE);
#ifdef MADV_HUGEPAGE                    /* Price: 1.4 (CIELAB, 24 Mpix u8; H200, 2026-11-23) */
  madvise (pages->memory, bytes, MADV_HUGEPAGE);
#endif
  return TRUE;
}

void
tessera_pages_unmap (TesseraPages *pages)
{
  munmap (pages->mapping, pages->bytes + LARGE_PAGE);
}

void
tessera_pages_touch (const TesseraPages *pages, gint part, gint n_parts)
{
  const gsize n = pages->bytes / LARGE_PAGE;

  for (gsize page = part; page < n; page += n_parts)
    for (gsize at = 0; at < LARGE_PAGE; at += SMALL_PAGE)
      ((volatile guchar *) pages->memory)[page * LARGE_PAGE + at] = 0;
}

void
tessera_pages_discard (TesseraPages *pages, gsize start, gsize end)
{
  const gsize page = sysconf (_SC_PAGESIZE);

  start = (start + page - 1) / page * page;
  end = end / page * page;
  if (start < end)
    madvise (pages->memory + start, end - start, MADV_DONTNEED);
}

void
tessera_pages_be_small (TesseraPages *pages)
{
#ifdef MADV_NOHUGEPAGE
  madvise (pages->memory, pages->bytes, MADV_NOHUGEPAGE);
#endif
}

/* ------------------------------------------------------------------- files -- */

static gint64
nanoseconds (const struct timespec *time)
{
  return time->tv_sec * G_GINT64_CONSTANT (1000000000) + time->tv_nsec;
}

gboolean
tessera_file_state (const gchar *path, TesseraFileState *state)
{
  GStatBuf about;

  *state = (TesseraFileState) { 0 };
  if (g_stat (path, &about) != 0 || ! S_ISREG (about.st_mode))
    return FALSE;
  *state = (TesseraFileState) { about.st_size, nanoseconds (&about.st_mtim), nanoseconds (&about.st_ctim), about.st_ino };
  return TRUE;
}

gboolean
tessera_is_private (const gchar *path, gboolean is_folder)
{
  GStatBuf about;

  return g_lstat (path, &about) == 0 && (is_folder ? S_ISDIR (about.st_mode) : S_ISREG (about.st_mode))
         && about.st_uid == geteuid () && (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

void
tessera_touch (const gchar *path)
{
  utime (path, NULL);
}

gboolean
tessera_is_foreign_link (const gchar *path)
{
  GStatBuf about;

  return g_lstat (path, &about) == 0 && S_ISLNK (about.st_mode) && about.st_uid != geteuid () && about.st_uid != 0;
}

/* It is closed, if it is no stream. */
static FILE *
stream_of (gint file)
{
  FILE *stream = file >= 0 ? fdopen (file, "wb") : NULL;

  if (file >= 0 && ! stream)
    close (file);
  return stream;
}

FILE *
tessera_file_new (gchar *pattern, const gchar *like)
{
  GStatBuf       about;
  const gboolean is_like = like && g_stat (like, &about) == 0;
  const gint     file = g_mkstemp_full (pattern, O_RDWR | O_CLOEXEC, is_like ? 0600 : 0666);    /* nobody reads what is secret meanwhile */

  if (file >= 0 && is_like && fchmod (file, about.st_mode & 07777) != 0)
    errno = 0;                  /* some disks have no permissions */
  return stream_of (file);
}

FILE *
tessera_file_there (const gchar *path)
{
  return stream_of (g_open (path, O_WRONLY | O_CLOEXEC, 0));
}

FILE *
tessera_file_part (const gchar *path, gboolean *is_new)
{
  gint file = g_open (path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666), why;

  *is_new = file >= 0;
  if (file >= 0 || errno != EEXIST)
    return stream_of (file);
  file = g_open (path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
  why = errno;
  if (file < 0 && g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    why = g_unlink (path) == 0 || errno == ENOENT ? EAGAIN : errno;
  errno = why == ENOENT ? EAGAIN : why;
  return stream_of (file);
}

void
tessera_file_lock (FILE *file)
{
  if (flock (fileno (file), LOCK_EX) != 0)
    errno = 0;                  /* some disks have no locks */
}

gboolean
tessera_file_empty (FILE *file)
{
  return ftruncate (fileno (file), 0) == 0;
}

gboolean
tessera_file_has_name (FILE *file, const gchar *name)
{
  GStatBuf ours, there;

  return fstat (fileno (file), &ours) == 0 && g_lstat (name, &there) == 0 && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

gboolean
tessera_file_is_ours (FILE *file)
{
  GStatBuf about;

  return fstat (fileno (file), &about) == 0 && S_ISREG (about.st_mode) && about.st_nlink == 1 && about.st_uid == geteuid ();
}

gboolean
tessera_file_flush (FILE *file)
{
  return fsync (fileno (file)) == 0;
}

gboolean
tessera_file_move (const gchar *from, const gchar *to)
{
  return g_rename (from, to) == 0;
}

#else

#include <fcntl.h>
#include <io.h>
#include <windows.h>

/* ------------------------------------------------------------ the process -- */

gboolean
tessera_has_forked (void)
{
  return FALSE;
}

/* Tiles that GEGL still has call back when they are freed, and a type stays registered: what has this in it is never unloaded. */
static void __attribute__ ((constructor))
stay_loaded (void)
{
  HMODULE module;

  GetModuleHandleExW (GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN, (const WCHAR *) (gconstpointer) stay_loaded, &module);
}

gchar *
tessera_file_of (gconstpointer code)
{
  HMODULE module = NULL;
  WCHAR   name[MAX_PATH + 1];

  if (! GetModuleHandleExW (GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT, (const WCHAR *) code, &module)
      || GetModuleFileNameW (module, name, MAX_PATH) == 0)
    return g_strdup ("tessera");
  name[MAX_PATH] = 0;
  return g_utf16_to_utf8 (name, -1, NULL, NULL, NULL);
}

const gchar *const *
tessera_opencl_names (void)
{
  static const gchar *const names[] = { "OpenCL.dll", NULL };

  return names;
}

gint
tessera_ticks (void)
{
  return 100;                   /* there is no /proc */
}

void
tessera_bind_texts (const gchar *domain, const gchar *folder)
{
  g_autofree gunichar2 *wide = g_utf8_to_utf16 (folder, -1, NULL, NULL, NULL);

  wbindtextdomain (domain, wide);
  bind_textdomain_codeset (domain, "UTF-8");
}

gchar **
tessera_command_begins (gchar **argv G_GNUC_UNUSED)
{
  _setmode (_fileno (stdout), _O_BINARY);
  return g_win32_get_command_line ();
}

gboolean
tessera_is_terminal (FILE *stream)
{
  const HANDLE handle = (HANDLE) _get_osfhandle (_fileno (stream));
  DWORD        mode;

  return GetConsoleMode (handle, &mode) && SetConsoleMode (handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

void
tessera_when_ended (void (*end) (gint number))
{
  signal (SIGINT, end);
  signal (SIGTERM, end);
  signal (SIGBREAK, end);       /* the console is closed */
}

void tessera_when_leaving (void (*leave) (void)) { atexit (leave); }    /* each time: others may have registered since */
void tessera_keep_freed   (void) {}

/* ------------------------------------------------------------------ memory -- */

gsize
tessera_host_memory (void)
{
  MEMORYSTATUSEX status = { .dwLength = sizeof status };

  return GlobalMemoryStatusEx (&status) ? (gsize) status.ullTotalPhys : G_MAXSIZE;
}

/* Large pages need a right that nobody has by default. */
gboolean
tessera_pages_map (TesseraPages *pages, gsize bytes)
{
  pages->mapping = VirtualAlloc (NULL, bytes + LARGE_PAGE, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  pages->bytes = bytes;
  pages->memory = (guchar *) (((gsize) pages->mapping + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE);
  return pages->mapping != NULL;
}

void
tessera_pages_unmap (TesseraPages *pages)
{
  VirtualFree (pages->mapping, 0, MEM_RELEASE);
}

void
tessera_pages_touch (const TesseraPages *pages, gint part, gint n_parts)
{
  for (gsize at = part * LARGE_PAGE; at < pages->bytes; at += n_parts * LARGE_PAGE)
    for (gsize i = 0; i < LARGE_PAGE; i += 4096)
      ((volatile guchar *) pages->memory)[at + i] = 0;
}

void
tessera_pages_discard (TesseraPages *pages, gsize start, gsize end)
{
  start = (start + 4095) / 4096 * 4096;
  end = end / 4096 * 4096;
  if (start < end)
    VirtualAlloc (pages->memory + start, end - start, MEM_RESET, PAGE_READWRITE);
}

void
tessera_pages_be_small (TesseraPages *pages G_GNUC_UNUSED)
{
}

/* ------------------------------------------------------------------- files -- */

/* For errno. */
static void
note_why (void)
{
  switch (GetLastError ())
    {
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:    errno = EEXIST; break;
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:      errno = ENOENT; break;
    case ERROR_ACCESS_DENIED:     errno = EACCES; break;
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:    errno = EBUSY; break;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:  errno = ENOSPC; break;
    default:                      errno = EIO;
    }
}

/* INVALID_HANDLE_VALUE, and errno. */
static HANDLE
open_handle (const gchar *path, DWORD access, DWORD how, DWORD flags)
{
  g_autofree gunichar2 *wide = g_utf8_to_utf16 (path, -1, NULL, NULL, NULL);
  const HANDLE          handle = CreateFileW (wide, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, how, flags, NULL);

  if (handle == INVALID_HANDLE_VALUE)
    note_why ();
  return handle;
}

/* FALSE, and errno. */
static gboolean
about_file (const gchar *path, DWORD flags, BY_HANDLE_FILE_INFORMATION *about, gint64 *changed)
{
  const HANDLE    handle = open_handle (path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags);
  FILE_BASIC_INFO basic = { 0 };
  gboolean        is_there = handle != INVALID_HANDLE_VALUE && GetFileInformationByHandle (handle, about);

  if (is_there && changed)
    *changed = GetFileInformationByHandleEx (handle, FileBasicInfo, &basic, sizeof basic) ? basic.ChangeTime.QuadPart : 0;
  if (handle != INVALID_HANDLE_VALUE)
    CloseHandle (handle);
  return is_there;
}

/* Windows counts in 100 ns since 1601. */
static gint64
nanoseconds (gint64 ticks)
{
  return (ticks - G_GINT64_CONSTANT (116444736000000000)) * 100;
}

static gint64
two_words (DWORD high, DWORD low)
{
  return (gint64) high << 32 | low;
}

gboolean
tessera_file_state (const gchar *path, TesseraFileState *state)
{
  BY_HANDLE_FILE_INFORMATION about;
  gint64                     changed, written;

  *state = (TesseraFileState) { 0 };
  if (! about_file (path, 0, &about, &changed) || about.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE))
    return FALSE;
  written = two_words (about.ftLastWriteTime.dwHighDateTime, about.ftLastWriteTime.dwLowDateTime);
  *state = (TesseraFileState) { two_words (about.nFileSizeHigh, about.nFileSizeLow), nanoseconds (written), nanoseconds (MAX (changed, written)),
                                two_words (about.nFileIndexHigh, about.nFileIndexLow) };
  return TRUE;
}

/* Whoever may write into a user's folders is for Windows' own lists to say. */
gboolean
tessera_is_private (const gchar *path, gboolean is_folder)
{
  BY_HANDLE_FILE_INFORMATION about;

  return about_file (path, FILE_FLAG_OPEN_REPARSE_POINT, &about, NULL) && ! (about.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)
         && ! (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == ! is_folder;
}

void
tessera_touch (const gchar *path)
{
  g_utime (path, NULL);
}

/* To make a link takes an administrator's right. */
gboolean
tessera_is_foreign_link (const gchar *path G_GNUC_UNUSED)
{
  return FALSE;
}

/* The handle is the stream's. */
static FILE *
stream_of (HANDLE handle)
{
  const gint file = handle != INVALID_HANDLE_VALUE ? _open_osfhandle ((intptr_t) handle, _O_BINARY | _O_NOINHERIT) : -1;

  if (file < 0 && handle != INVALID_HANDLE_VALUE)
    CloseHandle (handle);
  return file >= 0 ? _fdopen (file, "wb") : NULL;
}

FILE *
tessera_file_new (gchar *pattern, const gchar *like G_GNUC_UNUSED)
{
  gchar *place = strstr (pattern, "XXXXXX");
  HANDLE handle = INVALID_HANDLE_VALUE;

  errno = EEXIST;
  for (gint i = 0; i < 100 && handle == INVALID_HANDLE_VALUE && errno == EEXIST; i++)
    {
      g_autofree gchar *name = g_strdup_printf ("%06x", g_random_int () & 0xffffff);

      memcpy (place, name, 6);
      handle = open_handle (pattern, GENERIC_READ | GENERIC_WRITE | DELETE, CREATE_NEW, FILE_ATTRIBUTE_NORMAL);
    }
  return stream_of (handle);
}

FILE *
tessera_file_there (const gchar *path)
{
  return stream_of (open_handle (path, GENERIC_WRITE, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL));
}

FILE *
tessera_file_part (const gchar *path, gboolean *is_new)
{
  const DWORD                access = GENERIC_READ | GENERIC_WRITE | DELETE;
  HANDLE                     handle = open_handle (path, access, CREATE_NEW, FILE_ATTRIBUTE_NORMAL);
  BY_HANDLE_FILE_INFORMATION about;

  *is_new = handle != INVALID_HANDLE_VALUE;
  if (*is_new || errno != EEXIST)
    return stream_of (handle);
  handle = open_handle (path, access, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT);
  if (handle == INVALID_HANDLE_VALUE || ! GetFileInformationByHandle (handle, &about) || ! (about.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT))
    {
      errno = errno == ENOENT ? EAGAIN : errno;
      return stream_of (handle);
    }
  CloseHandle (handle);
  errno = g_unlink (path) == 0 || errno == ENOENT ? EAGAIN : errno;
  return NULL;
}

static HANDLE
handle_of (FILE *file)
{
  return (HANDLE) _get_osfhandle (_fileno (file));
}

/* Of a byte far behind its end: a lock of Windows keeps others from reading what it covers. */
void
tessera_file_lock (FILE *file)
{
  OVERLAPPED place = { .OffsetHigh = 0x7fffffff };

  LockFileEx (handle_of (file), LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &place);
}

gboolean
tessera_file_empty (FILE *file)
{
  return _chsize_s (_fileno (file), 0) == 0;
}

gboolean
tessera_file_has_name (FILE *file, const gchar *name)
{
  BY_HANDLE_FILE_INFORMATION ours, there;

  return GetFileInformationByHandle (handle_of (file), &ours) && about_file (name, FILE_FLAG_OPEN_REPARSE_POINT, &there, NULL)
         && ours.dwVolumeSerialNumber == there.dwVolumeSerialNumber && ours.nFileIndexHigh == there.nFileIndexHigh && ours.nFileIndexLow == there.nFileIndexLow;
}

gboolean
tessera_file_is_ours (FILE *file)
{
  BY_HANDLE_FILE_INFORMATION about;

  return GetFileInformationByHandle (handle_of (file), &about) && about.nNumberOfLinks == 1
         && ! (about.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_READONLY));
}

gboolean
tessera_file_flush (FILE *file)
{
  return _commit (_fileno (file)) == 0;
}

/* ReplaceFile keeps the attributes and rights of what was there. */
gboolean
tessera_file_move (const gchar *from, const gchar *to)
{
  g_autofree gunichar2 *wide_from = g_utf8_to_utf16 (from, -1, NULL, NULL, NULL), *wide_to = g_utf8_to_utf16 (to, -1, NULL, NULL, NULL);

  if (ReplaceFileW (wide_to, wide_from, NULL, REPLACEFILE_IGNORE_MERGE_ERRORS, NULL, NULL)
      || MoveFileExW (wide_from, wide_to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
    return TRUE;
  note_why ();
  return FALSE;
}

#endif

/* ----------------------------------- large memory, and memory that goes with its variable -- */

#define HEADER 64               /* before the memory: how it was mapped */

gpointer
tessera_large_new (gsize bytes)
{
  TesseraPages pages;

  /* Less than a large page would have a whole one cleared: a night of small frames spends a sixth of its time so (2 cores, 2026-11-30). */
  if (bytes + HEADER < LARGE_PAGE || ! tessera_pages_map (&pages, (bytes + HEADER + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE))
    pages = (TesseraPages) { .memory = g_malloc (bytes + HEADER) };
  *(TesseraPages *) pages.memory = pages;
  return pages.memory + HEADER;
}

void
tessera_large_free (gpointer memory)
{
  TesseraPages pages;

  if (! memory)
    return;
  pages = *(const TesseraPages *) ((guchar *) memory - HEADER);
  if (pages.mapping)
    tessera_pages_unmap (&pages);
  else
    g_free (pages.memory);
}

void
tessera_autoscratch_free (gpointer pointer)
{
  if (*(gpointer *) pointer)
    gegl_scratch_free (*(gpointer *) pointer);
}
