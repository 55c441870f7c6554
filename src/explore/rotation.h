/* Which buffer holds each array of a time loop. A launch reads its inputs and writes its
 * outputs; then outputs become inputs, and a buffer that no input needs any more takes an
 * output of the next launch. References, trials and plans use this text, and emitted
 * programs contain it. */
#ifndef EXPLORE_ROTATION_H
#define EXPLORE_ROTATION_H

enum { ROTATION_ARRAYS = 64, ROTATION_BUFFERS = 2 * ROTATION_ARRAYS };

/* Buffers have numbers, in the order of their first use. */
struct rotation_pool {
    int count;
    int kinds[ROTATION_BUFFERS]; /* of the arrays that a buffer can hold */
};

struct rotation_array {
    int kind; /* arrays of one kind can hold each other's place */
    /* Inputs: the array that is this one in the next launch; outputs: the input in whose
     * buffer they are stored, or -1. */
    int from;
    int buffer;
};

/* Inputs, then outputs. */
struct rotation {
    struct rotation_pool *pool;
    int inputs, count;
    struct rotation_array arrays[ROTATION_ARRAYS];
};

/* A buffer for arrays of a kind that none of the first 'known' arrays has. */
static inline int rotation_free(const struct rotation *r, int known, int kind)
{
    int b = 0;

    for (; b < r->pool->count; b++) {
        int used = r->pool->kinds[b] != kind;

        for (int i = 0; i < known; i++)
            used |= r->arrays[i].buffer == b;
        if (!used)
            return b;
    }
    r->pool->kinds[b] = kind;
    r->pool->count++;
    return b;
}

/* Before each launch. */
static inline void rotation_outputs(struct rotation *r)
{
    for (int i = r->inputs; i < r->count; i++)
        r->arrays[i].buffer = r->arrays[i].from >= 0
                                  ? r->arrays[r->arrays[i].from].buffer
                                  : rotation_free(r, i, r->arrays[i].kind);
}

/* After each launch. */
static inline void rotation_next(struct rotation *r)
{
    int next[ROTATION_ARRAYS];

    for (int i = 0; i < r->inputs; i++)
        next[i] = r->arrays[r->arrays[i].from].buffer;
    for (int i = 0; i < r->inputs; i++)
        r->arrays[i].buffer = next[i];
}

/* Two inputs of one value need separate buffers, since a kernel may overwrite one of
 * them. Returns an input that gets a new buffer, which the caller fills from the buffer
 * '*from'; -1: none. */
static inline int rotation_copy(struct rotation *r, int *from)
{
    for (int i = 0; i < r->inputs; i++)
        for (int j = 0; j < i; j++)
            if (r->arrays[i].buffer == r->arrays[j].buffer) {
                *from = r->arrays[i].buffer;
                r->arrays[i].buffer = rotation_free(r, r->count, r->arrays[i].kind);
                return i;
            }
    return -1;
}

#endif
