#include "explore/trial/binary_cache.h"
#include "base/bug.h"
#include "base/memory.h"
#include <stdlib.h>

enum { MOST_ITEMS = 256, MOST_BYTES = 16 * 1024 * 1024 };

static void remove_at(struct cache *c, int i)
{
    c->bytes -= c->items[i]->bytes.len;
    lift_str_fini(&c->items[i]->bytes);
    free(c->items[i]);
    c->items[i] = c->items[--c->count];
}

/* A binary in the making without users is abandoned: its compilation was ended. */
struct binary *cache_find(struct cache *c, struct lift_hash key)
{
    for (int i = 0; i < c->count; i++) {
        struct binary *b = c->items[i];

        if (!lift_hash_equal(b->key, key))
            continue;
        if (b->making && b->users == 0) {
            remove_at(c, i);
            return NULL;
        }
        b->users++;
        b->used = ++c->clock;
        return b;
    }
    return NULL;
}

/* Evicts the least recently used binary that no trial uses. */
static bool evict(struct cache *c)
{
    int oldest = -1;

    for (int i = 0; i < c->count; i++)
        if (c->items[i]->users == 0 &&
            (oldest < 0 || c->items[i]->used < c->items[oldest]->used))
            oldest = i;
    if (oldest >= 0)
        remove_at(c, oldest);
    return oldest >= 0;
}

struct binary *cache_add(struct cache *c, struct lift_hash key)
{
    struct binary *b = lift_alloc(1, sizeof *b);

    while ((c->count >= MOST_ITEMS || c->bytes > MOST_BYTES) && evict(c))
        ;
    LIFT_ROOM(c->items, c->count, c->cap);
    *b = (struct binary){.key = key,
                         .making = true,
                         .resources = LIFT_RESOURCES_UNKNOWN,
                         .users = 1,
                         .used = ++c->clock};
    c->items[c->count++] = b;
    return b;
}

void cache_made(struct cache *c, struct binary *b, const char *bytes, size_t size)
{
    LIFT_ASSERT(b->making);
    lift_str_addn(&b->bytes, bytes, size);
    c->bytes += size;
    b->making = false;
}

void cache_forget(struct cache *c, struct binary *b)
{
    for (int i = 0; i < c->count; i++)
        if (c->items[i] == b) {
            LIFT_ASSERT(b->making && b->users == 1);
            remove_at(c, i);
            return;
        }
    LIFT_BUG("a binary that is not in the cache");
}

void cache_release(struct binary *b)
{
    if (b)
        b->users--;
}

void cache_fini(struct cache *c)
{
    while (c->count)
        remove_at(c, c->count - 1);
    free(c->items);
    *c = (struct cache){0};
}

static struct binary *use(struct binary *b)
{
    if (b)
        b->users++;
    return b;
}

void built_copy(struct built *out, const struct built *from)
{
    *out = (struct built){
        .reply = from->reply, .full = use(from->full), .small = use(from->small)};
    lift_str_addn(&out->texts, from->texts.data, from->texts.len);
}

void built_release(struct built *b)
{
    cache_release(b->full);
    cache_release(b->small);
    lift_str_fini(&b->texts);
    *b = (struct built){.full = NULL};
}

void built_send(const struct built *b, struct trial_request *asked,
                struct lift_str *request)
{
    asked->job_size = b->reply.job_size;
    asked->full_size = b->full ? b->full->bytes.len : 0;
    asked->small_size = b->small ? b->small->bytes.len : 0;
    lift_str_addn(request, (const char *)asked, sizeof *asked);
    lift_str_addn(request, b->texts.data, asked->job_size);
    if (b->full)
        lift_str_addn(request, b->full->bytes.data, asked->full_size);
    if (b->small)
        lift_str_addn(request, b->small->bytes.data, asked->small_size);
}
