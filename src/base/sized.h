/* Options of the API as callers of several versions have them: each call passes the size
 * that the structure has in the caller's headers (docs/use-a-kernel.md). */
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include "lift/error.h"
#include <stdbool.h>
#include <stddef.h>

enum { LIFT_SIZED_VERSIONS = 4 };

struct lift_sized {
    const char *name;                  /* of the structure */
    size_t sizes[LIFT_SIZED_VERSIONS]; /* of all versions, this one's first; rest 0 */
};

/* Copies 'size' bytes of 'given' to 'out', which has this version's size, and zeros
 * behind them. NULL is copied as zeros. False and an ARGUMENT error if no version has
 * that size; a longer structure is of a later version, and legal if its further members
 * are 0. */
bool lift_sized_take(const struct lift_sized *kind, const void *given, size_t size,
                     void *out, struct lift_error *error);

#endif
