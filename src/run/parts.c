/* How the planes of a grid are shared out. */
#include "run/parts.h"
#include "lift/memory.h"
#include "run/devices/messages.h"
#include "run/devices/nccl.h"
#include "run/devices/overlap.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 8 }; /* parts */

const double parts_patience = 600;

/* ---- the list of devices */

int parts_count(const char *devices)
{
    int count = 1;

    for (const char *p = devices; *p; p++)
        count += *p == ',';
    return count;
}

/* "NAME" or "NAME=WEIGHT" */
static bool read_device(struct part *part, char *word, struct lift_str *why)
{
    char *equals = strchr(word, '='), *end = NULL;

    part->weight = 1;
    if (equals) {
        *equals = '\0';
        part->weight = strtod(equals + 1, &end);
    }
    part->device = word;
    if (*word && (!equals || (end != equals + 1 && !*end && part->weight > 0 &&
                              isfinite(part->weight))))
        return true;
    lift_str_addf(why,
                  "--devices: '%s%s%s': expected NAME or NAME=WEIGHT, a number above 0",
                  word, equals ? "=" : "", equals ? equals + 1 : "");
    return false;
}

static bool read_devices(struct parts *parts, const char *devices, struct lift_str *why)
{
    char *word = lift_arena_strdup(parts->arena, devices);

    if (parts_count(devices) > PARTS_MOST) {
        lift_str_addf(why, "--devices: more than %d", PARTS_MOST);
        return false;
    }
    parts->part = lift_alloc((size_t)parts_count(devices), sizeof *parts->part);
    for (char *next; word; word = next) {
        next = strchr(word, ',');
        if (next)
            *next++ = '\0';
        if (!read_device(&parts->part[parts->count++], word, why))
            return false;
    }
    return true;
}

/* ---- planes */

static bool has_size(const struct parts *parts, const struct explore_problem *p,
                     int64_t *planes, struct lift_str *why)
{
    for (int i = 0; i < p->sizes.count; i++)
        if (!strcmp(p->sizes.names[i], parts->cut.size)) {
            *planes = p->sizes.values[i];
            return true;
        }
    lift_str_addf(why, "size '%s' has no value", parts->cut.size);
    return false;
}

static int neighbour(const struct parts *parts, int i, int step)
{
    int at = i + step;

    if (parts->cut.ring)
        return (at + parts->count) % parts->count;
    return at >= 0 && at < parts->count ? at : -1;
}

/* Weights as whole numbers: as they are, or scaled where they are none or too large. */
static void find_shares(const struct parts *parts, int *shares)
{
    const double most = floor((double)LIFT_MAX_SHARES / parts->count);
    double largest = 0;
    bool whole = true;

    for (int i = 0; i < parts->count; i++) {
        largest = fmax(largest, parts->part[i].weight);
        whole &= parts->part[i].weight == floor(parts->part[i].weight);
    }
    for (int i = 0; i < parts->count; i++) {
        double w = parts->part[i].weight;

        w = whole && largest <= most ? w : floor(w / largest * most + 0.5);
        shares[i] = w < 1 ? 1 : (int)w;
    }
}

static void share_out(struct parts *parts, const int *shares)
{
    int64_t ghosts[] = {parts->every * parts->cut.before,
                        parts->every * parts->cut.after};
    int64_t of[PARTS_MOST], begin[PARTS_MOST + 1];

    for (int i = 0; i < parts->count; i++)
        of[i] = shares[i];
    lift_share_out(of, parts->count, parts->planes, begin);
    for (int i = 0; i < parts->count; i++) {
        struct part *p = &parts->part[i];

        p->all = parts;
        p->first = begin[i];
        p->planes = begin[i + 1] - begin[i];
        p->beside[PARTS_BEFORE] = neighbour(parts, i, -1);
        p->beside[PARTS_AFTER] = neighbour(parts, i, 1);
        p->begin = p->first - (p->beside[PARTS_BEFORE] >= 0 ? ghosts[0] : 0);
        p->length = p->first + p->planes - p->begin +
                    (p->beside[PARTS_AFTER] >= 0 ? ghosts[1] : 0);
    }
}

static bool has_room(const struct parts *parts, struct lift_str *why)
{
    int64_t before = parts->every * parts->cut.before;
    int64_t after = parts->every * parts->cut.after;
    int64_t most = before > after ? before : after;

    for (int i = 0; i < parts->count; i++) {
        const struct part *p = &parts->part[i];

        if (p->planes >= (most > 0 ? most : 1))
            continue;
        lift_str_addf(why,
                      "part %d of %d, on '%s', has %lld of %lld planes ('%s'), and %lld "
                      "are exchanged: take fewer devices, or more planes%s",
                      i + 1, parts->count, p->device, (long long)p->planes,
                      (long long)parts->planes, parts->cut.size, (long long)most,
                      parts->every > 1 ? ", or exchange more often" : "");
        return false;
    }
    return true;
}

static void find_widths(struct parts *parts, const struct lift_program *p)
{
    for (int i = 0; i < p->input_count; i++) {
        struct lift_fetched f = lift_cut_fetched(&parts->cut, p, i, parts->every);

        parts->width[PARTS_BEFORE][i] = f.before;
        parts->width[PARTS_AFTER][i] = f.after;
    }
}

static bool cut(struct parts *parts, const struct lift_source *source,
                const struct explore_problem *problem, struct lift_str *why)
{
    struct lift_diags diags = {0};
    struct lift_str reason = {0};
    const struct lift_program *p =
        lift_program_load_general(&parts->ir, source, NULL, &diags);
    struct lift_shared shared = {0};
    int shares[PARTS_MOST];
    bool good = p != NULL;

    for (size_t i = 0; i < diags.count; i++)
        lift_diag_format(&diags.items[i], why);
    lift_diags_fini(&diags);
    if (!good)
        return false;
    find_shares(parts, shares);
    shared.shares = lift_shares(parts->ir, shares, parts->count);
    good = lift_cut_find(parts->ir, p, &shared, 1, &parts->cut, &reason) &&
           has_size(parts, problem, &parts->planes, &reason);
    if (!good)
        lift_str_addf(why, "program '%s' cannot be cut over devices: %s", p->name,
                      lift_str_get(&reason));
    lift_str_fini(&reason);
    if (!good)
        return false;
    share_out(parts, shares);
    find_widths(parts, p);
    return has_room(parts, why);
}

struct parts *parts_create(const struct lift_source *source, const char *devices,
                           const struct explore_problem *problem, int64_t every,
                           struct lift_str *why)
{
    struct parts *parts = lift_alloc(1, sizeof *parts);
    pthread_condattr_t clock;

    parts->arena = lift_arena_create();
    parts->ir = lift_ir_create();
    parts->every = every;
    parts->at_once = 1;
    parts->patience = parts_patience;
    pthread_mutex_init(&parts->mutex, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&parts->met, &clock);
    pthread_condattr_destroy(&clock);
    if (read_devices(parts, devices, why) && cut(parts, source, problem, why)) {
        parts->own = parts->part;
        parts->own_count = parts->count;
        parts->held_count = parts->planes;
        return parts;
    }
    parts_destroy(parts);
    return NULL;
}

void parts_destroy(struct parts *parts)
{
    if (!parts)
        return;
    messages_end(parts);
    overlap_drop(parts);
    for (int i = 0; i < parts->count; i++) {
        struct part *p = &parts->part[i];

        if (p->plan)
            planes_end(p->plan, &p->between);
        lift_plan_destroy(p->plan);
        for (int side = 0; side < PARTS_SIDES; side++)
            for (int k = 0; k < EXPLORE_MAX_LEAVES; k++)
                free(p->edge[side][k]);
    }
    free(parts->part);
    pthread_cond_destroy(&parts->met);
    pthread_mutex_destroy(&parts->mutex);
    lift_str_fini(&parts->words);
    lift_str_fini(&parts->sequential);
    lift_str_fini(&parts->detour);
    lift_ir_destroy(parts->ir);
    lift_arena_destroy(parts->arena);
    free(parts);
}

void parts_join(struct parts *parts, const struct parts_link *link)
{
    parts->link = link;
    parts->own = &parts->part[link->rank];
    parts->own_count = 1;
}

/* ---- words */

/* All that are exchanged have to lie alike. */
bool parts_are_near(const struct parts *parts)
{
    for (int i = 0; i < parts->count; i++)
        for (int side = 0; side < PARTS_SIDES; side++) {
            int other = parts->part[i].beside[side];
            const struct lift_plan *p = parts->part[i].plan;

            for (int k = 0; other >= 0 && k < p->input_count; k++) {
                const struct lift_plan *q = parts->part[other].plan;
                const struct planes to = {parts->part[i].plan, &p->in[k], NULL, 0, 1};
                const struct planes from = {parts->part[other].plan, &q->in[k], NULL, 0,
                                            1};

                if (parts->width[side][p->in[k].shape.owner] &&
                    !planes_are_near(&to, &from))
                    return false;
            }
        }
    return true;
}

static void add_way(struct lift_str *out, const struct parts *parts)
{
    switch (parts->way) {
    case PARTS_HOST:
        lift_str_add(out, ", through the host");
        return;
    case PARTS_PEER:
        lift_str_add(out, ", from device to device");
        return;
    case PARTS_MESSAGE:
        lift_str_addf(out, ", by %s%s", parts->link->name,
                      parts->direct ? ", from device to device" : "");
        return;
    case PARTS_NCCL:
        lift_str_addf(out, ", by %s", nccl_name(parts->nccl));
    }
}

void parts_describe(struct parts *parts)
{
    int64_t before = parts->every * parts->cut.before;
    int64_t after = parts->every * parts->cut.after;

    for (int i = 0; i < parts->count && i < MOST_SHOWN; i++)
        lift_str_addf(&parts->words, "%s%lld", i ? " + " : "",
                      (long long)parts->part[i].planes);
    if (parts->count > MOST_SHOWN)
        lift_str_addf(&parts->words, " + ... (%d parts)", parts->count);
    lift_str_addf(&parts->words, " planes (%s), %lld and %lld ghost planes, exchanged ",
                  parts->cut.size, (long long)before, (long long)after);
    if (parts->every == 1)
        lift_str_add(&parts->words, "after each launch");
    else
        lift_str_addf(&parts->words, "after %lld launches", (long long)parts->every);
    add_way(&parts->words, parts);
    if (parts->detour.len)
        lift_str_addf(&parts->words, " (not %s)", lift_str_get(&parts->detour));
    if (parts->overlaps)
        lift_str_add(&parts->words, ", beside the computation");
    else if (parts->sequential.len)
        lift_str_addf(&parts->words, ", not beside the computation: %s",
                      lift_str_get(&parts->sequential));
}
