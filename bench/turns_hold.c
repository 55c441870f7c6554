/* All kernels and the ceilings, turn by turn. */
#include "base/bug.h"
#include "bench.h"
#include "ceilings.h"
#include "hall.h"
#include "turns.h"
#include <stdlib.h>
#include <string.h>

struct round {
    struct hall *hall;
    struct ceilings *ceilings;
    struct turns_result *out;
};

static void put_sample(struct turns_entry *e, const struct timing_sample *s)
{
    e->trips[e->count] = s->trip;
    e->turns[e->count++] = (struct turn){.seconds = s->seconds, .at = bench_now()};
}

static struct turns_entry *add_entry(struct turns_result *out, const char *name,
                                     enum turns_kind kind)
{
    struct turns_entry *e = &out->entries[out->count++];

    LIFT_ASSERT(out->count <= TURNS_MOST);
    *e = (struct turns_entry){.kind = kind};
    snprintf(e->name, sizeof e->name, "%s", name);
    return e;
}

static void add_entries(struct round *r)
{
    for (int i = 0; i < r->hall->count; i++) {
        const struct contender *c = &r->hall->contenders[i];

        add_entry(r->out, c->name,
                  i == 0     ? TURNS_OURS
                  : c->plain ? TURNS_PLAIN
                             : TURNS_HAND);
    }
    for (int k = 0; k < TURNS_CEILINGS; k++)
        add_entry(r->out, ceilings_name(k), TURNS_CEILING)->bytes = ceilings_bytes(k);
}

static void take_ceiling(struct round *r, int which, struct turns_entry *e)
{
    struct timing_sample s;

    if (ceilings_sample(r->ceilings, which, &s))
        put_sample(e, &s);
}

static void take_round(struct round *r)
{
    struct hall *h = r->hall;
    struct timing_sample s;

    for (int i = 0; i < h->count; i++)
        if (h->contenders[i].good && hall_sample(h, &h->contenders[i], &s))
            put_sample(&r->out->entries[i], &s);
    for (int k = 0; k < TURNS_CEILINGS; k++)
        take_ceiling(r, k, &r->out->entries[h->count + k]);
}

void turns_hold(struct contest *contest, struct turns_result *out)
{
    struct hall *h = malloc(sizeof *h);
    struct round r = {h, NULL, out};

    LIFT_ASSERT(h);
    *out = (struct turns_result){.count = 0};
    if (hall_open(h, contest, &out->contest)) {
        r.ceilings = ceilings_open(h->device, h->clocks, &h->failure);
        if (!r.ceilings)
            hall_note(h, "ceilings", lift_str_get(&h->failure.text));
        hall_forget(h);
        add_entries(&r);
        for (int k = 0; k < contest->rounds && h->contenders[0].good; k++)
            take_round(&r);
        turns_find_states(out);
        ceilings_close(r.ceilings);
    }
    hall_close(h);
    free(h);
}
