/* Strategies that have a name are what experts know to be worth a try, but their spaces
 * are too large for a search to meet a good point of each by chance. So each is climbed
 * on the estimates, and what promises most is tried first. */
#include "explore/promise.h"
#include "explore/session.h"
#include "explore/story.h"
#include "lift/bug.h"
#include "lift/parallel.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORDS = 2, /* of such a story: the strategy, and how data are laid out */
    OPENED = 56,
    OPENED_CPU = 14,   /* a try takes seconds there */
    ALIKE = 2,         /* of one strategy */
    TRIES_OF_EACH = 10 /* fewer are allowed: all are left to the search */
};

struct found {
    int arm;
    struct promise best; /* without a guess: there is no point */
    char *strategy;
};

struct familiar {
    struct lane *lane;
    struct found *found;
    int count, shares;
};

/* Behind the name of a rule that gives the program another form, if the story begins with
 * one. */
static const char *behind_form(const struct lane *l, const char *story)
{
    size_t len = strcspn(story, " ");
    char *word = strndup(story, len);
    const struct lift_rule *rule = lift_rules_find(l->session->options->rules, word);

    free(word);
    return rule && rule->phase == LIFT_PHASE_TERM && story[len] ? story + len + 1 : story;
}

/* The beginning of a short story: the form of the program, if it has another, and the
 * strategy. NULL: the story is none. To be freed. */
static char *strategy_of(const struct lane *l, int arm)
{
    struct lift_str story = {0};
    const char *text, *own;
    int words = 1;
    char *strategy = NULL;

    explore_story(l->derivation, l->leaves[arm], &story);
    text = lift_str_get(&story);
    own = behind_form(l, text);
    for (const char *c = own; *c; c++)
        words += *c == ' ';
    if (*text && words <= WORDS && !strchr(text, '*'))
        strategy = strndup(text, (size_t)(own - text) + strcspn(own, " "));
    lift_str_fini(&story);
    return strategy;
}

static int most_promising(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    return (x->best.guessed > y->best.guessed) - (x->best.guessed < y->best.guessed);
}

static int alike(const struct familiar *f, int at)
{
    int count = 0;

    for (int i = 0; i < at; i++)
        count += !strcmp(f->found[i].strategy, f->found[at].strategy);
    return count;
}

static int most_opened(const struct lift_device_info *info)
{
    return info->is_cpu ? OPENED_CPU : OPENED;
}

static void open_best(struct lane *l, struct familiar *f)
{
    int opened = 0, most = most_opened(&l->device.info);

    qsort(f->found, (size_t)f->count, sizeof *f->found, most_promising);
    for (int i = 0; i < f->count && opened < most; i++)
        if (!isinf(f->found[i].best.guessed) && alike(f, i) < ALIKE) {
            explore_ask_open(l->ask, EXPLORE_PROMISING, &f->found[i].best.choice);
            opened++;
        }
}

/* ---- climbing, by several processes: one point takes a tenth of a millisecond */

enum { MOST_SHARES = 16 };

/* Of the share that is asked for: what the best of each of its expressions is. */
static void climb_share(void *user, void **state, const void *request, size_t size,
                        struct lift_str *reply)
{
    const struct familiar *f = user;
    struct lift_rng rng;
    int share;

    (void)state;
    LIFT_ASSERT(size == sizeof share);
    memcpy(&share, request, sizeof share);
    for (int i = share; i < f->count; i += f->shares) {
        struct promise best;

        lift_rng_seed(&rng, f->lane->session->options->seed + (uint64_t)i);
        promise_find(f->lane->joint, f->found[i].arm, &rng, &best);
        lift_str_addn(reply, (const char *)&best, sizeof best);
    }
}

static void take_share(struct familiar *f, int share, const struct lift_str *reply)
{
    size_t at = 0;

    for (int i = share; i < f->count; i += f->shares) {
        if (at + sizeof(struct promise) <= reply->len)
            memcpy(&f->found[i].best, reply->data + at, sizeof f->found[i].best);
        at += sizeof(struct promise);
    }
}

/* Each process ends with its share, whatever becomes of it. */
static void climb_all(struct familiar *f)
{
    static const double most_seconds = 60;
    struct lift_worker *workers[MOST_SHARES];
    int cores = lift_cores();

    f->shares = cores < MOST_SHARES ? cores : MOST_SHARES;
    for (int i = 0; i < f->shares; i++) {
        workers[i] = lift_worker_create(climb_share, f);
        lift_worker_begin(workers[i], &i, sizeof i, most_seconds);
    }
    for (int i = 0; i < f->shares; i++) {
        struct lift_str reply = {0};
        struct lift_worker_result result;

        while (!lift_worker_step(workers[i], &reply, &result)) {
            struct pollfd fd;
            int ms = lift_worker_wait(workers[i], &fd);

            poll(&fd, 1, ms);
        }
        take_share(f, i, &reply);
        lift_worker_stop(workers[i]);
        lift_str_fini(&reply);
    }
}

void lane_open_familiar(struct lane *l)
{
    const struct lift_explore_options *o = l->session->options;
    struct familiar f = {.lane = l};
    int most = most_opened(&l->device.info);

    if (o->technique || (o->tries > 0 && o->tries < TRIES_OF_EACH * most))
        return;
    f.found = calloc((size_t)l->arm_count + 1, sizeof *f.found);
    LIFT_ASSERT(f.found);
    for (int i = 0; i < l->arm_count; i++) {
        char *strategy = strategy_of(l, i);

        if (strategy)
            f.found[f.count++] =
                (struct found){.arm = i, .best.guessed = INFINITY, .strategy = strategy};
    }
    climb_all(&f);
    open_best(l, &f);
    for (int i = 0; i < f.count; i++)
        free(f.found[i].strategy);
    free(f.found);
}
