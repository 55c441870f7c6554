/* The effect of the ends of a grid. Elements within some distance from an end of an
 * array may depend on that end. The walk over a term sums these distances. Apart from
 * these elements, each primitive must treat element i alike for any length of the
 * array. */
#include "base/memory.h"
#include "ir/cut_t.h"
#include <stdlib.h>

/* Numbers of elements that depend on the first and on the last end. */
struct ends {
    int64_t before, after;
    bool known;
};

struct cut {
    lift_nat var;         /* the size */
    int dim;              /* the dimension of the grids that is cut; 0 is the outermost */
    struct ends *known;   /* by node number */
    bool ring, border;    /* some pad repeats the grid; some pad has other values */
    bool places;          /* the term uses an index, or the size, as a number */
    struct lift_str *why; /* not empty: the reason why the grid cannot be cut */
};

/* ---- lengths */

bool cut_type_has(lift_type t, lift_nat var)
{
    if (t->kind == LIFT_TYPE_ARRAY)
        return lift_nat_has(t->len, var) || cut_type_has(t->elem, var);
    for (int i = 0; t->kind == LIFT_TYPE_TUPLE && i < t->count; i++)
        if (cut_type_has(t->parts[i], var))
            return true;
    return false;
}

static bool along(const struct cut *c, lift_type t)
{
    return t->kind == LIFT_TYPE_ARRAY && lift_nat_has(t->len, c->var);
}

static bool anywhere(const struct cut *c, lift_type t)
{
    return cut_type_has(t, c->var);
}

/* ---- ends */

static void refuse(struct cut *c, lift_expr e)
{
    if (!c->why->len)
        lift_str_addf(c->why,
                      "'%s' is along the planes, and has elements that depend on the "
                      "number of planes",
                      lift_prim_info(e->op)->name);
}

static void add_sides(struct cut *c, lift_expr e, lift_nat l, lift_nat r, struct ends *at)
{
    int64_t before, after;

    if (!lift_nat_is_const(l, &before) || !lift_nat_is_const(r, &after)) {
        refuse(c, e);
        return;
    }
    at->before += before;
    at->after += after;
}

static void of_pad(struct cut *c, lift_expr e, struct ends *at)
{
    lift_expr xs = lift_expr_arg(e, e->arg_count - 1);

    if (!along(c, xs->type))
        return;
    if (e->op == LIFT_PAD_VALUE &&
        lift_expr_uses_bound(lift_expr_arg(e, 0)->u.lambda.body, 0, 2))
        refuse(c, e);
    if (e->op == LIFT_PAD && e->u.prim.attrs.pad.kind == LIFT_PAD_WRAP)
        c->ring = true;
    else if (e->op != LIFT_PAD || e->u.prim.attrs.pad.kind != LIFT_PAD_ANY)
        c->border = true;
    add_sides(c, e, e->u.prim.nats[0], e->u.prim.nats[1], at);
}

/* One argument has the planes; the other arguments are short. */
static void of_concat(struct cut *c, lift_expr e, struct ends *at)
{
    int64_t sides[2] = {0, 0}, n;
    bool behind = false;

    if (!along(c, e->type))
        return;
    for (int i = 0; i < e->arg_count; i++) {
        bool planes = along(c, lift_expr_arg(e, i)->type);

        if ((planes && behind) ||
            (!planes && !lift_nat_is_const(lift_expr_arg(e, i)->type->len, &n))) {
            refuse(c, e);
            return;
        }
        behind |= planes;
        sides[behind] += planes ? 0 : n;
    }
    c->border = true;
    at->before += sides[0];
    at->after += sides[1];
}

/* take and drop: the number of dropped elements must not depend on the number of planes.
 */
static void of_part(struct cut *c, lift_expr e)
{
    lift_type xs = lift_expr_arg(e, 0)->type;
    lift_nat n = e->u.prim.nats[0];

    if (xs->kind == LIFT_TYPE_ARRAY && along(c, xs) &&
        !lift_nat_is_const(e->op == LIFT_TAKE ? lift_nat_sub(xs->len, n) : n, NULL))
        refuse(c, e);
}

/* Other primitives may have windows and members of tuples of any length. */
static void of_others(struct cut *c, lift_expr e)
{
    bool bad = e->op != LIFT_AT && along(c, e->type);

    for (int i = 0; i < e->arg_count; i++)
        bad |= lift_expr_arg(e, i)->kind != LIFT_EXPR_LAMBDA &&
               along(c, lift_expr_arg(e, i)->type);
    if (bad || (e->op != LIFT_REDUCE && e->op != LIFT_AT && e->op != LIFT_SPLIT &&
                e->op != LIFT_REORDER && anywhere(c, e->type)))
        refuse(c, e);
}

static void of_prim(struct cut *c, lift_expr e, struct ends *at)
{
    if (lift_prim_info(e->op)->level == LIFT_LEVEL_SCALAR) {
        c->places |= e->op == LIFT_NAT && lift_nat_has(e->u.prim.nats[0], c->var);
        return;
    }
    switch (e->op) {
    case LIFT_MAP:
    case LIFT_LET:
    case LIFT_ZIP:
    case LIFT_UNZIP:
    case LIFT_TUPLE:
    case LIFT_GET:
    case LIFT_TRANSPOSE:
        return;
    case LIFT_ARRAY:
        c->places |= along(c, e->type) &&
                     lift_expr_uses_bound(lift_expr_arg(e, 0)->u.lambda.body, 0, 1);
        return;
    case LIFT_PAD:
    case LIFT_PAD_VALUE:
        of_pad(c, e, at);
        return;
    case LIFT_INSET:
        if (along(c, e->type)) {
            c->border = true;
            add_sides(c, e, e->u.prim.nats[0], e->u.prim.nats[1], at);
        }
        return;
    case LIFT_CONCAT:
        of_concat(c, e, at);
        return;
    case LIFT_TAKE:
    case LIFT_DROP:
        of_part(c, e);
        return;
    case LIFT_SLIDE:
        if (along(c, lift_expr_arg(e, 0)->type) &&
            (!lift_nat_is_const(e->u.prim.nats[0], NULL) ||
             !lift_nat_is(e->u.prim.nats[1], 1)))
            refuse(c, e);
        return;
    case LIFT_ITERATE:
        return;
    default:
        of_others(c, e);
    }
}

/* How often a node applies its function to the function's own result. */
static int64_t times(struct cut *c, lift_expr e, const struct ends *once)
{
    int64_t n = 1;

    if (lift_expr_is(e, LIFT_ITERATE) && !lift_nat_is_const(e->u.prim.nats[0], &n) &&
        once->before + once->after > 0)
        refuse(c, e);
    return n;
}

/* Adds the ends of a function to the ends of its arguments. */
static struct ends find_ends(struct cut *c, lift_expr e)
{
    struct ends at = {0, 0, true}, sum = {0, 0, true};
    int64_t often;

    if (c->known[e->id].known)
        return c->known[e->id];
    for (int i = 0; i < lift_expr_child_count(e); i++) {
        lift_expr child = lift_expr_child(e, i);
        struct ends x = find_ends(c, child);
        bool fun = child->kind == LIFT_EXPR_LAMBDA;

        sum.before += fun ? x.before : 0;
        sum.after += fun ? x.after : 0;
        at.before = fun || at.before > x.before ? at.before : x.before;
        at.after = fun || at.after > x.after ? at.after : x.after;
    }
    often = times(c, e, &sum);
    at.before += often * sum.before;
    at.after += often * sum.after;
    if (e->kind == LIFT_EXPR_PRIM)
        of_prim(c, e, &at);
    return c->known[e->id] = at;
}

/* ---- a term */

/* The type of a dimension's elements; NULL if there are fewer dimensions. */
static lift_type at_dimension(lift_type t, int dim)
{
    for (; dim > 0 && t->kind == LIFT_TYPE_ARRAY; dim--)
        t = t->elem;
    return t->kind == LIFT_TYPE_ARRAY ? t : NULL;
}

static const char *dimension_name(int dim)
{
    static const char *const names[LIFT_PART_DIMS] = {"outermost", "second", "third"};

    return names[dim];
}

/* A grid has the planes in the dimension of the cut, and in no other dimension. */
static bool check_grid(struct cut *c, lift_type t, const char *name)
{
    lift_type at = at_dimension(t, c->dim);
    bool good = at && at->len == c->var && !anywhere(c, at->elem);
    lift_type outer = t;

    for (; good && outer != at; outer = outer->elem)
        good = !along(c, outer);
    if (good)
        return true;
    lift_str_addf(c->why,
                  "'%s' is not a grid whose %s length, and no other, is the size '%s': ",
                  name, dimension_name(c->dim), lift_nat_is_var(c->var, NULL));
    lift_type_print(t, c->why);
    return false;
}

static bool check_results(struct cut *c, lift_type t)
{
    if (t->kind != LIFT_TYPE_TUPLE)
        return check_grid(c, t, "the result");
    for (int i = 0; i < t->count; i++)
        if (!check_grid(c, t->parts[i], "a result"))
            return false;
    return true;
}

static bool find_size(struct cut *c, lift_type result)
{
    enum lift_var_kind kind;
    lift_type grid = result->kind == LIFT_TYPE_TUPLE ? result->parts[0] : result;
    lift_type at = at_dimension(grid, c->dim);

    if (at && lift_nat_is_var(at->len, &kind) && kind == LIFT_VAR_SIZE) {
        c->var = at->len;
        return true;
    }
    lift_str_addf(c->why, "the %s length of the result is no size of the program: ",
                  dimension_name(c->dim));
    lift_type_print(result, c->why);
    return false;
}

bool cut_find_ends(struct lift_ir *ir, lift_expr e, const lift_expr *grids, int count,
                   struct cut_ends *out)
{
    struct cut c = {.dim = out->dim, .why = out->why};
    struct ends at;

    if (!find_size(&c, e->type))
        return false;
    for (int i = 0; i < count; i++)
        if (anywhere(&c, grids[i]->type) &&
            !check_grid(&c, grids[i]->type, grids[i]->u.name))
            return false;
    if (!check_results(&c, e->type))
        return false;
    c.known = lift_alloc(lift_ir_expr_count(ir), sizeof *c.known);
    at = find_ends(&c, e);
    free(c.known);
    if (!c.why->len && c.ring && c.border)
        lift_str_add(c.why, "along the planes, it is periodic and has a border, too");
    out->var = c.var;
    out->before = at.before;
    out->after = at.after;
    out->ring = c.ring;
    out->places = c.places;
    return !c.why->len;
}
