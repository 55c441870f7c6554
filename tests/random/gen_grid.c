/* Grids: the expression at each point, and its inputs. */
#include "base/bug.h"
#include "gen.h"
#include <string.h>

struct rp_expr *rg_map(struct gen *g, int d, struct rp_expr *x, int var,
                       struct rp_expr *body, rp_type type)
{
    struct rp_expr *e = rp_new2(g->p, RP_MAP, type, x, body);

    e->d = d;
    e->param[0] = var;
    e->param_count = 1;
    e->style = (unsigned)rg_below(g, 1 << 16);
    return e;
}

/* ---- existing values */

/* A part of 'x' that has the type: itself, a member, an element of an array of known
 * length. */
static struct rp_expr *part_of(struct gen *g, struct rp_expr *x, rp_type type)
{
    struct rp_expr *found = NULL;

    if (rp_same(x->type, type))
        return x;
    if (x->type->form == RP_ARRAY && x->type->len.size < 0)
        return part_of(g, rp_at(g->p, x, rg_below(g, x->type->len.add)), type);
    for (int i = 0; x->type->form == RP_TUPLE && i < x->type->count && !found; i++)
        found = part_of(g, rp_get(g->p, x, i), type);
    return found;
}

static struct rp_expr *in_scope(struct gen *g, rp_type type)
{
    for (int i = g->scope_count - 1; i >= 0; i--) {
        struct rp_expr *x = part_of(g, rp_var(g->p, g->scope[i]), type);

        if (x && rg_chance(g, 70))
            return x;
    }
    return NULL;
}

static struct rp_expr *input(struct gen *g, int k)
{
    struct rp_expr *e = rp_new(g->p, RP_INPUT, g->p->inputs[k].type);

    e->k = k;
    return e;
}

struct rp_expr *rg_input(struct gen *g, rp_type type)
{
    struct rp_program *p = g->p;

    for (int i = 0; i < p->input_count; i++)
        if (rp_same(p->inputs[i].type, type) && rg_chance(g, 60))
            return input(g, i);
    if (p->input_count >= RP_INPUTS - 2)
        return NULL;
    p->inputs[p->input_count] = (struct rp_named){.name = rg_name(g, "x"), .type = type};
    p->next[p->input_count] = -1 - p->input_count;
    return input(g, p->input_count++);
}

/* Inputs have numbers; tuples are zipped and conditions computed. */
struct rp_expr *rg_leaf(struct gen *g, const struct rp_len *len, int d, rp_type elem)
{
    rp_type type = rp_grid(g->p, len, d, elem);
    struct rp_expr *e = in_scope(g, type);

    if (e)
        return e;
    if (elem->form == RP_TUPLE) {
        e = rp_new(g->p, RP_ZIP, type);
        e->d = d;
        for (int i = 0; i < elem->count; i++)
            rp_add_arg(e, rg_leaf(g, len, d, elem->member[i]));
        return e;
    }
    if (rp_is(elem, RP_BOOL)) {
        int v = rg_enter(g, rp_scalar(rg_number_kind(g)), "w");
        struct rp_expr *c = rg_condition(g, 0);

        rg_leave(g, 1);
        return rg_map(g, d, rg_leaf(g, len, d, g->p->vars[v].type), v, c, type);
    }
    e = rg_input(g, type);
    return e ? e : rg_array_of(g, len, d, elem);
}

struct rp_expr *rg_array_of(struct gen *g, const struct rp_len *len, int d, rp_type elem)
{
    struct rp_expr *e = rp_new(g->p, RP_ARRAY_OF, rp_grid(g->p, len, d, elem));

    e->d = e->param_count = d;
    for (int i = 0; i < d; i++) {
        e->a[i] = len[i];
        e->param[i] = rg_enter(g, rp_scalar(RP_I32), "i");
    }
    rp_add_arg(e, rg_element(g, elem, 2));
    rg_leave(g, d);
    return e;
}

/* ---- functions at each point */

static struct rp_expr *source(struct gen *g, const struct rp_len *len, int d, int depth)
{
    static const int weights[] = {60, 25, 8, 7, -1};

    switch (rg_pick(g, weights)) {
    case 0:
        return rg_windows(g, len, d, rg_element_type(g), depth);
    case 1:
        return depth > 0 && rg_chance(g, 30)
                   ? rg_grid(g, len, d, rg_element_type(g), depth - 1)
                   : rg_leaf(g, len, d, rg_element_type(g));
    case 2:
        return rg_array_of(g, len, d, rg_element_type(g));
    default:
        return rg_tiles(g, len, d, depth);
    }
}

static struct rp_expr *zipped(struct gen *g, const struct rp_len *len, int d,
                              struct rp_expr **x, int count)
{
    rp_type member[RP_MEMBERS];
    struct rp_expr *e;

    if (count == 1)
        return x[0];
    for (int i = 0; i < count; i++)
        member[i] = rp_element(x[i]->type, d);
    e = rp_new(g->p, RP_ZIP, rp_grid(g->p, len, d, rp_tuple(g->p, member, count)));
    e->d = d;
    for (int i = 0; i < count; i++)
        rp_add_arg(e, x[i]);
    return e;
}

/* On the values at each point, including 'first' if it is not NULL. */
static struct rp_expr *mapped(struct gen *g, const struct rp_len *len, int d,
                              rp_type elem, int depth, struct rp_expr *first)
{
    int count = rg_chance(g, 55) ? 1 : rg_range(g, 2, 3), var;
    struct rp_expr *x[RP_MEMBERS], *body;

    for (int i = 0; i < count; i++)
        x[i] = i == 0 && first ? first : source(g, len, d, i == 0 ? depth : 0);
    x[0] = zipped(g, len, d, x, count);
    var = rg_enter(g, rp_element(x[0]->type, d), "w");
    g->p->vars[var].apart = g->p->vars[var].type->form == RP_TUPLE && rg_chance(g, 60);
    if (rg_chance(g, 8)) {
        body = rg_regions(g, len, d, elem, x[0], var);
        rg_leave(g, 1);
        return body;
    }
    body = rg_element(g, elem, g->windows > 1 ? 2 : rg_range(g, 2, 4));
    rg_leave(g, 1);
    return rg_map(g, d, x[0], var, body, rp_grid(g->p, len, d, elem));
}

struct rp_expr *rg_mapped(struct gen *g, const struct rp_len *len, int d, rp_type elem,
                          int depth)
{
    return mapped(g, len, d, elem, depth, NULL);
}

struct rp_expr *rg_stage(struct gen *g, const struct rp_len *len, int d, rp_type elem,
                         struct rp_expr *x)
{
    return mapped(g, len, d, elem, 0, rg_neighbours(g, len, d, x));
}

/* Row by row: rows, or windows of rows, and a grid of one dimension less of each. */
static struct rp_expr *by_rows(struct gen *g, const struct rp_len *len, int d,
                               rp_type elem, int depth)
{
    int size = rg_range(g, 2, 3), l = rg_below(g, size), var;
    struct rp_expr *x = rg_leaf(g, len, d, rg_element_type(g)), *e;
    rp_type row = x->type->elem;

    if (rg_chance(g, 60)) {
        e = rp_new1(g->p, RP_PAD, rp_array(g->p, rp_plus(len[0], size - 1), row), x);
        e->a[0] = rp_fixed(l);
        e->b[0] = rp_fixed(size - 1 - l);
        e->k = rp_len_value(g->p, len[0]) < size ? RP_CLAMP : rg_below(g, 3);
        x = rp_new1(g->p, RP_SLIDE,
                    rp_array(g->p, len[0], rp_array(g->p, rp_fixed(size), row)), e);
        x->a[0] = rp_fixed(size);
        x->b[0] = rp_fixed(1);
    }
    var = rg_enter(g, x->type->elem, "row");
    e = rg_grid(g, len + 1, d - 1, elem, depth - 1);
    rg_leave(g, 1);
    return rg_map(g, 1, x, var, e, rp_grid(g->p, len, d, elem));
}

/* ---- other ways to a grid */

/* Lengths that differ by 'by' in all dimensions; false if one would be nothing. */
static bool lengthen(struct gen *g, const struct rp_len *len, int d, const int *by,
                     struct rp_len *out)
{
    for (int i = 0; i < d; i++) {
        out[i] = rp_plus(len[i], by[i]);
        if (rp_len_value(g->p, out[i]) < 1 ||
            (out[i].size >= 0 && out[i].add < 0 && !rg_chance(g, 15)))
            return false;
    }
    return true;
}

static struct rp_expr *inset(struct gen *g, const struct rp_len *len, int d, rp_type elem,
                             int depth)
{
    bool filled = elem->form != RP_ARRAY && rg_chance(g, 25);
    int by[RP_DIMS], l[RP_DIMS];
    struct rp_len in[RP_DIMS];
    struct rp_expr *e;

    for (int i = 0; i < d; i++) {
        l[i] = rg_below(g, 3);
        by[i] = -l[i] - rg_below(g, 3);
    }
    /* The remaining size may be zero at other sizes: lengthen the grid. */
    if (!lengthen(g, len, d, by, in))
        return rg_mapped(g, len, d, elem, depth);
    e = rp_new(g->p, filled ? RP_INSET_FILL : RP_INSET, rp_grid(g->p, len, d, elem));
    e->d = d;
    for (int i = 0; i < d; i++) {
        e->a[i] = rp_fixed(l[i]);
        e->b[i] = rp_fixed(-by[i] - l[i]);
    }
    rp_add_arg(e, filled ? rp_plain(g->p, elem, rg_range(g, -2, 2))
                         : rg_leaf(g, len, d, elem));
    rp_add_arg(e, rg_grid(g, in, d, elem, depth - 1));
    return e;
}

static struct rp_expr *chosen(struct gen *g, const struct rp_len *len, int d,
                              rp_type elem, int depth)
{
    struct rp_expr *e = rp_new(g->p, RP_IF, rp_grid(g->p, len, d, elem));
    int scope = g->scope_count;

    g->scope_count = 0; /* of parameters alone */
    rp_add_arg(e, rg_condition(g, 1));
    g->scope_count = scope;
    rp_add_arg(e, rg_grid(g, len, d, elem, depth - 1));
    rp_add_arg(e, rg_grid(g, len, d, elem, 0));
    e->style = (unsigned)rg_below(g, 1 << 16);
    return e;
}

static struct rp_expr *shared(struct gen *g, const struct rp_len *len, int d,
                              rp_type elem, int depth)
{
    struct rp_expr *value = rg_grid(g, len, d, rg_element_type(g), depth - 1), *e;
    int v = rg_enter(g, value->type, "t");

    e = rp_new2(g->p, RP_LET, rp_grid(g->p, len, d, elem), value,
                rg_grid(g, len, d, elem, depth - 1));
    rg_leave(g, 1);
    e->param[0] = v;
    e->param_count = 1;
    e->style = (unsigned)rg_below(g, 1 << 16);
    return e;
}

/* A member of a grid of tuples. */
static struct rp_expr *member(struct gen *g, const struct rp_len *len, int d,
                              rp_type elem, int depth)
{
    rp_type two[] = {rp_scalar(rg_number_kind(g)), elem}, grids[2];
    struct rp_expr *e = rg_mapped(g, len, d, rp_tuple(g->p, two, 2), depth - 1), *apart;
    int v;

    if (rg_chance(g, 50)) {
        grids[0] = rp_grid(g->p, len, d, two[0]);
        grids[1] = rp_grid(g->p, len, d, two[1]);
        apart = rp_new1(g->p, RP_UNZIP, rp_tuple(g->p, grids, 2), e);
        apart->d = d;
        return rp_get(g->p, apart, 1);
    }
    v = rp_new_var(g->p, rp_element(e->type, d));
    g->p->vars[v].name = rg_name(g, "t");
    return rg_map(g, d, e, v, rp_get(g->p, rp_var(g->p, v), 1),
                  rp_grid(g->p, len, d, elem));
}

struct rp_expr *rg_grid(struct gen *g, const struct rp_len *len, int d, rp_type elem,
                        int depth)
{
    static const int weights[] = {52, 10, 6, 8, 6, 10, 8, -1};

    if (depth <= 0)
        return rg_chance(g, 25) ? rg_leaf(g, len, d, elem)
                                : rg_mapped(g, len, d, elem, 0);
    switch (rg_pick(g, weights)) {
    case 0:
        return rg_mapped(g, len, d, elem, depth);
    case 1:
        return inset(g, len, d, elem, depth);
    case 2:
        return chosen(g, len, d, elem, depth);
    case 3:
        return shared(g, len, d, elem, depth);
    case 4:
        return member(g, len, d, elem, depth);
    case 5:
        return rg_moved(g, len, d, elem, depth);
    default:
        return d > 1 ? by_rows(g, len, d, elem, depth)
                     : rg_mapped(g, len, d, elem, depth);
    }
}
