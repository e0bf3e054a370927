/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What CFITSIO calls of libcurl to read http:// and https://, without a network: each fails.  No path that we hand to CFITSIO is an address. */
void *curl_easy_init (void);
int   curl_easy_setopt (void *handle, int option, ...);
int   curl_easy_perform (void *handle);
void  curl_easy_cleanup (void *handle);
int   curl_global_init (long flags);
void  curl_global_cleanup (void);

#define FAILED 2                /* CURLE_FAILED_INIT */

void *
curl_easy_init (void)
{
  return 0;
}

int
curl_easy_setopt (void *handle, int option, ...)
{
  (void) handle, (void) option;
  return FAILED;
}

int
curl_easy_perform (void *handle)
{
  (void) handle;
  return FAILED;
}

void
curl_easy_cleanup (void *handle)
{
  (void) handle;
}

int
curl_global_init (long flags)
{
  (void) flags;
  return FAILED;
}

void
curl_global_cleanup (void)
{
}
