/* Reads and prints JSON texts by jansson in the locale "C". In other locales jansson
 * replaces the decimal point, and fails if the locale's decimal point has several
 * bytes. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/locale.h"
#include <jansson.h>

/* Returns NULL if the text is NULL or malformed; the caller releases the value. */
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

/* Returns a malloc'd text; NULL if the value cannot be printed. */
static inline char *lift_json_print(const json_t *json, size_t flags)
{
    LIFT_IN_C_LOCALE;

    return json_dumps(json, flags);
}

/* Returns false if the value cannot be written. */
static inline bool lift_json_write(const json_t *json, FILE *out, size_t flags)
{
    LIFT_IN_C_LOCALE;

    return json_dumpf(json, out, flags) == 0;
}

#endif
