/* The order in which expressions are opened. Kernel families are configurations that
 * experts recommend, but their spaces are too large for random sampling. So hill climbing
 * on the estimates finds a configuration of each. The best are then combined with one
 * other option of a decision each, and climbed again. */
#include "base/bug.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/seconds.h"
#include "explore/candidate/model_climb.h"
#include "explore/configurations.h"
#include "explore/estimate.h"
#include "explore/session/breadth.h"
#include "explore/session/session.h"
#include "ir/spine.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRIALS_OF_EACH = 10, /* with fewer, only the search chooses */
    PARENTS = 8          /* parents in each round of composition */
};

/* A candidate space with its configuration. */
struct found {
    int candidates;
    struct climbed_configuration best; /* without an estimate: no configuration found */
    int root;                          /* candidate space of the family behind it */
    int from; /* index of the candidate whose values are the start; -1: default values */
    bool composed; /* a composition, not a family */
    bool expanded; /* its neighbours were added */
};

struct composer {
    struct device_session *device_session;
    struct found *found;
    int count, cap;
    double until;    /* end of climbing, by lift_seconds */
    bool alone;      /* this process climbs, without helpers */
    int alike;       /* limit for one family and its compositions */
    int first_space; /* earlier candidate spaces do not take part */
    int first;       /* candidates below are climbed */
    int parent; /* index in 'found' of the candidate whose neighbours are being added */
    int shares;
};

static void add_found(struct composer *c, struct found found)
{
    LIFT_ROOM(c->found, c->count, c->cap);
    found.best.guessed = INFINITY;
    c->found[c->count++] = found;
}

/* ---- climbing, by several processes: one estimate takes a tenth of a millisecond */

enum { MOST_SHARES = 16 };

static void climb_one(const struct composer *c, int at, double until, double worth,
                      struct climbed_configuration *best)
{
    const struct found *f = &c->found[at];
    struct lift_rng rng;

    lift_rng_seed(&rng,
                  c->device_session->session->options->seed + (uint64_t)f->candidates);
    if (f->from < 0)
        model_climb_find(c->device_session->joint, f->candidates, until, worth, &rng,
                         best);
    else
        model_climb_carry(c->device_session->joint, &c->found[f->from].best.choice,
                          f->candidates, until, &rng, best);
}

static const struct lift_space *space_of(const struct composer *c, int at)
{
    return c->device_session->spaces[c->found[at].candidates].space;
}

/* An expression of a share: its estimates before and after climbing. */
struct climbing {
    int at; /* index of the candidate */
    double start;
    struct climbed_configuration best;
};

static double start_of(const struct composer *c, int at)
{
    const struct lift_joint *joint = c->device_session->joint;
    const struct found *f = &c->found[at];
    struct lift_choice choice;

    if (f->from >= 0)
        return c->found[f->from].best.guessed;
    return lift_seconds() < c->until && lift_joint_start(joint, f->candidates, &choice)
               ? lift_joint_guessed(joint, &choice)
               : INFINITY;
}

static int best_start(const void *a, const void *b)
{
    const struct climbing *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->at - y->at;
}

static int in_order(const void *a, const void *b)
{
    return ((const struct climbing *)a)->at - ((const struct climbing *)b)->at;
}

/* Climbs the most promising expressions first: time may not suffice for all. */
static void climb_each(const struct composer *c, struct climbing *all, int count)
{
    static const double fair = 3; /* most use less than their part */
    double worth = INFINITY;

    qsort(all, (size_t)count, sizeof *all, best_start);
    for (int i = 0; i < count; i++) {
        double now = lift_seconds(), left = c->until - now;

        if (left > 0)
            climb_one(c, all[i].at, now + fair * left / (count - i), worth, &all[i].best);
        worth = fmin(worth, all[i].best.guessed);
    }
    qsort(all, (size_t)count, sizeof *all, in_order);
}

/* Climbs the requested share. Replies with the best configuration of each expression, and
 * each space's number of configurations, which the search needs later; 0: unknown. */
static void climb_share(void *user, void **state, const void *request, size_t size,
                        struct lift_str *reply)
{
    const struct composer *c = user;
    LIFT_FREED struct climbing *all = lift_alloc((size_t)c->count + 1, sizeof *all);
    int share, count = 0;

    (void)state;
    LIFT_ASSERT(size == sizeof share);
    memcpy(&share, request, sizeof share);
    for (int i = c->first + share; i < c->count; i += c->shares)
        all[count++] = (struct climbing){i, start_of(c, i), {.guessed = INFINITY}};
    climb_each(c, all, count);
    for (int i = 0; i < count; i++)
        lift_str_addn(reply, (const char *)&all[i].best, sizeof all[i].best);
    for (int i = c->first + share; i < c->count; i += c->shares) {
        double points =
            lift_seconds() < c->until ? lift_space_estimate(space_of(c, i)) : 0;

        lift_str_addn(reply, (const char *)&points, sizeof points);
    }
}

static void take_sizes(struct composer *c, int share, const struct lift_str *reply,
                       size_t at)
{
    for (int i = c->first + share; i < c->count; i += c->shares) {
        double size;

        if (at + sizeof size > reply->len)
            return;
        memcpy(&size, reply->data + at, sizeof size);
        lift_space_set_estimate(space_of(c, i), size);
        at += sizeof size;
    }
}

static void take_share(struct composer *c, int share, const struct lift_str *reply)
{
    size_t at = 0;

    for (int i = c->first + share; i < c->count; i += c->shares) {
        if (at + sizeof(struct climbed_configuration) <= reply->len)
            memcpy(&c->found[i].best, reply->data + at, sizeof c->found[i].best);
        at += sizeof(struct climbed_configuration);
    }
    take_sizes(c, share, reply, at);
}

/* Climbs all new candidates. Each process ends after its share, also on failure. */
static void climb_all(struct composer *c)
{
    static const double most_seconds = 60;
    struct lift_worker *workers[MOST_SHARES];
    int cores = lift_cores();

    c->shares = c->alone ? 1 : cores < MOST_SHARES ? cores : MOST_SHARES;
    if (c->alone) {
        LIFT_SCOPED(lift_str) reply = {0};
        const int share = 0;

        climb_share(c, NULL, &share, sizeof share, &reply);
        take_share(c, 0, &reply);
        c->first = c->count;
        return;
    }
    for (int i = 0; i < c->shares; i++) {
        workers[i] = lift_worker_create(climb_share, c);
        lift_worker_begin(workers[i], &i, sizeof i, most_seconds);
    }
    for (int i = 0; i < c->shares; i++) {
        LIFT_SCOPED(lift_str) reply = {0};

        lift_worker_finish(workers[i], &reply);
        take_share(c, i, &reply);
        lift_worker_stop(workers[i]);
    }
    c->first = c->count;
}

/* ---- composing */

static int stages_of(const struct composer *c, int candidates)
{
    return lift_stages_stored(c->device_session->spaces[candidates].term);
}

/* True for kernels with equal numbers of intermediates, whose options differ at most in
 * decisions with which explorations begin with all options. */
static bool same_options(const struct composer *c, int a, int b)
{
    const struct lift_rules *rules = c->device_session->session->options->rules;
    const struct lift_configuration *p =
        &device_session_leaf(c->device_session, a)->configuration;
    const struct lift_configuration *q =
        &device_session_leaf(c->device_session, b)->configuration;

    for (int i = 0; i < lift_decision_count(rules); i++)
        if (!lift_decision_get(rules, i)->all && p->option[i] != q->option[i])
            return false;
    return c->device_session->depth_of[a] == c->device_session->depth_of[b] &&
           stages_of(c, a) == stages_of(c, b);
}

static bool is_expanded(const struct composer *c, int at)
{
    for (int i = 0; i < c->count; i++)
        if (c->found[i].expanded &&
            same_options(c, c->found[i].candidates, c->found[at].candidates))
            return true;
    return false;
}

/* The most promising candidate whose neighbours are missing; -1: none. */
static int next_parent(const struct composer *c)
{
    int best = -1;

    for (int i = 0; i < c->count; i++)
        if (!isinf(c->found[i].best.guessed) &&
            (best < 0 || c->found[i].best.guessed < c->found[best].best.guessed) &&
            !is_expanded(c, i))
            best = i;
    return best;
}

static void add_neighbour(void *user, const struct lift_configuration *point)
{
    struct composer *c = user;
    struct device_session *l = c->device_session;
    int root = c->found[c->parent].root;

    if (device_session_add_configuration(l, l->depth_of[c->found[c->parent].candidates],
                                         point))
        add_found(c, (struct found){.candidates = l->space_count - 1,
                                    .root = root,
                                    .from = c->parent,
                                    .composed = true});
}

/* Adds the neighbours of the most promising candidates. Returns false if none is new. */
static bool compose(struct composer *c)
{
    int before = c->count;

    for (int i = 0; i < PARENTS; i++) {
        struct device_session *l = c->device_session;
        struct lift_configuration point;
        int parent;

        c->parent = next_parent(c);
        if (c->parent < 0)
            break;
        c->found[c->parent].expanded = true;
        parent = c->found[c->parent].candidates;
        l->widening.done[parent] = true;
        point = device_session_leaf(l, parent)
                    ->configuration; /* a copy: adding leaves moves them */
        configurations_neighbours(device_session_depth(l, parent)->derivation, &point,
                                  add_neighbour, c);
    }
    return c->count > before;
}

/* The earlier candidate with equal options, except for decisions whose options are all
 * tried; -1: none. */
static int find_same(const struct composer *c, int candidates, int count)
{
    for (int i = 0; i < count; i++)
        if (same_options(c, c->found[i].candidates, candidates))
            return i;
    return -1;
}

/* Climbs one candidate of each family, without its other forms and layouts. */
static void climb_roots(struct composer *c)
{
    int spaces = c->device_session->space_count;

    for (int i = c->first_space; i < spaces; i++)
        if (find_same(c, i, c->count) < 0)
            add_found(c, (struct found){.candidates = i, .root = i, .from = -1});
    climb_all(c);
}

/* Climbs each family once; variants with other layouts start from that result. */
static void climb_families(struct composer *c)
{
    static const double part = 0.6; /* share of the time; the other forms get the rest */
    int spaces = c->device_session->space_count, first;
    double until = c->until, now = lift_seconds();

    c->until = now + part * (until - now);
    climb_roots(c);
    c->until = until;
    first = c->count;
    for (int i = c->first_space; i < spaces; i++) {
        int same = find_same(c, i, first);

        if (c->found[same].candidates != i)
            add_found(c, (struct found){
                             .candidates = i,
                             .root = i,
                             .from = isinf(c->found[same].best.guessed) ? -1 : same});
    }
    climb_all(c);
}

/* ---- opening */

static int most_promising(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    if (x->best.guessed != y->best.guessed)
        return (x->best.guessed > y->best.guessed) - (x->best.guessed < y->best.guessed);
    return x->candidates - y->candidates;
}

static bool is_alike(const struct composer *c, int a, int b)
{
    const struct found *x = &c->found[a], *y = &c->found[b];

    if (x->composed != y->composed)
        return false;
    return x->composed ? x->root == y->root
                       : same_options(c, x->candidates, y->candidates);
}

/* True if the limit of similar candidates is reached among the first 'opened'. */
static bool has_alike(const struct composer *c, int opened, int at)
{
    int count = 0;

    for (int i = 0; i < opened; i++)
        count += is_alike(c, i, at);
    return count >= c->alike;
}

/* The number of opened candidates with this number of stored intermediates. */
static int opened_with(const struct composer *c, int opened, int stages)
{
    int count = 0;

    for (int i = 0; i < opened; i++)
        count += stages_of(c, c->found[i].candidates) == stages;
    return count;
}

/* The next candidate to open; -1: none. Estimates compare kernels with inlined
 * intermediates poorly with kernels that load them, so the two kinds alternate. */
static int next_opened(const struct composer *c, int opened)
{
    double least = INFINITY;
    int best = -1, fewest = INT_MAX;

    for (int i = opened; i < c->count && !isinf(c->found[i].best.guessed); i++) {
        int alike = opened_with(c, opened, stages_of(c, c->found[i].candidates));
        double guessed = c->found[i].best.guessed;

        if ((alike < fewest || (alike == fewest && guessed < least)) &&
            !has_alike(c, opened, i)) {
            least = guessed;
            fewest = alike;
            best = i;
        }
    }
    return best;
}

/* Moves the candidates to open to the front; returns their number. */
static int choose_best(struct composer *c, int most)
{
    int count = 0, next;

    if (c->count)
        qsort(c->found, (size_t)c->count, sizeof *c->found, most_promising);
    while (count < most && (next = next_opened(c, count)) >= 0) {
        struct found moved = c->found[next], *to = &c->found[count++];

        memmove(to + 1, to, sizeof *to * (size_t)(next - count + 1));
        *to = moved;
    }
    return count;
}

int device_session_climb(struct device_session *l, const struct climbing_limits *limits,
                         struct promising *out)
{
    struct composer c = {.device_session = l,
                         .until = limits->until,
                         .alone = limits->alone,
                         .alike = limits->alike,
                         .first_space = limits->first_space};
    int count;

    climb_families(&c);
    for (int i = 0; i < limits->rounds && lift_seconds() < c.until && compose(&c); i++) {
        l->joint = device_session_joint(l);
        climb_all(&c);
    }
    count = choose_best(&c, limits->most);
    for (int i = 0; i < count; i++)
        out[i] = (struct promising){c.found[i].best.choice, c.found[i].best.guessed};
    free(c.found);
    return count;
}

/* Composition before the first trial must leave time for trials. */
static double end_of(const struct session *s)
{
    static const double share = 0.12, least = 2, most_share = 0.25;
    double budget = s->options->seconds;

    if (budget <= 0)
        return INFINITY;
    return lift_seconds() + fmax(fmin(least, most_share * budget), share * budget);
}

void device_session_compose(struct device_session *l)
{
    const struct lift_explore_options *o = l->session->options;
    const struct breadth *breadth = breadth_of(&l->device.info);
    const struct climbing_limits limits = {.until = end_of(l->session),
                                           .rounds = breadth->rounds,
                                           .most = breadth->opened,
                                           .alike = 2};

    if (o->technique || o->only_final || o->max_exprs > 0 || o->point_count > 0 ||
        (o->trials > 0 && o->trials < TRIALS_OF_EACH * breadth->opened))
        return;
    l->promising = lift_alloc((size_t)breadth->opened, sizeof *l->promising);
    l->promising_count = device_session_climb(l, &limits, l->promising);
}

/* Opens in the order of the candidate spaces, so that they equal the twin's. */
void device_session_compose_like(struct device_session *l,
                                 const struct device_session *twin)
{
    for (int i = l->space_count; i < twin->space_count; i++) {
        bool added = device_session_add_configuration(
            l, twin->depth_of[i], &device_session_leaf(twin, i)->configuration);

        LIFT_ASSERT(added);
    }
}

void device_session_open_promising(struct device_session *l)
{
    for (int i = 0; i < l->promising_count; i++)
        frontier_add(l->frontier,
                     &(struct frontier_item){l->promising[i].choice, FRONTIER_PROMISING});
}
