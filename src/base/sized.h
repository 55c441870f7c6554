/* Options of the API of several versions. Each call passes the size of the structure in
 * the caller's headers (docs/use-a-kernel.md). */
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include "lift/error.h"
#include <stdbool.h>
#include <stddef.h>

enum { LIFT_SIZED_VERSIONS = 4 };

struct lift_sized {
    const char *name;                  /* of the structure */
    size_t sizes[LIFT_SIZED_VERSIONS]; /* sizes in all versions, the current version
                                          first; the rest is 0 */
};

/* Copies 'size' bytes of 'given' to 'out', which has the current size, and fills the
 * rest with zeros. NULL is copied as zeros. Returns false and an ARGUMENT error if no
 * version has this size. A longer structure is of a later version, and legal if its
 * further members are 0. */
bool lift_sized_take(const struct lift_sized *kind, const void *given, size_t size,
                     void *out, struct lift_error *error);

#endif
