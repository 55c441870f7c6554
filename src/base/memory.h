/* Memory of the heap, which the caller frees. Where there is none left the process aborts
 * with a message: nothing here returns NULL. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>
#include <stdlib.h>

/* So many items of so many bytes, all zero. */
void *lift_alloc(size_t count, size_t size);
/* realloc of an array of 'count' items of 'size' bytes, or NULL; new items are not set.
 */
void *lift_resize(void *memory, size_t count, size_t size);
char *lift_strdup(const char *text);
/* At most 'len' bytes of a text. */
char *lift_strndup(const char *text, size_t len);

/* From now on it exits with this status instead: one that its parent knows. */
void lift_memory_exits(int status);

/* Memory that is freed where its block ends (base/scope.h): LIFT_FREED char *text = ...
 */
#define LIFT_FREED __attribute__((cleanup(lift_free_at)))
static inline void lift_free_at(void *pointer)
{
    free(*(void **)pointer);
}

/* Makes room for one more where all 'cap' of 'items' are taken; 'cap' may be 0. */
#define LIFT_ROOM(items, count, cap)                                                     \
    do {                                                                                 \
        if ((count) >= (cap)) {                                                          \
            (cap) = (cap) ? 2 * (cap) : 16;                                              \
            (items) = lift_resize((void *)(items), (size_t)(cap), sizeof *(items));      \
        }                                                                                \
    } while (0)

#endif
