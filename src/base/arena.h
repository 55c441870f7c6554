/* Region allocation. All memory of one compilation or one search candidate lives in one
 * arena and is released with the arena. No pointer into an arena is freed separately.
 * Exhausted memory aborts. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/scope.h"
#include <stdarg.h>
#include <stddef.h>

struct lift_arena;

/* The caller owns the arena and releases the arena by lift_arena_destroy, which accepts
 * NULL. */
struct lift_arena *lift_arena_create(void);
void lift_arena_destroy(struct lift_arena *arena);
LIFT_OWNER(lift_arena, lift_arena_destroy)

/* Releases all allocations, but keeps memory for later ones: faster than a new arena. */
void lift_arena_clear(struct lift_arena *arena);

/* Allocates 'size' zeroed bytes, aligned to 16. */
void *lift_arena_alloc(struct lift_arena *arena, size_t size);
void *lift_arena_copy(struct lift_arena *arena, const void *data, size_t size);
/* Allocates 'to' bytes and copies 'from' bytes of 'data' to the beginning. 'data' may be
 * NULL. */
void *lift_arena_grown(struct lift_arena *arena, const void *data, size_t from,
                       size_t to);
char *lift_arena_strdup(struct lift_arena *arena, const char *text);
char *lift_arena_strndup(struct lift_arena *arena, const char *text, size_t len);
char *lift_arena_printf(struct lift_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The number of bytes allocated so far. */
size_t lift_arena_bytes(const struct lift_arena *arena);

#define LIFT_NEW(arena, type) ((type *)lift_arena_alloc((arena), sizeof(type)))
#define LIFT_NEW_ARRAY(arena, type, n)                                                   \
    ((type *)lift_arena_alloc((arena), sizeof(type) * (size_t)(n)))
/* Grows the array 'items' for one more element if all 'cap' elements are in use. 'cap'
 * may be 0. The old array stays in the arena. */
#define LIFT_ARENA_ROOM(arena, items, count, cap)                                        \
    do {                                                                                 \
        if ((count) >= (cap)) {                                                          \
            (cap) = (cap) ? 2 * (cap) : 4;                                               \
            (items) =                                                                    \
                lift_arena_grown((arena), (items), (size_t)(count) * sizeof *(items),    \
                                 (size_t)(cap) * sizeof *(items));                       \
        }                                                                                \
    } while (0)

#endif
