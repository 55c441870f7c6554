#include "explore/lower.h"
#include "explore/sites.h"
#include "lift/bug.h"
#include <stdlib.h>
#include <string.h>

/* How the levels are handed out to the loops of a term. */
enum policy {
    POLICY_SEQUENTIAL,
    POLICY_HOST,   /* threads for the outermost loop */
    POLICY_GLOBAL, /* work-items for some of the loops, the tiles' own loops are
                      sequential */
    POLICY_GROUPS, /* work-groups for loops over tiles, their work-items inside */
};

enum inner { INNER_SEQ, INNER_SIMD };
enum sharing { SHARE_STATIC, SHARE_DYNAMIC, SHARE_TASKS, SHARE_CHUNKS };

struct variant {
    enum policy policy;
    enum inner inner; /* HOST: the innermost loops */
    int collapse;     /* HOST: loops that the threads share; 0: one */
    enum sharing sharing;
    int first, count; /* GLOBAL: which of the loops; GROUPS: count of local dimensions */
    bool unroll;      /* short reductions and loops of constant length */
};

enum {
    UNROLL_REDUCE = 64, /* longest reduction, and longest loop, in straight-line code */
    UNROLL_LOOP = 8,
    FEW = 8, /* iterations: not worth sharing */
    MAX_DIMS = 3,
    MAX_VARIANTS = 32,
    MAX_CHOICES = 8, /* of a rule at one place */
};

/* A level: an operation and its attributes (dimension; or collapse and schedule). */
struct level {
    enum lift_op op;
    int attr, schedule;
};

static const struct level sequential = {LIFT_MAP_SEQ, 0, 0};

static bool constant_length(lift_nat n, int64_t most)
{
    int64_t value;

    return lift_nat_is_const(n, &value) && value <= most;
}

static struct level sequential_or_unrolled(const struct site *s, const struct variant *v)
{
    if (v->unroll && constant_length(s->map->type->len, UNROLL_LOOP))
        return (struct level){LIFT_MAP_UNROLL, 0, 0};
    return sequential;
}

/* What fills temporary global memory is a kernel of its own, like a result. */
static bool is_staged(const struct site *s)
{
    return s->storage == LIFT_TO_LOCAL || s->storage == LIFT_TO_PRIVATE;
}

/* The loop to share among threads: the outermost that is long enough, or the innermost.
 */
static bool is_shared(const struct sites *all, const struct site *s)
{
    for (int at = s->parent; at >= 0; at = all->items[at].parent)
        if (!constant_length(all->items[at].map->type->len, FEW))
            return false;
    return s->below == 0 || !constant_length(s->map->type->len, FEW);
}

/* A border of a few rows or planes: lines are copied by one thread, planes by all, which
 * share the two outer loops; threads that start and wait for each row would cost more. */
static struct level border_level(const struct site *s, const struct variant *v)
{
    int depth = s->above + 1 + s->below;

    if (s->above == 0 && depth > 2)
        return (struct level){LIFT_MAP_PAR, 2, 0};
    return s->below == 0 && v->inner == INNER_SIMD ? (struct level){LIFT_MAP_SIMD, 0, 0}
                                                   : sequential;
}

static bool is_border(const struct sites *all, const struct site *s)
{
    while (s->parent >= 0)
        s = &all->items[s->parent];
    return s->copies && s->below > 0 && constant_length(s->map->type->len, FEW);
}

static struct level shared_level(const struct site *s, const struct variant *v)
{
    if (v->sharing == SHARE_TASKS || v->sharing == SHARE_CHUNKS)
        return (struct level){LIFT_MAP_TASK, 0, v->sharing == SHARE_CHUNKS};
    return (struct level){LIFT_MAP_PAR, s->below + 1 >= v->collapse ? v->collapse : 0,
                          v->sharing == SHARE_DYNAMIC};
}

/* A loop over the points of a plane, in a stream of planes: no loop of a tile's points or
 * of the grid's stands around the stream. */
static bool is_in_plane(const struct sites *all, const struct site *s)
{
    int at = s->parent;

    while (at >= 0 && all->items[at].streams_above == s->streams_above)
        at = all->items[at].parent;
    return s->streams_above > 0 && (at < 0 || all->items[at].cls == SITE_OUTER);
}

static struct level host_level(const struct sites *all, const struct site *s,
                               const struct variant *v)
{
    bool stored = is_staged(s);
    bool alone = s->streams_above == 0 || is_in_plane(all, s);

    if (!stored && is_border(all, s))
        return border_level(s, v);
    if (!stored && alone && is_shared(all, s))
        return shared_level(s, v);
    if (s->below == 0 && alone && v->inner == INNER_SIMD)
        return (struct level){LIFT_MAP_SIMD, 0, 0};
    return sequential_or_unrolled(s, v);
}

/* The number of sites of the chain around 's' that take part in the numbering of
 * dimensions; those inside a tile do not. */
static int global_above(const struct sites *all, const struct site *s)
{
    int count = 0;

    for (int at = s->parent; at >= 0; at = all->items[at].parent)
        count += all->items[at].cls != SITE_INNER;
    return count;
}

static int deepest_global(const struct sites *all, int index)
{
    int most = 0;

    for (int i = index + 1; i < all->count; i++) {
        int count = 0, at = i;

        for (; at > index; at = all->items[at].parent)
            count += all->items[at].cls != SITE_INNER;
        if (at == index && count > most)
            most = count;
    }
    return most;
}

/* Dimensions are numbered from the inside: neighbours in memory belong to neighbouring
 * work-items. */
static struct level global_level(const struct sites *all, int index,
                                 const struct variant *v)
{
    const struct site *s = &all->items[index];
    int above = global_above(all, s), below = deepest_global(all, index);
    int total = above + 1 + below;
    int first = v->first, count = v->count;

    if (is_staged(s) || s->cls == SITE_INNER ||
        (s->streams_above > 0 && !is_in_plane(all, s)))
        return sequential_or_unrolled(s, v);
    if (first + count > total) {
        first = total > count ? total - count : 0;
        count = total - first < count ? total - first : count;
    }
    if (above < first || above >= first + count)
        return sequential_or_unrolled(s, v);
    return (struct level){LIFT_MAP_GLB, first + count - 1 - above, 0};
}

/* Loops around the innermost loop over tiles, and it itself, are shared by work-groups;
 * those inside by the work-items of a group. */
static bool has_outer_below(const struct sites *all, int index)
{
    for (int i = index + 1; i < all->count; i++) {
        int at = all->items[i].cls == SITE_OUTER ? i : -1;

        while (at > index)
            at = all->items[at].parent;
        if (at == index)
            return true;
    }
    return all->items[index].cls == SITE_OUTER;
}

/* The most loops of its kind that are nested in a loop of work-groups. */
static int groups_below(const struct sites *all, int index)
{
    int most = 0;

    for (int i = index + 1; i < all->count; i++) {
        int count = 0, at = i;

        if (!has_outer_below(all, i))
            continue;
        for (; at > index; at = all->items[at].parent)
            count++;
        if (at == index && count > most)
            most = count;
    }
    return most;
}

static struct level group_level(const struct sites *all, int index,
                                const struct variant *v)
{
    const struct site *s = &all->items[index];
    bool copy = is_staged(s);

    if (s->storage == LIFT_TO_PRIVATE)
        return sequential_or_unrolled(s, v);
    if (!copy && has_outer_below(all, index)) {
        int dim = groups_below(all, index);

        return dim < MAX_DIMS ? (struct level){LIFT_MAP_WRG, dim, 0} : sequential;
    }
    if (s->below < v->count && (s->streams_above == 0 || is_in_plane(all, s)))
        return (struct level){LIFT_MAP_LCL, s->below, 0};
    return sequential_or_unrolled(s, v);
}

static struct level choose(const struct sites *all, int index, const struct variant *v)
{
    const struct site *s = &all->items[index];

    switch (v->policy) {
    case POLICY_SEQUENTIAL:
        return sequential;
    case POLICY_HOST:
        return host_level(all, s, v);
    case POLICY_GLOBAL:
        return global_level(all, index, v);
    case POLICY_GROUPS:
        /* a part of the grid that is not tiled: a group is as good as a work-item */
        if (s->outers == 0 && !is_staged(s))
            return global_level(all, index,
                                &(struct variant){.policy = POLICY_GLOBAL,
                                                  .first = MAX_DIMS,
                                                  .count = MAX_DIMS,
                                                  .unroll = v->unroll});
        return group_level(all, index, v);
    }
    LIFT_BUG("policy %d", (int)v->policy);
}

/* ---- applying */

struct lowerer {
    struct lift_ir *ir;
    const struct lift_rule **rules;
    int rule_count;
    struct lift_str *why;
};

static bool is_level(lift_expr e, struct level level)
{
    if (!lift_expr_is(e, level.op))
        return false;
    if ((level.op == LIFT_MAP_PAR || level.op == LIFT_MAP_TASK) &&
        e->u.prim.attrs[1] != level.schedule)
        return false;
    return lift_prim_info(level.op)->attr_count == 0 || e->u.prim.attrs[0] == level.attr;
}

static bool may_make(const struct lift_rule *rule, enum lift_op op)
{
    enum lift_op made = lift_rule_makes(rule);

    return made == op || made == LIFT_OP_COUNT;
}

/* Lowers the node at 'at'; false if no rule does it. */
static bool apply_level(struct lowerer *l, lift_expr *term, const struct lift_path *at,
                        struct level level, struct lift_step *step)
{
    for (int i = 0; i < l->rule_count; i++)
        for (int choice = 0; choice < MAX_CHOICES; choice++) {
            struct lift_rewrite r;

            if (!may_make(l->rules[i], level.op) ||
                !lift_rewrite_at(l->ir, l->rules[i], *term, at, choice, &r))
                break;
            if (!is_level(r.to, level))
                continue;
            *step = (struct lift_step){l->rules[i], choice, *at, r.to};
            *term = r.term;
            return true;
        }
    if (l->why && l->why->len == 0)
        lift_str_addf(l->why, "no rule lowers a '%s' to '%s' of dimension %d",
                      lift_prim_info(lift_path_get(*term, at)->op)->name,
                      lift_prim_info(level.op)->name, level.attr);
    return false;
}

static bool lower_reduce(struct lowerer *l, lift_expr *term, const struct lift_path *at,
                         const struct variant *v, struct lift_step *step)
{
    lift_expr e = lift_path_get(*term, at);
    bool unroll =
        v->unroll && constant_length(e->u.prim.args[2]->type->len, UNROLL_REDUCE);

    return apply_level(
        l, term, at, (struct level){unroll ? LIFT_REDUCE_UNROLL : LIFT_REDUCE_SEQ, 0, 0},
        step);
}

/* Sites inside 'all' are those of 'term'; lowering one moves no other. */
static bool lower_by(struct lowerer *l, lift_expr term, const struct sites *all,
                     const struct variant *v, struct lowering *out)
{
    struct lift_step *steps = LIFT_NEW_ARRAY(lift_ir_arena(l->ir), struct lift_step,
                                             all->count + all->reduce_count + 1);
    int count = 0;

    for (int i = 0; i < all->count; i++)
        if (!all->items[i].lowered &&
            !apply_level(l, &term, &all->items[i].at, choose(all, i, v), &steps[count++]))
            return false;
    for (int i = 0; i < all->reduce_count; i++)
        if (!lower_reduce(l, &term, &all->reduces[i], v, &steps[count++]))
            return false;
    *out = (struct lowering){term, {.items = steps, .count = count}};
    return true;
}

/* ---- variants */

struct variants {
    struct variant items[MAX_VARIANTS];
    int count;
};

static void add_variant(struct variants *list, struct variant v)
{
    if (list->count < MAX_VARIANTS)
        list->items[list->count++] = v;
}

struct facts {
    int depth;   /* longest chain of the result */
    int outers;  /* most loops over tiles in a chain */
    int globals; /* longest chain without the loops inside tiles */
    bool short_loops, local;
};

static struct facts learn(const struct sites *all, lift_expr term)
{
    struct facts f = {.local = all->has_local};

    for (int i = 0; i < all->count; i++) {
        const struct site *s = &all->items[i];

        f.short_loops |= constant_length(s->map->type->len, UNROLL_LOOP);
        if (is_staged(s))
            continue;
        if (s->above + 1 > f.depth)
            f.depth = s->above + 1;
        if (s->outers > f.outers)
            f.outers = s->outers;
        if (global_above(all, s) + (s->cls != SITE_INNER) > f.globals)
            f.globals = global_above(all, s) + (s->cls != SITE_INNER);
    }
    for (int i = 0; i < all->reduce_count; i++)
        f.short_loops |= constant_length(
            lift_path_get(term, &all->reduces[i])->u.prim.args[2]->type->len,
            UNROLL_REDUCE);
    return f;
}

static void host_variants(struct variants *list, const struct facts *f)
{
    bool pairs = f->outers >= 2 || f->depth - f->outers > 2;

    for (int collapse = 0; collapse <= (pairs ? 2 : 0); collapse += 2)
        for (int inner = INNER_SIMD; inner >= INNER_SEQ; inner--)
            add_variant(list, (struct variant){.policy = POLICY_HOST,
                                               .inner = (enum inner)inner,
                                               .collapse = collapse});
    add_variant(list, (struct variant){.policy = POLICY_HOST,
                                       .inner = INNER_SIMD,
                                       .sharing = SHARE_DYNAMIC});
    add_variant(list,
                (struct variant){.policy = POLICY_HOST,
                                 .inner = INNER_SIMD,
                                 .sharing = f->outers > 0 ? SHARE_TASKS : SHARE_CHUNKS});
}

static void opencl_variants(struct variants *list, const struct facts *f)
{
    int most = f->globals < MAX_DIMS ? f->globals : MAX_DIMS;

    for (int count = MAX_DIMS; f->outers > 0 && count > 0; count--)
        if (count <= f->depth - f->outers || (count == 1 && f->local))
            add_variant(list, (struct variant){.policy = POLICY_GROUPS, .count = count});
    if (f->depth == 0) /* a number: there is nothing to share */
        add_variant(list, (struct variant){.policy = POLICY_SEQUENTIAL});
    if (f->local)
        return;
    for (int count = most; count > 0; count--)
        for (int first = f->globals - count; first >= 0; first--)
            add_variant(list, (struct variant){.policy = POLICY_GLOBAL,
                                               .first = first,
                                               .count = count});
}

static void add_unrolled(struct variants *list)
{
    int count = list->count;

    for (int i = 0; i < count; i++) {
        struct variant v = list->items[i];

        v.unroll = true;
        add_variant(list, v);
    }
}

/* ---- */

static int lowering_rules(const struct lift_rules *rules, const struct lift_rule ***out)
{
    int count = lift_rules_group(rules, "lowering", NULL, 0);

    *out = malloc(sizeof **out * (size_t)(count + 1));
    LIFT_ASSERT(*out);
    return lift_rules_group(rules, "lowering", *out, count);
}

static bool is_known(const struct lowering *list, int count, lift_expr term)
{
    for (int i = 0; i < count; i++)
        if (list[i].term == term)
            return true;
    return false;
}

static int lower_all(struct lowerer *l, lift_expr term, const struct sites *all,
                     const struct variants *variants, const struct lowering **out)
{
    struct lowering *list =
        LIFT_NEW_ARRAY(lift_ir_arena(l->ir), struct lowering, variants->count);
    int count = 0;

    for (int i = 0; i < variants->count; i++)
        if (lower_by(l, term, all, &variants->items[i], &list[count]) &&
            !is_known(list, count, list[count].term))
            count++;
    *out = list;
    return count;
}

/* Which ways are wanted. */
enum policy_set { SET_SEQUENTIAL, SET_PLAIN, SET_HOST, SET_OPENCL };

static int lower_with(struct lowerer l, const struct lift_rules *rules, lift_expr term,
                      enum policy_set set, const struct lowering **out)
{
    struct sites *all = explore_sites(term);
    struct variants variants = {.count = 0};
    struct facts facts = learn(all, term);
    int count = 0;

    l.rule_count = lowering_rules(rules, &l.rules);
    if (set == SET_SEQUENTIAL)
        add_variant(&variants, (struct variant){.policy = POLICY_SEQUENTIAL});
    else if (set == SET_PLAIN)
        add_variant(&variants, (struct variant){.policy = POLICY_HOST});
    else if (set == SET_HOST)
        host_variants(&variants, &facts);
    else
        opencl_variants(&variants, &facts);
    if (set > SET_PLAIN && facts.short_loops)
        add_unrolled(&variants);
    if (!all->too_deep)
        count = lower_all(&l, term, all, &variants, out);
    else if (l.why)
        lift_str_addf(l.why,
                      "a loop or a reduction stands more than %d levels deep: write long "
                      "sums in parts, (a + b) + (c + d)",
                      LIFT_MAX_PATH);
    if (count == 0 && l.why && l.why->len == 0)
        lift_str_add(l.why, "its loops do not nest as this kind of device wants");
    free(l.rules);
    free(all);
    return count;
}

static bool is_of_dialect(enum lift_op op, enum lift_dialect dialect)
{
    switch (op) {
    case LIFT_MAP:
        return false;
    case LIFT_MAP_PAR:
    case LIFT_MAP_TASK:
    case LIFT_MAP_SIMD:
    case LIFT_MAP_VEC:
        return dialect == LIFT_DIALECT_OPENMP;
    case LIFT_MAP_GLB:
    case LIFT_MAP_WRG:
    case LIFT_MAP_LCL:
        return lift_dialect_has_groups(dialect);
    default:
        return true;
    }
}

/* What macros do to copies inside groups they do to whatever is stored: global memory is
 * filled by a kernel of its own, in which there may be no group. */
static bool is_in_group(const struct sites *all, const struct site *s)
{
    if (s->storage != LIFT_TO_GLOBAL || s->map->op != LIFT_MAP_LCL)
        return true;
    for (int at = s->parent; at >= 0; at = all->items[at].parent)
        if (all->items[at].map->op == LIFT_MAP_WRG)
            return true;
    return false;
}

/* Work-items, groups, items of groups; 0: none of these. */
static int spread_of(lift_expr map)
{
    return map->op == LIFT_MAP_GLB   ? 1
           : map->op == LIFT_MAP_WRG ? 2
           : map->op == LIFT_MAP_LCL ? 3
                                     : 0;
}

static bool may_stand_in(lift_expr inner, lift_expr outer)
{
    int a = spread_of(inner), b = spread_of(outer);

    if (a == 0 || b == 0)
        return true;
    return a == b ? inner->u.prim.attrs[0] != outer->u.prim.attrs[0] : a == 3 && b == 2;
}

/* The loops around it are spread over others, or groups around their items. */
static bool is_spread_once(const struct sites *all, const struct site *s)
{
    for (int i = s->parent; i >= 0; i = all->items[i].parent)
        if (!may_stand_in(s->map, all->items[i].map))
            return false;
    return true;
}

bool explore_is_lowered(lift_expr term, enum lift_dialect dialect)
{
    struct sites *all = explore_sites(term);
    bool good = !all->too_deep && all->reduce_count == 0;

    for (int i = 0; i < all->count && good; i++)
        good = is_of_dialect(all->items[i].map->op, dialect) &&
               is_in_group(all, &all->items[i]) && is_spread_once(all, &all->items[i]);
    free(all);
    return good;
}

int explore_lower(struct lift_ir *ir, const struct lift_rules *rules, lift_expr term,
                  enum lift_dialect dialect, const struct lowering **out,
                  struct lift_str *why)
{
    struct lowerer l = {.ir = ir, .why = why};

    return lower_with(l, rules, term,
                      dialect == LIFT_DIALECT_OPENMP ? SET_HOST : SET_OPENCL, out);
}

static lift_expr lower_once(struct lowerer l, const struct lift_rules *rules,
                            lift_expr term, enum policy_set set)
{
    const struct lowering *list;

    return lower_with(l, rules, term, set, &list) > 0 ? list[0].term : NULL;
}

lift_expr explore_lower_plainly(struct lift_ir *ir, const struct lift_rules *rules,
                                lift_expr term, struct lift_str *why)
{
    return lower_once((struct lowerer){.ir = ir, .why = why}, rules, term, SET_PLAIN);
}

lift_expr explore_lower_sequentially(struct lift_ir *ir, const struct lift_rules *rules,
                                     lift_expr term, struct lift_str *why)
{
    return lower_once((struct lowerer){.ir = ir, .why = why}, rules, term,
                      SET_SEQUENTIAL);
}
