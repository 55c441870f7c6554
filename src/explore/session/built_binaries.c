#include "explore/session/built_binaries.h"
#include "explore/final/finalist.h"

static void empty(struct built_binary *row, struct cache *cache)
{
    cache_release(cache, row->full);
    cache_release(cache, row->small);
    lift_str_fini(&row->texts);
    *row = (struct built_binary){.seconds = 0};
}

static struct built_binary *find(const struct built_binaries *p,
                                 const struct lift_choice *choice)
{
    for (int i = 0; i < p->count; i++)
        if (lift_choice_equal(&p->rows[i].choice, choice))
            return (struct built_binary *)&p->rows[i];
    return NULL;
}

/* That of the same choice, a free one, or the slowest, if that is slower. */
static struct built_binary *place_of(struct built_binaries *p, const struct attempt *a)
{
    struct built_binary *row = find(p, &a->choice);

    if (row)
        return row;
    if (p->count < MOST_FINALISTS)
        return &p->rows[p->count++];
    row = p->rows;
    for (int i = 1; i < p->count; i++)
        if (p->rows[i].seconds > row->seconds)
            row = &p->rows[i];
    return a->score < row->seconds ? row : NULL;
}

static struct binary *use(struct binary *b)
{
    if (b)
        b->users++;
    return b;
}

void built_binaries_put(struct built_binaries *p, struct cache *cache,
                        const struct attempt *a)
{
    struct built_binary *row = a->full ? place_of(p, a) : NULL;

    if (!row)
        return;
    empty(row, cache);
    *row = (struct built_binary){.choice = a->choice,
                                 .seconds = a->score,
                                 .build = a->build,
                                 .full = use(a->full),
                                 .small = use(a->small)};
    lift_str_addn(&row->texts, a->texts.data, a->texts.len);
}

bool built_binaries_has(const struct built_binaries *p, const struct lift_choice *choice)
{
    return find(p, choice) != NULL;
}

bool built_binaries_take(const struct built_binaries *p, struct finalist *one)
{
    const struct built_binary *row = find(p, &one->choice);

    if (!row)
        return false;
    one->build = row->build;
    one->build.full_size = row->full->bytes.len;
    one->build.small_size = row->small ? row->small->bytes.len : 0;
    lift_str_addn(&one->built, (const char *)&one->build, sizeof one->build);
    lift_str_addn(&one->built, row->texts.data, row->texts.len);
    lift_str_addn(&one->built, row->full->bytes.data, row->full->bytes.len);
    if (row->small)
        lift_str_addn(&one->built, row->small->bytes.data, row->small->bytes.len);
    one->end = one->build;
    one->alive = true;
    return true;
}

void built_binaries_fini(struct built_binaries *p, struct cache *cache)
{
    for (int i = 0; i < p->count; i++)
        empty(&p->rows[i], cache);
    p->count = 0;
}
