/* Memory of the heap, which the caller frees. If no memory is left, the process aborts
 * with a message: no function here returns NULL. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>
#include <stdlib.h>

/* Allocates 'count' items of 'size' bytes, all zero. */
void *lift_alloc(size_t count, size_t size);
/* As realloc, for an array of 'count' items of 'size' bytes, or NULL. New items are not
 * set. */
void *lift_resize(void *memory, size_t count, size_t size);
char *lift_strdup(const char *text);
/* Copies at most 'len' bytes of a text. */
char *lift_strndup(const char *text, size_t len);

/* Sets the exit status of the process for exhausted memory, by which its parent
 * recognises the reason. */
void lift_memory_exits(int status);

/* Frees memory at the end of a block (base/scope.h): LIFT_FREED char *text = ... */
#define LIFT_FREED __attribute__((cleanup(lift_free_at)))
static inline void lift_free_at(void *pointer)
{
    free(*(void **)pointer);
}

/* Grows the array 'items' for one more element if all 'cap' elements are in use. 'cap'
 * may be 0. */
#define LIFT_ROOM(items, count, cap)                                                     \
    do {                                                                                 \
        if ((count) >= (cap)) {                                                          \
            (cap) = (cap) ? 2 * (cap) : 16;                                              \
            (items) = lift_resize((void *)(items), (size_t)(cap), sizeof *(items));      \
        }                                                                                \
    } while (0)

#endif
