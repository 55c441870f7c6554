/* Distributes the planes of a grid over devices. */
#include "run/parts.h"
#include "base/bug.h"
#include "base/fail.h"
#include "base/locale.h"
#include "base/memory.h"
#include "run/devices/messages.h"
#include "run/devices/nccl.h"
#include "run/devices/overlap.h"
#include "run/ranks/team.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sum of shares is at most MOST_SHARES, so that products with a length fit an
 * int64_t.
 */
enum { MOST_SHARES = 1 << 20 };

/* ---- the list of devices */

int parts_count(const char *devices)
{
    int count = 1;

    for (const char *p = devices; *p; p++)
        count += *p == ',';
    return count;
}

/* "NAME" or "NAME=WEIGHT" */
static bool read_device(struct part *part, char *word, struct lift_error *error)
{
    char *equals = strchr(word, '='), *end = NULL;

    part->weight = 1;
    if (equals) {
        *equals = '\0';
        part->weight = lift_strtod(equals + 1, &end);
    }
    part->device = word;
    if (*word && (!equals || (end != equals + 1 && !*end && part->weight > 0 &&
                              isfinite(part->weight))))
        return true;
    return lift_fail(
        error, LIFT_ERROR_ARGUMENT,
        "--devices: '%s%s%s': expected NAME or NAME=WEIGHT, a number above 0", word,
        equals ? "=" : "", equals ? equals + 1 : "");
}

/* The first message of a process to the others. */
struct word {
    struct lift_hash what; /* must be equal in all processes */
    char device[256];
};
_Static_assert(sizeof(struct word) <= TEAM_WORD, "a meeting has room for it");

static struct word word_of(const struct parts *parts)
{
    const struct parts_options *o = &parts->options;
    const int64_t numbers[] = {parts->every, o->cut[0], o->cut[1], o->exchange,
                               o->overlap};
    struct word out = {
        .what = lift_hash_combine(lift_program_id(o->program.problem->program),
                                  lift_hash_text(o->program.problem->sizes_json))};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        out.what = lift_hash_add_int(out.what, numbers[i]);
    strncpy(out.device, o->devices, sizeof out.device - 1);
    return out;
}

/* All processes call this function, with the same program. Afterwards each process has
 * the list of all devices. */
static bool gather_devices(struct parts *parts, struct lift_error *error)
{
    struct word mine = word_of(parts), other;
    LIFT_SCOPED(lift_str) list = {0};

    parts->devices = parts->options.devices;
    if (!parts_are_shared(parts))
        return true;
    if (parts_count(parts->devices) > 1 || strlen(parts->devices) >= sizeof mine.device)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "devices is '%s': with several processes, each has one device",
                         parts->devices);
    if (!team_meet(parts->team, 0, &mine, sizeof mine, error))
        return false;
    for (int i = 0; i < parts->team->to.size; i++) {
        memcpy(&other, team_word(parts->team, i), sizeof other);
        lift_str_addf(&list, "%s%s", i ? "," : "", other.device);
        mine = i ? mine : other;
        if (!lift_hash_equal(other.what, mine.what))
            return lift_fail(error, LIFT_ERROR_ARGUMENT,
                             "process %d and process 0 differ in program, sizes, cut, "
                             "exchange_every, exchange or overlap",
                             i);
    }
    parts->devices = lift_arena_strdup(parts->arena, lift_str_get(&list));
    return true;
}

static bool read_devices(struct parts *parts, struct lift_error *error)
{
    const char *devices = parts->devices;
    char *word = lift_arena_strdup(parts->arena, devices);

    if (parts_count(devices) > PARTS_MOST)
        return lift_fail(error, LIFT_ERROR_ARGUMENT, "--devices: more than %d",
                         PARTS_MOST);
    parts->part = lift_alloc((size_t)parts_count(devices), sizeof *parts->part);
    for (char *next; word; word = next) {
        next = strchr(word, ',');
        if (next)
            *next++ = '\0';
        if (!read_device(&parts->part[parts->count++], word, error))
            return false;
    }
    return true;
}

/* ---- where parts are */

bool parts_are_along(const struct parts *parts, int dim)
{
    return parts->cut[dim].size != NULL;
}

bool parts_cuts(const struct parts *parts, int dim, const struct explore_shape *shape,
                bool input)
{
    return parts_are_along(parts, dim) && (!input || parts->cut[dim].cut[shape->owner]);
}

/* Numbers of parts increase along the second dimension first. */
int parts_index(const struct parts *parts, int part, int dim)
{
    return dim == 0 ? part / parts->along[1] : part % parts->along[1];
}

static int neighbour(const struct parts *parts, int i, int dim, int step)
{
    int at = parts_index(parts, i, dim) + step, n = parts->along[dim];
    int apart = dim == 0 ? parts->along[1] : 1;

    if (parts->cut[dim].ring)
        at = (at + n) % n;
    else if (at < 0 || at >= n)
        return -1;
    return i + (at - parts_index(parts, i, dim)) * apart;
}

/* The arrangement of parts: all along the planes unless the options say otherwise. */
static bool arrange(struct parts *parts, struct lift_error *error)
{
    const int *along = parts->options.cut;

    if (!along[0]) {
        parts->along[0] = parts->count;
        parts->along[1] = 1;
        return true;
    }
    for (int d = 0; d < PARTS_DIMS; d++)
        parts->along[d] = along[d];
    if (parts->along[0] == parts->count / parts->along[1] &&
        parts->count % parts->along[1] == 0)
        return true;
    return lift_fail(error, LIFT_ERROR_ARGUMENT,
                     "--cut %dx%d is for %lld devices, or ranks, and there are %d",
                     parts->along[0], parts->along[1],
                     (long long)parts->along[0] * parts->along[1], parts->count);
}

/* ---- shares */

/* Sums the weights of all parts at each position of a dimension, as integers. Scales the
 * sums if they are not integers or too large. */
static void find_shares(const struct parts *parts, int dim, int *shares)
{
    int count = parts->along[dim];
    const double most = floor((double)MOST_SHARES / count);
    double largest = 0, weights[PARTS_MOST] = {0};
    bool whole = true;

    for (int i = 0; i < parts->count; i++)
        weights[parts_index(parts, i, dim)] += parts->part[i].weight;
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, weights[i]);
        whole &= weights[i] == floor(weights[i]);
    }
    for (int i = 0; i < count; i++) {
        double w = weights[i];

        w = whole && largest <= most ? w : floor(w / largest * most + 0.5);
        shares[i] = w < 1 ? 1 : (int)w;
    }
}

static void place_part(struct parts *parts, struct part *p, int dim, const int64_t *begin)
{
    const int i = (int)(p - parts->part), at = parts_index(parts, i, dim);
    int *beside = p->beside + dim * PARTS_SIDES;
    struct part_along *out = &p->along[dim];

    beside[PARTS_BEFORE] = neighbour(parts, i, dim, -1);
    beside[PARTS_AFTER] = neighbour(parts, i, dim, 1);
    out->first = begin[at];
    out->own = begin[at + 1] - begin[at];
    out->begin = out->first;
    out->length = out->own;
    if (beside[PARTS_BEFORE] >= 0) {
        out->begin -= parts->every * parts->cut[dim].before;
        out->length += parts->every * parts->cut[dim].before;
    }
    if (beside[PARTS_AFTER] >= 0)
        out->length += parts->every * parts->cut[dim].after;
}

/* Rounds the begin of each part to the element nearest to its share. */
static void share_out(struct parts *parts, int dim, const int *shares)
{
    int64_t begin[PARTS_MOST + 1], all = 0, before = 0;

    for (int i = 0; i < parts->along[dim]; i++)
        all += shares[i];
    LIFT_ASSERT(all > 0);
    for (int i = 0; i <= parts->along[dim]; i++) {
        begin[i] = (2 * parts->length[dim] * before + all) / (2 * all);
        before += i < parts->along[dim] ? shares[i] : 0;
    }
    for (int i = 0; i < parts->count; i++)
        place_part(parts, &parts->part[i], dim, begin);
}

const char *parts_dim_name(int dim)
{
    return dim == 0 ? "planes" : "rows";
}

static bool has_room(const struct parts *parts, int dim, struct lift_error *error)
{
    int64_t before = parts->every * parts->cut[dim].before;
    int64_t after = parts->every * parts->cut[dim].after;
    int64_t most = before > after ? before : after;

    for (int i = 0; i < parts->count; i++) {
        const struct part *p = &parts->part[i];

        if (p->along[dim].own >= (most > 0 ? most : 1))
            continue;
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "part %d of %d, on '%s', has %lld of %lld %s ('%s'), and %lld "
                         "are exchanged: take fewer devices, or more %s%s",
                         i + 1, parts->count, p->device, (long long)p->along[dim].own,
                         (long long)parts->length[dim], parts_dim_name(dim),
                         parts->cut[dim].size, (long long)most, parts_dim_name(dim),
                         parts->every > 1 ? ", or exchange more often" : "");
    }
    return true;
}

/* ---- the program */

static bool has_size(struct parts *parts, int dim, struct lift_str *why)
{
    const struct explore_problem *p = parts->options.program.problem;

    for (int i = 0; i < p->sizes.count; i++)
        if (!strcmp(p->sizes.names[i], parts->cut[dim].size)) {
            parts->length[dim] = p->sizes.values[i];
            return true;
        }
    return LIFT_FAIL(why, "size '%s' has no value", parts->cut[dim].size);
}

static void find_widths(struct parts *parts, int dim, const struct lift_program *p)
{
    int64_t(*width)[LIFT_MAX_ARGS] = parts->width + dim * PARTS_SIDES;

    for (int i = 0; i < p->input_count; i++) {
        struct lift_fetched f = lift_cut_fetched(&parts->cut[dim], p, i, parts->every);

        width[PARTS_BEFORE][i] = f.before;
        width[PARTS_AFTER][i] = f.after;
    }
}

/* Cuts the program along one dimension; the program is already cut along later
 * dimensions.
 */
static bool cut_along(struct parts *parts, int dim, struct lift_error *error)
{
    LIFT_SCOPED(lift_str) reason = {0};
    int shares[PARTS_MOST];

    find_shares(parts, dim, shares);
    if (!lift_cut_find(parts->ir, parts->program, dim, 1, &parts->cut[dim], &reason) ||
        !has_size(parts, dim, &reason))
        return lift_fail(
            error, LIFT_ERROR_ARGUMENT, "program '%s' cannot be cut over devices%s: %s",
            parts->program->name, dim ? " along its rows" : "", lift_str_get(&reason));
    parts->program = parts->cut[dim].part;
    share_out(parts, dim, shares);
    find_widths(parts, dim, parts->program);
    return has_room(parts, dim, error);
}

bool parts_set_every(struct parts *parts, int64_t every)
{
    int shares[PARTS_MOST];
    bool good = true;

    parts->every = every;
    for (int d = 0; d < PARTS_DIMS; d++) {
        LIFT_SCOPED(lift_error) thin = {0};

        if (!parts_are_along(parts, d))
            continue;
        find_shares(parts, d, shares);
        share_out(parts, d, shares);
        find_widths(parts, d, parts->cut[d].part);
        good &= has_room(parts, d, &thin);
    }
    return good;
}

/* Cuts no dimension that has a single part. */
static bool cut(struct parts *parts, struct lift_error *error)
{
    const struct parts_program *whole = &parts->options.program;
    bool good = true;

    for (int i = 0; i < parts->count; i++) {
        parts->part[i].all = parts;
        for (int end = 0; end < PARTS_ENDS; end++)
            parts->part[i].beside[end] = -1;
    }
    if (parts->count == 1)
        return true;
    if (lift_expr_mentions(whole->problem->root, LIFT_INJECT))
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "--devices: '%s' adds values at points off the grid ('inject'), "
                         "which one device does",
                         whole->problem->name);
    parts->program = lift_program_load_general(&parts->ir, whole->source, NULL, error);
    good = parts->program != NULL;
    for (int d = PARTS_DIMS - 1; good && d >= 0; d--)
        good = parts->along[d] == 1 || cut_along(parts, d, error);
    return good;
}

struct parts *parts_create(const struct parts_options *options, struct lift_error *error)
{
    struct parts *parts = lift_alloc(1, sizeof *parts);
    pthread_condattr_t clock;

    parts->options = *options;
    parts->team = options->team;
    parts->arena = lift_arena_create();
    parts->ir = lift_ir_create();
    parts->every = options->every ? options->every : 1;
    parts->patience = options->patience > 0 ? options->patience : PARTS_PATIENCE;
    parts->at_once = parts->base = plan_launch_steps(options->program.problem);
    parts->deep = parts->base;
    pthread_mutex_init(&parts->mutex, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&parts->met, &clock);
    pthread_condattr_destroy(&clock);
    if (gather_devices(parts, error) && read_devices(parts, error) &&
        arrange(parts, error) && cut(parts, error)) {
        parts->own = parts->part + parts->team->to.rank;
        parts->own_count = parts_are_shared(parts) ? 1 : parts->count;
        if (parts->count == 1 || parts_choose_exchange(parts, error))
            return parts;
    }
    parts_destroy(parts);
    return NULL;
}

bool parts_are_shared(const struct parts *parts)
{
    return parts->team->to.size > 1;
}

void parts_destroy(struct parts *parts)
{
    if (!parts)
        return;
    messages_end(parts);
    overlap_drop(parts);
    for (int i = 0; i < parts->count; i++) {
        struct part *p = &parts->part[i];

        lift_plan_destroy(p->plan);
        lift_error_fini(&p->error);
    }
    free(parts->part);
    pthread_cond_destroy(&parts->met);
    pthread_mutex_destroy(&parts->mutex);
    lift_str_fini(&parts->words);
    lift_str_fini(&parts->sequential);
    lift_str_fini(&parts->detour);
    lift_str_fini(&parts->shallow);
    lift_ir_destroy(parts->ir);
    lift_arena_destroy(parts->arena);
    free(parts);
}

/* ---- memory layouts */

static bool is_near(const struct part *p, int end, int at_once)
{
    struct lift_plan *mine = plan_at(p->plan, at_once);
    struct lift_plan *there = plan_at(p->all->part[p->beside[end]].plan, at_once);
    int dim = end / PARTS_SIDES;

    for (int k = 0; k < mine->input_count; k++) {
        const struct plan_array *a = &mine->in[k], *b = &there->in[k];
        const struct planes to = planes_some(planes_all(mine, a, NULL), dim, 0, 1);
        const struct planes from = planes_some(planes_all(there, b, NULL), dim, 0, 1);

        if (p->all->width[end][a->shape.owner] && !planes_are_near(&to, &from))
            return false;
    }
    return true;
}

/* Planes are near only if all exchanged planes have equal memory layouts. */
bool parts_are_near(const struct parts *parts, int at_once)
{
    for (int i = 0; i < parts->count; i++)
        for (int end = 0; end < PARTS_ENDS; end++)
            if (parts->part[i].beside[end] >= 0 &&
                !is_near(&parts->part[i], end, at_once))
                return false;
    return true;
}
