/* JSON texts, read and printed by jansson in the locale "C": it replaces the decimal
 * point by the caller's, and cannot where that has several bytes. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/locale.h"
#include <jansson.h>

/* NULL if the text is malformed, or NULL; the caller releases the value. */
static inline json_t *lift_json_readn(const char *text, size_t length, size_t flags)
{
    LIFT_IN_C_LOCALE;

    return json_loadb(text, length, flags, NULL);
}

static inline json_t *lift_json_read(const char *text, size_t flags)
{
    LIFT_IN_C_LOCALE;

    return json_loads(text, flags, NULL);
}

/* The text is malloc'd; NULL if the value cannot be printed. */
static inline char *lift_json_print(const json_t *json, size_t flags)
{
    LIFT_IN_C_LOCALE;

    return json_dumps(json, flags);
}

/* False if it cannot be written. */
static inline bool lift_json_write(const json_t *json, FILE *out, size_t flags)
{
    LIFT_IN_C_LOCALE;

    return json_dumpf(json, out, flags) == 0;
}

#endif
