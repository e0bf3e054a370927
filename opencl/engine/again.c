/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A result that is on the device alone is lost with the device.  Then it is computed again, in C: by the same request, with the
 * settings as they were.
 */
#include "config.h"

#include "again.h"

#include <gegl-plugin.h>

#include "resident.h"

/* What it takes to compute a result again.  An input that is on the device too is not held for that, but what it takes to compute it. */
typedef struct _Again Again;

struct _Again
{
  gint            references;
  GeglOperation  *operation;
  GeglNode       *node;                 /* whose formats `run` may ask for */
  TesseraRequest  request;              /* as the class made it */
  TesseraRun      run;
  gpointer        properties;
  Again          *input, *aux;          /* in place of the request's, or NULL */
  const Babl     *format;               /* of the result */
};

static void
again_unref (gpointer data)
{
  Again *again = data;

  if (! again || ! g_atomic_int_dec_and_test (&again->references))
    return;
  g_object_unref (again->operation);
  g_object_unref (again->node);
  g_clear_object (&again->request.input);
  g_clear_object (&again->request.aux);
  g_free (again->properties);
  again_unref (again->input);
  again_unref (again->aux);
  g_free (again);
}

static void compute_again (gpointer data, GeglBuffer *output);

/* A reference. */
static GeglBuffer *
input_again (const Again *made, GeglBuffer *input)
{
  GeglBuffer *buffer;

  if (! made)
    return input ? g_object_ref (input) : NULL;
  buffer = gegl_buffer_new (&made->request.roi, made->format);
  compute_again ((gpointer) made, buffer);
  return buffer;
}

static void
compute_again (gpointer data, GeglBuffer *output)
{
  const Again   *again = data;
  TesseraRequest request = again->request;

  request.input = input_again (again->input, request.input);
  request.aux = input_again (again->aux, request.aux);
  request.output = output;
  request.is_in_c = TRUE;
  again->run (&request, again->properties);
  g_clear_object (&request.input);
  g_clear_object (&request.aux);
}

/* How an input is made, if it is on the device; else it is held. */
static Again *
again_of (GeglBuffer **input)
{
  Again *made = tessera_resident_data (*input);

  if (made)
    g_atomic_int_inc (&made->references);
  *input = made || ! *input ? NULL : g_object_ref (*input);
  return made;
}

void
tessera_resident_insure (GeglBuffer *resident, const TesseraRequest *request, TesseraRun run, gconstpointer properties, gsize size)
{
  GeglOperation *operation = request->errand.operation;
  Again         *again = g_new (Again, 1);

  *again = (Again) { .references = 1, .operation = g_object_ref (operation), .node = g_object_ref (operation->node), .request = *request,
                     .run = run, .properties = g_memdup2 (properties, size), .format = gegl_buffer_get_format (resident) };
  again->request.resident = NULL;
  again->request.output = NULL;
  again->input = again_of (&again->request.input);
  again->aux = again_of (&again->request.aux);
  tessera_resident_set_data (resident, compute_again, again, again_unref);
}
