/* A growing text; '{0}' is a valid empty text. The caller releases the text. */
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
/* Empties the text and keeps its memory. */
LIFT_API void lift_str_clear(struct lift_str *s);
/* Never NULL; valid until the text changes. */
LIFT_API const char *lift_str_get(const struct lift_str *s);
/* Empties 's' and returns its malloc'd text to the caller. Never NULL. */
LIFT_API char *lift_str_take(struct lift_str *s);

#ifdef __cplusplus
}
#endif

#endif
