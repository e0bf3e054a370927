/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * JSON by json-glib.  A `name` is that of a member; NULL: an element of an array. */
#ifndef TESSERA_JSON_H
#define TESSERA_JSON_H

#include <json-glib/json-glib.h>

/* Ended by json_builder_end_object and json_builder_end_array. */
void put_object (JsonBuilder *json, const gchar *name);
void put_array  (JsonBuilder *json, const gchar *name);

/* `text` NULL: null. */
void put_text   (JsonBuilder *json, const gchar *name, const gchar *text);
void put_flag   (JsonBuilder *json, const gchar *name, gboolean flag);
void put_int    (JsonBuilder *json, const gchar *name, gint64 number);

/* Rounded as `format` says; null where it is no finite number. */
void put_number (JsonBuilder *json, const gchar *name, const gchar *format, gdouble number);

/* What was put, whole, without a line's end: a line for each row of a table, and each object. */
gchar *json_rows (JsonBuilder *json);

/* Ends the object that was begun first, and prints all on one line. */
void json_print_line (JsonBuilder *json);

#endif
