#include "base/arena.h"
#include "base/bug.h"
#include "base/locale.h"
#include "base/memory.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20, ALIGN = 16 };

struct block {
    struct block *next;
    size_t used, size;
    _Alignas(ALIGN) unsigned char data[];
};

struct lift_arena {
    struct block *blocks; /* the block in use is the first */
    size_t total;
};

struct lift_arena *lift_arena_create(void)
{
    struct lift_arena *arena = lift_alloc(1, sizeof *arena);

    return arena;
}

void lift_arena_destroy(struct lift_arena *arena)
{
    if (!arena)
        return;
    for (struct block *b = arena->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(arena);
}

void lift_arena_clear(struct lift_arena *arena)
{
    struct block *kept = arena->blocks; /* the largest, except for single large objects */

    if (!kept)
        return;
    for (struct block *b = kept->next, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    memset(kept->data, 0, kept->used);
    kept->used = 0;
    kept->next = NULL;
    arena->total = 0;
}

static struct block *block_add(struct lift_arena *arena, size_t size)
{
    size_t want = arena->blocks ? arena->blocks->size * 2 : FIRST_BLOCK;
    struct block *b;

    if (want > LARGEST_BLOCK)
        want = LARGEST_BLOCK;
    if (want < size)
        want = size;
    b = lift_alloc(1, sizeof *b + want);
    b->size = want;
    b->next = arena->blocks;
    arena->blocks = b;
    return b;
}

void *lift_arena_alloc(struct lift_arena *arena, size_t size)
{
    struct block *b = arena->blocks;
    void *p;

    if (size > SIZE_MAX - 2 * ALIGN - sizeof *b)
        LIFT_BUG("allocation of %zu bytes", size);
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (!b || b->size - b->used < size)
        b = block_add(arena, size);
    p = b->data + b->used;
    b->used += size;
    arena->total += size;
    return p;
}

void *lift_arena_copy(struct lift_arena *arena, const void *data, size_t size)
{
    void *p = lift_arena_alloc(arena, size);

    if (size)
        memcpy(p, data, size);
    return p;
}

char *lift_arena_strndup(struct lift_arena *arena, const char *text, size_t len)
{
    char *copy = lift_arena_alloc(arena, len + 1);

    memcpy(copy, text, len);
    return copy;
}

void *lift_arena_grown(struct lift_arena *arena, const void *data, size_t from, size_t to)
{
    void *more = lift_arena_alloc(arena, to);

    if (from)
        memcpy(more, data, from);
    return more;
}

char *lift_arena_strdup(struct lift_arena *arena, const char *text)
{
    return lift_arena_strndup(arena, text, strlen(text));
}

char *lift_arena_printf(struct lift_arena *arena, const char *format, ...)
{
    va_list args, again;
    int len;
    char *text;

    va_start(args, format);
    va_copy(again, args);
    len = lift_vsnprintf(NULL, 0, format, args);
    va_end(args);
    LIFT_ASSERT(len >= 0);
    text = lift_arena_alloc(arena, (size_t)len + 1);
    lift_vsnprintf(text, (size_t)len + 1, format, again);
    va_end(again);
    return text;
}

size_t lift_arena_bytes(const struct lift_arena *arena)
{
    return arena->total;
}
