/* A text that functions append to: '{0}' is a valid empty one. The caller releases it. */
#ifndef LIFT_TEXT_H
#define LIFT_TEXT_H

#include "lift/api.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lift_str {
    char *data; /* NULL or NUL-terminated */
    size_t len, cap;
};

LIFT_API void lift_str_fini(struct lift_str *s);
/* Makes it empty, and keeps its memory. */
LIFT_API void lift_str_clear(struct lift_str *s);
/* Never NULL; until the text is changed. */
LIFT_API const char *lift_str_get(const struct lift_str *s);
/* Hands the malloc'd text to the caller and empties 's'. Never NULL. */
LIFT_API char *lift_str_take(struct lift_str *s);

#ifdef __cplusplus
}
#endif

#endif
