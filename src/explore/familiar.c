/* Strategies that have a name are what experts know to be worth a try, but their spaces
 * are too large for a search to meet a good point of each by chance. So each is climbed
 * on the estimates, which cost nothing beside a try, and what promises most is tried
 * first. */
#include "explore/session.h"
#include "explore/story.h"
#include "lift/bug.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORDS = 2, /* of such a story: the strategy, and how data are laid out */
    SAMPLES = 12,
    ROUNDS = 4,
    MOVES = 24, /* of the neighbours, in each round */
    OPENED = 56,
    ALIKE = 2, /* of one strategy */
    LEAST_TRIES = 10 * OPENED
};

struct found {
    struct lift_choice choice;
    double guessed;
    char *strategy;
};

struct familiar {
    const struct lift_joint *joint;
    struct lift_rng rng;
    struct found *found;
    int count;
    struct lift_choice *near;
    size_t near_count, near_cap;
};

static void *memory(void *items, size_t count, size_t size)
{
    items = realloc(items, count * size);
    if (!items)
        LIFT_BUG("out of memory");
    return items;
}

static void try_guess(struct familiar *f, const struct lift_choice *choice,
                      struct found *best)
{
    double guessed = lift_joint_guessed(f->joint, choice);

    if (guessed < best->guessed) {
        best->choice = *choice;
        best->guessed = guessed;
    }
}

static void keep(void *user, const struct lift_choice *choice)
{
    struct familiar *f = user;

    if (f->near_count == f->near_cap) {
        f->near_cap = f->near_cap ? 2 * f->near_cap : 64;
        f->near = memory(f->near, f->near_cap, sizeof *f->near);
    }
    f->near[f->near_count++] = *choice;
}

/* Some neighbours of the best; false if none is better. */
static bool climb(struct familiar *f, struct found *best)
{
    double before = best->guessed;

    f->near_count = 0;
    lift_joint_neighbours(f->joint, &best->choice, LIFT_JOINT_VALUE, keep, f);
    for (int i = 0; i < MOVES && f->near_count > 0; i++) {
        size_t at = (size_t)lift_rng_below(&f->rng, f->near_count);

        try_guess(f, &f->near[at], best);
        f->near[at] = f->near[--f->near_count];
    }
    return best->guessed < before;
}

/* The point of an expression that promises most of those that are looked at. */
static void look(struct familiar *f, int expr, struct found *best)
{
    struct lift_choice choice;

    best->guessed = INFINITY;
    if (lift_joint_start(f->joint, expr, &choice))
        try_guess(f, &choice, best);
    for (int i = 0; i < SAMPLES; i++)
        if (lift_joint_sample_in(f->joint, expr, &f->rng, &choice))
            try_guess(f, &choice, best);
    for (int i = 0; i < ROUNDS && !isinf(best->guessed) && climb(f, best);)
        i++;
}

/* The first word of a short story; NULL: it is none. To be freed. */
static char *strategy_of(const struct lane *l, int arm)
{
    struct lift_str story = {0};
    const char *text;
    int words = 1;
    char *strategy = NULL;

    explore_story(l->derivation, l->leaves[arm], &story);
    text = lift_str_get(&story);
    for (const char *c = text; *c; c++)
        words += *c == ' ';
    if (*text && words <= WORDS && !strchr(text, '*'))
        strategy = strndup(text, strcspn(text, " "));
    lift_str_fini(&story);
    return strategy;
}

static int most_promising(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    return (x->guessed > y->guessed) - (x->guessed < y->guessed);
}

static int alike(const struct familiar *f, int at)
{
    int count = 0;

    for (int i = 0; i < at; i++)
        count += !strcmp(f->found[i].strategy, f->found[at].strategy);
    return count;
}

static void open_best(struct lane *l, struct familiar *f)
{
    int opened = 0;

    qsort(f->found, (size_t)f->count, sizeof *f->found, most_promising);
    for (int i = 0; i < f->count && opened < OPENED; i++)
        if (alike(f, i) < ALIKE) {
            explore_ask_open(l->ask, &f->found[i].choice);
            opened++;
        }
}

void lane_open_familiar(struct lane *l)
{
    const struct lift_explore_options *o = l->session->options;
    struct familiar f = {.joint = l->joint};

    if (l->device.info.is_cpu || o->technique || (o->tries > 0 && o->tries < LEAST_TRIES))
        return;
    lift_rng_seed(&f.rng, o->seed);
    f.found = memory(NULL, (size_t)l->arm_count + 1, sizeof *f.found);
    for (int i = 0; i < l->arm_count; i++) {
        struct found *found = &f.found[f.count];

        found->strategy = strategy_of(l, i);
        if (!found->strategy)
            continue;
        look(&f, i, found);
        if (isinf(found->guessed))
            free(found->strategy);
        else
            f.count++;
    }
    open_best(l, &f);
    for (int i = 0; i < f.count; i++)
        free(f.found[i].strategy);
    free(f.found);
    free(f.near);
}
