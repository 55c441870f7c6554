#include "ir/eval/eval_region.h"
#include "base/memory.h"
#include <stdlib.h>

enum { CHUNK = 16384 };

struct eval_region *eval_region_open(struct eval_regions *regions)
{
    struct eval_region *region = regions->spare;

    if (region)
        regions->spare = region->next;
    else
        region = lift_resize(NULL, 1, sizeof *region);
    *region = (struct eval_region){.next = regions->open};
    if (region->next)
        region->next->prev = region;
    regions->open = region;
    return region;
}

static void release_chunks(struct eval_regions *regions, struct eval_region *region)
{
    for (struct eval_chunk *c = region->chunks, *next; c; c = next) {
        next = c->next;
        if (c->size == CHUNK) {
            c->next = regions->chunks;
            regions->chunks = c;
        } else {
            free(c);
        }
    }
}

void eval_region_close(struct eval_regions *regions, struct eval_region *region)
{
    release_chunks(regions, region);
    if (region->next)
        region->next->prev = region->prev;
    if (region->prev)
        region->prev->next = region->next;
    else
        regions->open = region->next;
    region->next = regions->spare;
    regions->spare = region;
}

static struct eval_chunk *chunk_take(struct eval_regions *regions, size_t size)
{
    struct eval_chunk *c = regions->chunks;

    if (size > CHUNK / 4) {
        c = lift_resize(NULL, 1, sizeof *c + size);
        c->size = size;
        return c;
    }
    if (c) {
        regions->chunks = c->next;
        return c;
    }
    c = lift_resize(NULL, 1, sizeof *c + CHUNK);
    c->size = CHUNK;
    return c;
}

void *eval_region_grow(struct eval_regions *regions, struct eval_region *region,
                       size_t size)
{
    struct eval_chunk *c = chunk_take(regions, size);

    c->used = size;
    /* Inserts a large chunk second, so that allocation continues in the first chunk. */
    if (c->size != CHUNK && region->chunks) {
        c->next = region->chunks->next;
        region->chunks->next = c;
    } else {
        c->next = region->chunks;
        region->chunks = c;
    }
    return c->data;
}

void eval_regions_fini(struct eval_regions *regions)
{
    while (regions->open)
        eval_region_close(regions, regions->open);
    for (struct eval_region *r = regions->spare, *next; r; r = next) {
        next = r->next;
        free(r);
    }
    for (struct eval_chunk *c = regions->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    *regions = (struct eval_regions){0};
}
