#include "tuner/search_seen.h"
#include "lift/bug.h"
#include "lift/hash.h"
#include <stdlib.h>
#include <string.h>

/* Draws in vain before the space is scanned: by then most of it was seen. */
enum { DRAWS = 64 };

void search_seen_init(struct search_seen *seen, const struct lift_space *space)
{
    *seen = (struct search_seen){.space = space, .width = lift_space_param_count(space)};
}

void search_seen_fini(struct search_seen *seen)
{
    free(seen->points);
    free(seen->slots);
    *seen = (struct search_seen){0};
}

static size_t bytes(const struct search_seen *seen)
{
    return (size_t)seen->width * sizeof(int);
}

static const int *at(const struct search_seen *seen, size_t number)
{
    return seen->points + number * (size_t)seen->width;
}

static size_t *slot(const struct search_seen *seen, const int *point)
{
    size_t i = (size_t)lift_hash_bytes(point, bytes(seen), 0).lo & (seen->slot_cap - 1);

    while (seen->slots[i] && seen->width &&
           memcmp(at(seen, seen->slots[i] - 1), point, bytes(seen)) != 0)
        i = (i + 1) & (seen->slot_cap - 1);
    return &seen->slots[i];
}

bool search_seen_has(const struct search_seen *seen, const int *point)
{
    return seen->slot_cap && *slot(seen, point);
}

static void *grow(void *memory, size_t size)
{
    void *grown = realloc(memory, size);

    if (!grown)
        LIFT_BUG("out of memory");
    return grown;
}

static void rehash(struct search_seen *seen)
{
    seen->slot_cap = seen->slot_cap ? 2 * seen->slot_cap : 64;
    seen->slots = grow(seen->slots, seen->slot_cap * sizeof *seen->slots);
    memset(seen->slots, 0, seen->slot_cap * sizeof *seen->slots);
    for (size_t i = 0; i < seen->count; i++)
        *slot(seen, at(seen, i)) = i + 1;
}

void search_seen_add(struct search_seen *seen, const int *point)
{
    if (search_seen_has(seen, point))
        return;
    if (seen->count == seen->cap) {
        seen->cap = seen->cap ? 2 * seen->cap : 32;
        seen->points = grow(seen->points, seen->cap * bytes(seen) + 1);
    }
    if (seen->width)
        memcpy(seen->points + seen->count * (size_t)seen->width, point, bytes(seen));
    seen->count++;
    if (2 * seen->count >= seen->slot_cap)
        rehash(seen);
    else
        *slot(seen, point) = seen->count;
}

/* From a random point on, and round the end of the space. */
static bool scan(const struct search_seen *seen, struct lift_rng *rng, int *point)
{
    if (!lift_space_sample(seen->space, rng, point))
        return false;
    do
        if (!search_seen_has(seen, point))
            return true;
    while (lift_space_next(seen->space, point, false));
    for (bool more = lift_space_next(seen->space, point, true); more;
         more = lift_space_next(seen->space, point, false))
        if (!search_seen_has(seen, point))
            return true;
    return false;
}

bool search_seen_sample(const struct search_seen *seen, struct lift_rng *rng, int *point)
{
    for (int i = 0; i < DRAWS; i++) {
        if (!lift_space_sample(seen->space, rng, point))
            return false;
        if (!search_seen_has(seen, point))
            return true;
    }
    return scan(seen, rng, point);
}
