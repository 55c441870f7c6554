/* From a program to low-level expressions:
 *
 *   prepare   borders become copies, maps in a row are fused, names that only move are
 * gone shape     the phases of phase.c, each optional lower     a level of the device for
 * every loop (lower.c)
 *
 * and macros that do all of it at once. A rule that is missing from the set is a choice
 * less. */
#include "explore/derive.h"
#include "explore/lower.h"
#include "explore/phase.h"
#include "explore/points.h"
#include "lift/bug.h"
#include "lift/strategy.h"
#include "lift/table.h"
#include <stdlib.h>
#include <string.h>

enum {
    MAX_DIMS = 3,
    MAX_STEPS = 2000, /* of one normalisation */
    FIRST_OWN = 4,    /* shapes of a user's own rules */
    MAX_FORMS = 4,
};

static void add_conditions(struct deriver *v, struct shape *s,
                           const struct lift_side_condition *more, int count)
{
    struct explore_conditions old = s->conditions;
    struct lift_side_condition *all =
        LIFT_NEW_ARRAY(v->arena, struct lift_side_condition, old.count + count + 1);

    for (int i = 0; i < old.count; i++)
        all[i] = old.items[i];
    for (int i = 0; i < count; i++)
        all[old.count + i] = more[i];
    s->conditions = (struct explore_conditions){all, old.count + count};
}

bool derive_run(struct deriver *v, const struct shape *from, lift_strategy s,
                struct shape *out)
{
    struct lift_steps steps = {0};
    bool done = lift_strategy_run(v->d->ir, s, v->d->nodes[from->node].term, &steps);

    if (done) {
        *out = *from;
        add_conditions(v, out, steps.conditions, steps.condition_count);
        out->node = derive_steps(v->d, from->node, &steps);
    }
    lift_steps_fini(&steps);
    return done;
}

bool derive_allows(const struct explore_problem *p, const struct lift_rule *rule)
{
    return rule->soundness == LIFT_RULE_EXACT ||
           (rule->soundness == LIFT_RULE_REASSOCIATES && p->relaxed);
}

static bool may_overwrite(const struct explore_problem *p, lift_expr input)
{
    for (int i = 0; i < p->input_count; i++)
        if (p->inputs[i] == input)
            return lift_program_input_dies(p->program, i);
    return false;
}

static bool overwrites_legally(const struct explore_problem *p, lift_expr e,
                               struct lift_ptrmap *seen)
{
    if (lift_ptrmap_get(seen, e))
        return true;
    lift_ptrmap_put(seen, e, seen);
    if (lift_expr_is(e, LIFT_IN_PLACE) && !may_overwrite(p, e->u.prim.args[0]))
        return false;
    for (int i = 0; i < lift_expr_child_count(e); i++)
        if (!overwrites_legally(p, lift_expr_child(e, i), seen))
            return false;
    return true;
}

bool derive_is_legal(const struct explore_problem *p, lift_expr term)
{
    struct lift_ptrmap seen = {0};
    bool legal = overwrites_legally(p, term, &seen);

    lift_ptrmap_fini(&seen);
    return legal;
}

/* ---- prepare */

static int rank_of(lift_type t)
{
    return t->kind == LIFT_TYPE_TUPLE ? lift_type_rank(t->parts[0]) : lift_type_rank(t);
}

/* Borders first, while they still are insets of rows; then the rest. Fusion in one
 * dimension would break the form of views in several. Where a kernel is a launch, and
 * vectors want to begin at multiples, points choose between their values and the border;
 * else the border is parts of its own. */
static const char *const choice_rules[] = {"selectBorder(%d)", NULL};
static const char *const border_rules[] = {"mapOfInset", "mapOfInsetTurned",
                                           "zipSelect(1)", "mapIdentity", NULL};
static const char *const plain_rules[] = {
    "iterateZero",  "iterateOne",   "letInlineOnce", "lowerInset",   "getTuple",
    "reduceOfRows", "zipSelect(1)", "zipSelect(2)",  "zipSelect(3)", NULL};
static const char *const fusion_rules[] = {"zipOfMaps(%d)", "mapFusion(%d)", NULL};

enum { MAX_RULES = 16 };

/* Names with '%d' are those of rules for a number of dimensions. */
static int find_rules(const struct lift_rules *rules, const char *const *names, int dims,
                      const struct lift_rule *out[MAX_RULES], int count)
{
    for (int i = 0; names[i] && count < MAX_RULES; i++) {
        struct lift_str name = {0};

        lift_str_addn(&name, names[i], strcspn(names[i], "%"));
        if (names[i][name.len])
            lift_str_addf(&name, "%d)", dims);
        if ((out[count] = lift_rules_find(rules, lift_str_get(&name))))
            count++;
        lift_str_fini(&name);
    }
    return count;
}

static lift_strategy preparation(const struct explore_problem *p,
                                 const struct lift_rules *rules,
                                 enum lift_dialect dialect)
{
    struct lift_arena *arena = lift_ir_arena(p->ir);
    const struct lift_rule *list[MAX_RULES];
    int dims = rank_of(p->root->type), count = 0;
    bool grid = dims >= 1 && dims <= MAX_DIMS;
    const struct lift_rule *copy = lift_rules_find(rules, "copyViews");
    lift_strategy phases[4];

    if (grid && lift_dialect_has_groups(dialect))
        count = find_rules(rules, choice_rules, dims, list, 0);
    phases[0] = lift_strategy_normalise(arena, list, count, MAX_STEPS);
    count = find_rules(rules, border_rules, dims, list, 0);
    phases[1] = lift_strategy_normalise(arena, list, count, MAX_STEPS);
    count = find_rules(rules, plain_rules, dims, list, 0);
    if (grid)
        count = find_rules(rules, fusion_rules, dims, list, count);
    phases[2] = lift_strategy_normalise(arena, list, count, MAX_STEPS);
    if (copy)
        phases[3] = lift_strategy_try(arena, lift_strategy_rule(arena, copy));
    return lift_strategy_seq(arena, phases, copy ? 4 : 3);
}

lift_expr explore_prepare(const struct explore_problem *p, const struct lift_rules *rules,
                          enum lift_dialect dialect)
{
    lift_expr term =
        lift_strategy_run(p->ir, preparation(p, rules, dialect), p->root, NULL);

    return term ? term : p->root;
}

/* ---- leaves */

/* One more than there are leaves: the plain program stands behind them. */
static void make_room(struct derivation *d)
{
    if (d->leaf_count + 1 < d->leaf_cap)
        return;
    d->leaf_cap = d->leaf_cap ? 2 * d->leaf_cap : 64;
    d->leaves = realloc(d->leaves, sizeof *d->leaves * (size_t)d->leaf_cap);
    LIFT_ASSERT(d->leaves);
}

bool derive_add_leaf(struct deriver *v, const struct shape *s,
                     const struct lift_point *point)
{
    struct derivation *d = v->d;
    struct derive_leaf leaf = {.node = s->node, .conditions = s->conditions};

    if (d->nodes[s->node].leaf)
        return false;
    d->nodes[s->node].leaf = true;
    leaf.is_point = point != NULL;
    if (point)
        leaf.point = *point;
    make_room(d);
    if (d->has_plain)
        d->leaves[d->leaf_count + 1] = d->leaves[d->leaf_count];
    d->leaves[d->leaf_count++] = leaf;
    d->reach.exprs++;
    return true;
}

/* ---- kernels at once */

/* Macros for grids say by a number of how many dimensions. */
static bool fits_rank(const struct lift_rule *rule, int rank)
{
    return rule->dims == 0 || rule->dims == rank;
}

/* Those beyond the limit are counted only. */
static void add_kernel(struct deriver *v, const struct shape *s, int most)
{
    struct derivation *d = v->d;

    if (d->leaf_count < most) {
        derive_add_leaf(v, s, NULL);
    } else if (!derive_is_leaf(d, d->nodes[s->node].term)) {
        d->reach.exprs++;
        d->reach.exprs_cut++;
    }
}

static void add_layouts(struct deriver *v, const struct shape *plain, int most)
{
    struct shape s;

    add_kernel(v, plain, most);
    for (int i = 0; i < lift_rules_count(v->rules); i++) {
        const struct lift_rule *rule = lift_rules_get(v->rules, i);

        if (rule->phase == LIFT_PHASE_LAYOUT && derive_allows(v->p, rule) &&
            derive_run(v, plain, lift_strategy_rule(v->arena, rule), &s) &&
            derive_is_legal(v->p, v->d->nodes[s.node].term))
            add_kernel(v, &s, most);
    }
}

static void run_kernel(struct deriver *v, const struct shape *program,
                       const struct lift_rule *rule, int most)
{
    struct lift_str why = {0};
    struct shape s;

    if (!derive_run(v, program, lift_strategy_rule(v->arena, rule), &s))
        lift_str_addf(&why, "macro '%s' does not apply", rule->name);
    else if (!derive_is_legal(v->p, v->d->nodes[s.node].term))
        lift_str_add(&why, "a macro that overwrites an input which is needed again");
    else if (explore_is_lowered(v->d->nodes[s.node].term, v->device->dialect))
        add_layouts(v, &s, most);
    else
        lift_str_add(&why, "a macro for another kind of device");
    if (why.len)
        tally_add(&v->d->reach.unlowered, lift_str_get(&why), 1);
    lift_str_fini(&why);
}

/* The program, and other forms of what it computes. */
struct forms {
    struct shape items[MAX_FORMS];
    int count;
};

static void find_forms(struct deriver *v, struct forms *out)
{
    const struct shape program = {.node = 0};

    out->items[out->count++] = program;
    for (int i = 0; i < lift_rules_count(v->rules) && out->count < MAX_FORMS; i++) {
        const struct lift_rule *rule = lift_rules_get(v->rules, i);
        lift_strategy first =
            lift_strategy_topdown(v->arena, lift_strategy_rule(v->arena, rule));

        if (rule->phase == LIFT_PHASE_TERM && derive_allows(v->p, rule) &&
            derive_run(v, &program, first, &out->items[out->count]))
            out->count++;
    }
}

/* Those of a user. */
static void all_kernels(struct deriver *v, int most)
{
    int rank = rank_of(v->p->root->type);
    struct forms forms = {.count = 0};

    find_forms(v, &forms);
    for (int i = 0; i < lift_rules_count(v->rules); i++) {
        const struct lift_rule *rule = lift_rules_get(v->rules, i);

        if (rule->phase == LIFT_PHASE_KERNEL && fits_rank(rule, rank) &&
            derive_allows(v->p, rule))
            for (int k = 0; k < forms.count; k++)
                run_kernel(v, &forms.items[k], rule, most);
    }
}

/* ---- lower */

struct lowered {
    const struct lowering *list;
    int count;
};

static struct lowered *lower_shapes(struct deriver *v)
{
    struct lowered *all = calloc((size_t)v->shapes.count + 1, sizeof *all);

    LIFT_ASSERT(all);
    for (int i = 0; i < v->shapes.count; i++) {
        struct lift_str why = {0};

        all[i].count =
            explore_lower(v->d->ir, v->rules, v->d->nodes[v->shapes.items[i].node].term,
                          v->device->dialect, &all[i].list, &why);
        if (all[i].count == 0)
            tally_add(&v->d->reach.unlowered, lift_str_get(&why), 1);
        if (all[i].count == 0 && i == 0)
            v->d->plain_why = lift_arena_copy(v->arena, lift_str_get(&why), why.len + 1);
        lift_str_fini(&why);
    }
    return all;
}

/* Those beyond the limit are counted only. */
static void add_lowering(struct deriver *v, const struct shape *s,
                         const struct lowering *l, int most, struct lift_ptrmap *cut)
{
    struct derivation *d = v->d;

    if (d->leaf_count < most) {
        struct shape low = {derive_steps(d, s->node, &l->steps), 0, 0, 0, s->conditions};

        derive_add_leaf(v, &low, NULL);
        return;
    }
    if (lift_ptrmap_get(cut, l->term) || derive_is_leaf(d, l->term))
        return;
    lift_ptrmap_put(cut, l->term, d);
    d->reach.exprs++;
    d->reach.exprs_cut++;
}

/* The first shapes to which a user's own rules have led are seen before all else, each
 * lowered in one way, and next to them the program without these rules. */
static void lower_own(struct deriver *v, const struct lowered *all, int most,
                      struct lift_ptrmap *cut)
{
    int own = 0;

    for (int i = 1; i < v->shapes.count && own < FIRST_OWN; i++)
        if (all[i].count > 0 &&
            !lift_rules_get(v->rules, v->shapes.items[i].rule)->shipped) {
            add_lowering(v, &v->shapes.items[i], &all[i].list[0], most, cut);
            own++;
        }
    if (own && all[0].count > 0)
        add_lowering(v, &v->shapes.items[0], &all[0].list[0], most, cut);
}

/* The first way to lower every shape, then the second, ...: breadth over the shapes. */
static void lower_all(struct deriver *v, const struct lowered *all, int most,
                      struct lift_ptrmap *cut)
{
    bool more = true;

    for (int way = 0; more; way++) {
        more = false;
        for (int i = 0; i < v->shapes.count; i++)
            if (way < all[i].count) {
                add_lowering(v, &v->shapes.items[i], &all[i].list[way], most, cut);
                more = true;
            }
    }
}

/* What a macro says a person would write. */
static bool write_plain(struct deriver *v, struct derive_leaf *leaf)
{
    const struct shape program = {.node = 0};
    struct shape s;

    for (int i = 0; i < lift_rules_count(v->rules); i++) {
        const struct lift_rule *rule = lift_rules_get(v->rules, i);

        if (rule->phase == LIFT_PHASE_PLAIN && derive_allows(v->p, rule) &&
            fits_rank(rule, rank_of(v->p->root->type)) &&
            derive_run(v, &program, lift_strategy_rule(v->arena, rule), &s) &&
            explore_is_lowered(v->d->nodes[s.node].term, v->device->dialect)) {
            *leaf = (struct derive_leaf){.node = s.node, .conditions = s.conditions};
            return true;
        }
    }
    return false;
}

/* Where no macro says it, the first way to lower the program. After all leaves, so that
 * none has another derivation because of it. */
static void add_plain(struct deriver *v, const struct lowered *first)
{
    struct derivation *d = v->d;
    const struct shape *s = &v->shapes.items[0];

    make_room(d);
    if (write_plain(v, &d->leaves[d->leaf_count])) {
        d->has_plain = true;
    } else if (first->count > 0) {
        d->leaves[d->leaf_count] =
            (struct derive_leaf){.node = derive_steps(d, s->node, &first->list[0].steps),
                                 .conditions = s->conditions};
        d->has_plain = true;
    }
}

static void add_leaves(struct deriver *v, int most)
{
    struct lowered *all = lower_shapes(v);
    struct lift_ptrmap cut = {0};

    all_kernels(v, most);
    lower_own(v, all, most, &cut);
    points_add_families(v, most);
    lower_all(v, all, most, &cut);
    add_plain(v, all);
    lift_ptrmap_fini(&cut);
    free(all);
}

/* The first shape: the program, prepared. */
static struct shape start(struct deriver *v)
{
    struct shape root = {.node = 0}, s;

    derive_node(v->d, v->p->root);
    if (!derive_run(v, &root, preparation(v->p, v->rules, v->device->dialect), &s))
        s = root;
    return s;
}

static struct deriver deriver_of(const struct explore_problem *p,
                                 const struct lift_rules *rules,
                                 const struct lift_device_info *device)
{
    struct derivation *d = calloc(1, sizeof *d);

    LIFT_ASSERT(d);
    d->ir = p->ir;
    return derive_again(d, p, rules, device);
}

struct deriver derive_again(struct derivation *d, const struct explore_problem *p,
                            const struct lift_rules *rules,
                            const struct lift_device_info *device)
{
    return (struct deriver){
        .d = d, .p = p, .rules = rules, .device = device, .arena = lift_ir_arena(p->ir)};
}

struct derivation *explore_derive_plainly(const struct explore_problem *p,
                                          const struct lift_rules *rules,
                                          const struct lift_device_info *device,
                                          struct lift_str *why)
{
    struct deriver v = deriver_of(p, rules, device);
    struct shape s = start(&v);
    const struct lowering *list;
    int count =
        explore_lower(p->ir, rules, v.d->nodes[s.node].term, device->dialect, &list, why);

    for (int i = 0; i < count; i++) {
        struct shape low = {derive_steps(v.d, s.node, &list[i].steps), 0, 0, 0,
                            s.conditions};

        derive_add_leaf(&v, &low, NULL);
    }
    return v.d;
}

struct derivation *explore_derive(const struct explore_problem *p,
                                  const struct lift_rules *rules,
                                  const struct lift_device_info *device,
                                  struct derive_limits most)
{
    struct deriver v = deriver_of(p, rules, device);
    struct shape s = start(&v);

    v.shapes.most = most.shapes;
    derive_add_shape(&v, &s);
    derive_shapes(&v);
    add_leaves(&v, most.exprs);
    free(v.shapes.items);
    return v.d;
}
