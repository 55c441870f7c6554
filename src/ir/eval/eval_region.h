/* Memory of an evaluation. A region is a list of chunks that are released together. A
 * lazy array belongs to a region and refers only to that region or older ones. So the
 * interpreter can release the temporaries of a number as soon as the number is known. */
#ifndef IR_EVAL_EVAL_REGION_H
#define IR_EVAL_EVAL_REGION_H

#include <stddef.h>

enum { EVAL_ALIGN = 16 };

struct eval_chunk {
    struct eval_chunk *next;
    size_t used, size;
    _Alignas(EVAL_ALIGN) unsigned char data[];
};

struct eval_region {
    struct eval_region *prev,
        *next;                 /* in the list of open, or of spare (next), regions */
    struct eval_chunk *chunks; /* the chunk in use is the first */
};

struct eval_regions {
    struct eval_region *open, *spare;
    struct eval_chunk *chunks; /* spare chunks of the usual size */
};

struct eval_region *eval_region_open(struct eval_regions *regions);
void eval_region_close(struct eval_regions *regions, struct eval_region *region);
/* Memory of 'size' bytes, a multiple of EVAL_ALIGN, from a new chunk; large requests get
 * a separate chunk. */
void *eval_region_grow(struct eval_regions *regions, struct eval_region *region,
                       size_t size);

/* The memory is not zeroed, and aligned to EVAL_ALIGN. */
static inline void *eval_region_alloc(struct eval_regions *regions,
                                      struct eval_region *region, size_t size)
{
    struct eval_chunk *c = region->chunks;

    size = (size + EVAL_ALIGN - 1) & ~(size_t)(EVAL_ALIGN - 1);
    if (!c || c->size - c->used < size)
        return eval_region_grow(regions, region, size);
    c->used += size;
    return c->data + c->used - size;
}

/* Releases all memory, also of open regions. */
void eval_regions_fini(struct eval_regions *regions);

#endif
