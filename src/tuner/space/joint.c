#include "tuner/joint.h"
#include "base/bug.h"
#include "base/hash.h"
#include "tuner/space/joint_core.h"
#include <math.h>
#include <string.h>

/* A step away from a carried value costs more than a step away from a default. */
static const double carried_weight = 1, default_weight = 0.125;

/* Construction. */

static void copy_expr(struct lift_arena *arena, const struct lift_joint_parts *parts,
                      int at, struct joint_expr *out)
{
    const struct lift_joint_expr *in = &parts->exprs[at];

    *out = (struct joint_expr){.space = in->space,
                               .near_count = in->near_count,
                               .key = in->key,
                               .group = in->group};
    out->params = lift_space_param_count(in->space);
    if (in->near_count)
        out->near =
            lift_arena_copy(arena, in->near, (size_t)in->near_count * sizeof *in->near);
    if (in->features && parts->feature_count)
        out->features = lift_arena_copy(
            arena, in->features, (size_t)parts->feature_count * sizeof *in->features);
    for (int i = 0; i < in->near_count; i++)
        LIFT_ASSERT(in->near[i] >= 0 && in->near[i] < parts->count && in->near[i] != at);
}

static void count(const struct lift_joint *j, struct joint_sizes *all)
{
    *all = (struct joint_sizes){.known = true, .counted = true};
    for (int i = 0; i < j->count; i++) {
        struct joint_expr *e = &j->exprs[i];

        e->size = lift_space_estimate(e->space);
        e->before = all->valid;
        e->first = all->points;
        all->valid += e->size;
        all->counted =
            all->counted && lift_space_counted(e->space) && all->valid < 0x1p62;
        if (all->counted)
            all->points += (int64_t)e->size;
    }
}

static const struct joint_sizes *sizes_of(const struct lift_joint *j)
{
    if (!j->sizes->known)
        count(j, j->sizes);
    return j->sizes;
}

struct lift_joint *lift_joint_create(struct lift_arena *arena,
                                     const struct lift_joint_parts *parts)
{
    struct lift_joint *j = LIFT_NEW(arena, struct lift_joint);

    j->count = parts->count;
    j->guess = parts->guess;
    j->guess_user = parts->guess_user;
    j->share = parts->share;
    j->shares = parts->shares;
    j->exprs = LIFT_NEW_ARRAY(arena, struct joint_expr, parts->count);
    for (int i = 0; i < parts->count; i++)
        copy_expr(arena, parts, i, &j->exprs[i]);
    joint_make_columns(j, arena, parts);
    j->sizes = LIFT_NEW(arena, struct joint_sizes);
    j->sizes->known = false;
    return j;
}

bool lift_joint_guesses(const struct lift_joint *joint)
{
    return joint->guess != NULL;
}

double lift_joint_guessed(const struct lift_joint *joint,
                          const struct lift_choice *choice)
{
    return joint->guess ? joint->guess(joint->guess_user, choice) : INFINITY;
}

int lift_joint_exprs(const struct lift_joint *joint)
{
    return joint->count;
}

static const struct joint_expr *expr_of(const struct lift_joint *joint, int expr)
{
    LIFT_ASSERT(expr >= 0 && expr < joint->count);
    return &joint->exprs[expr];
}

const struct lift_space *lift_joint_space(const struct lift_joint *joint, int expr)
{
    return expr_of(joint, expr)->space;
}

int lift_joint_group(const struct lift_joint *joint, int expr)
{
    return expr_of(joint, expr)->group;
}

const int *lift_joint_near(const struct lift_joint *joint, int expr, int *near_count)
{
    *near_count = expr_of(joint, expr)->near_count;
    return expr_of(joint, expr)->near;
}

double lift_joint_valid_size(const struct lift_joint *joint, bool *exact)
{
    const struct joint_sizes *all = sizes_of(joint);

    if (exact)
        *exact = all->counted;
    return all->valid;
}

/* Numbers. */

/* The last expression whose 'first' is at most the index. */
static int expr_at(const struct lift_joint *j, int64_t index)
{
    int lo = 0, hi = j->count;

    while (hi - lo > 1) {
        int mid = lo + (hi - lo) / 2;

        if (j->exprs[mid].first <= index)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

bool lift_joint_at(const struct lift_joint *joint, int64_t index,
                   struct lift_choice *choice)
{
    const struct joint_sizes *all = sizes_of(joint);

    if (!all->counted || index < 0 || index >= all->points)
        return false;
    *choice = (struct lift_choice){.expr = expr_at(joint, index)};
    return lift_space_at(joint->exprs[choice->expr].space,
                         index - joint->exprs[choice->expr].first, choice->values);
}

int64_t lift_joint_index(const struct lift_joint *joint, const struct lift_choice *choice)
{
    const struct joint_expr *e = expr_of(joint, choice->expr);
    bool counted = sizes_of(joint)->counted;
    int64_t rank = counted ? lift_space_index(e->space, choice->values) : -1;

    return rank < 0 ? -1 : e->first + rank;
}

bool lift_joint_next(const struct lift_joint *joint, struct lift_choice *choice,
                     bool first)
{
    if (first)
        *choice = (struct lift_choice){.expr = 0};
    else if (lift_space_next(expr_of(joint, choice->expr)->space, choice->values, false))
        return true;
    else
        *choice = (struct lift_choice){.expr = choice->expr + 1};
    for (; choice->expr < joint->count; choice->expr++)
        if (lift_space_next(joint->exprs[choice->expr].space, choice->values, true))
            return true;
    return false;
}

bool lift_joint_valid(const struct lift_joint *joint, const struct lift_choice *choice)
{
    return lift_space_valid(expr_of(joint, choice->expr)->space, choice->values);
}

/* The index of the value whose logarithm is closest to that of 'value'. */
static int closest(const struct lift_param *p, int64_t value)
{
    int best = 0;
    double least = INFINITY;

    for (int i = 0; i < p->count; i++) {
        double off = fabs(p->values[i] > 0 && value > 0
                              ? log2((double)p->values[i] / (double)value)
                              : (double)p->values[i] - (double)value);

        if (off < least) {
            least = off;
            best = i;
        }
    }
    return best;
}

/* Random numbers. */

static void settle(const struct joint_expr *e, struct lift_choice *choice)
{
    for (int i = 0; i < e->params; i++) {
        const struct lift_param *p = lift_space_param(e->space, i);

        if (p->settled)
            choice->values[i] = closest(p, p->start);
    }
}

bool lift_joint_sample_in(const struct lift_joint *joint, int expr, struct lift_rng *rng,
                          struct lift_choice *choice)
{
    const struct joint_expr *e = expr_of(joint, expr);

    *choice = (struct lift_choice){.expr = expr};
    if (!lift_space_sample(e->space, rng, choice->values))
        return false;
    settle(e, choice);
    return true;
}

bool lift_joint_draw_in(const struct lift_joint *joint, int expr, struct lift_rng *rng,
                        struct lift_choice *choice)
{
    const struct joint_expr *e = expr_of(joint, expr);

    *choice = (struct lift_choice){.expr = expr};
    if (!lift_space_draw(e->space, rng, choice->values))
        return false;
    settle(e, choice);
    return true;
}

/* Draws an expression with probability in proportion to its number of points. */
static int draw_expr(const struct lift_joint *j, struct lift_rng *rng)
{
    double where = lift_rng_unit(rng) * sizes_of(j)->valid;
    int lo = 0, hi = j->count;

    while (hi - lo > 1) {
        int mid = lo + (hi - lo) / 2;

        if (j->exprs[mid].before <= where)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

bool lift_joint_sample(const struct lift_joint *joint, struct lift_rng *rng,
                       struct lift_choice *choice)
{
    const struct joint_sizes *all = sizes_of(joint);

    if (all->counted) {
        if (all->points == 0)
            return false;
        lift_joint_at(joint, (int64_t)lift_rng_below(rng, (uint64_t)all->points), choice);
        settle(expr_of(joint, choice->expr), choice);
        return true;
    }
    return all->valid > 0 &&
           lift_joint_sample_in(joint, draw_expr(joint, rng), rng, choice);
}

/* Carrying over. */

static struct lift_space_wish wish_for(const struct lift_param *p, joint_lookup *lookup,
                                       void *user)
{
    int64_t value;

    if (lookup && lookup(user, p, &value))
        return (struct lift_space_wish){closest(p, value), carried_weight};
    if (p->tacit)
        return (struct lift_space_wish){closest(p, 0), carried_weight};
    return (struct lift_space_wish){p->start ? closest(p, p->start) : p->count / 2,
                                    default_weight};
}

bool joint_carry(const struct lift_joint *joint, joint_lookup *lookup, void *user,
                 int expr, struct lift_choice *to)
{
    const struct joint_expr *e = expr_of(joint, expr);
    struct lift_space_wish wishes[LIFT_SPACE_PARAMS];

    for (int i = 0; i < e->params; i++)
        wishes[i] = wish_for(lift_space_param(e->space, i), lookup, user);
    *to = (struct lift_choice){.expr = expr};
    return lift_space_nearest(e->space, wishes, to->values);
}

struct source {
    const struct lift_space *space;
    struct lift_choice choice; /* a copy, since the result may overwrite the original */
};

static bool value_at(void *user, const struct lift_param *param, int64_t *value)
{
    const struct source *s = user;
    bool found;

    *value = lift_space_value(s->space, s->choice.values, param->name, &found);
    return found;
}

bool lift_joint_carry(const struct lift_joint *joint, const struct lift_choice *from,
                      int expr, struct lift_choice *to)
{
    struct source source = {expr_of(joint, from->expr)->space, *from};

    return joint_carry(joint, value_at, &source, expr, to);
}

bool lift_joint_start(const struct lift_joint *joint, int expr, struct lift_choice *to)
{
    return joint_carry(joint, NULL, NULL, expr, to);
}

/* Neighbours. */

struct visitor {
    struct lift_choice choice;
    lift_joint_visit *visit;
    void *user;
};

static void visit_point(void *user, const int *point)
{
    struct visitor *v = user;

    memcpy(v->choice.values, point, sizeof v->choice.values);
    v->visit(v->user, &v->choice);
}

void lift_joint_neighbours(const struct lift_joint *joint,
                           const struct lift_choice *choice, unsigned moves,
                           lift_joint_visit *visit, void *user)
{
    const struct joint_expr *e = expr_of(joint, choice->expr);
    struct visitor v = {*choice, visit, user};

    if (moves & (LIFT_JOINT_STEP | LIFT_JOINT_VALUE))
        lift_space_neighbours(e->space, choice->values, moves & LIFT_JOINT_VALUE,
                              visit_point, &v);
    for (int i = 0; moves & LIFT_JOINT_EXPR && i < e->near_count; i++)
        if (lift_joint_carry(joint, choice, e->near[i], &v.choice))
            visit(user, &v.choice);
}

/* Choices. */

/* A hash decides, so that neighbours of a point belong to all shares. */
bool lift_joint_is_ours(const struct lift_joint *joint, const struct lift_choice *choice)
{
    uint64_t key = expr_of(joint, choice->expr)->key;

    return joint->shares <= 1 ||
           lift_hash_bytes(choice->values, sizeof choice->values, key).lo %
                   (uint64_t)joint->shares ==
               (uint64_t)joint->share;
}

bool lift_choice_equal(const struct lift_choice *a, const struct lift_choice *b)
{
    return !memcmp(a, b, sizeof *a);
}

uint64_t lift_choice_hash(const struct lift_choice *choice)
{
    return lift_hash_bytes(choice, sizeof *choice, 0).lo;
}
