/* Overlapped tiles of several stages: what a tile reads of each grid on the way to the
 * result is computed for the tile, and kept in local memory until it is done.
 *
 *     let u = A in B(u)
 *   = untile(map(fun(i => let t = toLocal(part(i, A)) in part(i, B(at i(t)))), tiles))
 *
 * part(i, x): what tile i needs of x; at i(t): an array like u which is t there and
 * nowhere else. Both move indices by where the tile begins. So boundaries are what they
 * were, in places of the grid, for time steps as for other stages: overlapped time
 * tiling, Holewinski et al. 2012; Krishnamoorthy et al. 2007. */
#include "lift/reach.h"
#include "rules/native/natives.h"
#include "rules/native/nd.h"
#include "rules/native/tile.h"

enum { MAX_STAGES = 32 };

/* What a tile needs of a grid: from 'lo' before its first point to 'hi' behind its last.
 */
struct part {
    int64_t lo[LIFT_MAX_DIMS], hi[LIFT_MAX_DIMS];
};

struct stage {
    lift_expr var, value;
    struct part part;
    bool used;
};

struct stages {
    struct lift_ir *ir;
    const char *why;        /* they cannot be tiled */
    struct rule_numbers of; /* the outer 'first' of 'dims' dimensions are tiled */
    struct stage items[MAX_STAGES];
    int count;
    lift_expr result;
    bool tuple; /* the result was a tuple of grids, and is a grid of tuples now */
    lift_nat len[LIFT_MAX_DIMS], k[LIFT_MAX_DIMS];
    struct part margin; /* of all that is read for a tile */
    lift_expr tile;     /* its place among the tiles */
};

/* ---- stages */

/* A tuple of grids as a grid of tuples. */
static lift_expr zipped(const struct stages *x, lift_expr e)
{
    lift_expr grids[LIFT_MAX_ARGS];

    for (int i = 0; i < e->type->count; i++) {
        if (lift_type_rank(e->type->parts[i]) < x->of.dims)
            return NULL;
        grids[i] =
            lift_expr_is(e, LIFT_TUPLE) ? e->u.prim.args[i] : lift_get(x->ir, i, e);
    }
    return lift_zip_n(x->ir, x->of.dims, grids, e->type->count);
}

/* Grids that have names at the root, stored there or not. */
static bool find_stages(struct stages *x, lift_expr e)
{
    for (; lift_expr_is(e, LIFT_LET); x->count++) {
        struct stage *s = &x->items[x->count];

        s->value = e->u.prim.args[0];
        if (lift_expr_is(s->value, LIFT_TO_GLOBAL))
            s->value = s->value->u.prim.args[0];
        if (x->count == MAX_STAGES)
            x->why = "there are more than 32 stages";
        if (x->count == MAX_STAGES || lift_type_rank(s->value->type) < x->of.dims)
            return false;
        s->var = lift_fresh(x->ir, e->u.prim.args[1]->u.lambda.names[0], s->value->type);
        e = lift_expr_apply(x->ir, e->u.prim.args[1], &s->var);
    }
    x->tuple = e->type->kind == LIFT_TYPE_TUPLE;
    x->result = x->tuple ? zipped(x, e) : e;
    return x->count && x->result && nd_lengths(x->result->type, x->of.dims, x->len);
}

static void widen(struct part *p, const struct part *by, const struct lift_reach *r,
                  int d)
{
    int64_t lo = by->lo[d] + r->lo[d], hi = by->hi[d] + r->hi[d];

    p->lo[d] = lo < p->lo[d] ? lo : p->lo[d];
    p->hi[d] = hi > p->hi[d] ? hi : p->hi[d];
}

/* What 'term' needs of the stages before it where a tile needs 'part' of it. */
static bool need(struct stages *x, lift_expr term, const struct part *part, int before)
{
    struct lift_reach reach[MAX_STAGES + 1];

    for (int i = 0; i < before; i++)
        reach[i].array = x->items[i].var;
    reach[before].array = NULL; /* the inputs */
    lift_reach_find(term, x->of.first, reach, before + 1);
    for (int d = 0; d < x->of.first; d++)
        widen(&x->margin, part, &reach[before], d);
    for (int i = 0; i < before; i++) {
        struct stage *s = &x->items[i];

        if (reach[i].read && (!reach[i].known || reach[i].wraps)) {
            x->why = reach[i].known
                         ? "a stage is read around the ends ('wrap')"
                         : "a point reads more of a stage than a neighbourhood "
                           "of a fixed size";
            return false;
        }
        for (int d = 0; reach[i].read && d < x->of.first; d++) {
            widen(&s->part, part, &reach[i], d);
            widen(&x->margin, part, &reach[i], d);
        }
        s->used |= nd_count(term, s->var, 1) > 0;
    }
    return true;
}

/* From the result back to the first stage. */
static bool find_parts(struct stages *x)
{
    const struct part whole = {.lo = {0}};

    if (!need(x, x->result, &whole, x->count))
        return false;
    for (int i = x->count - 1; i >= 0; i--)
        if (x->items[i].used && !need(x, x->items[i].value, &x->items[i].part, i))
            return false;
    return true;
}

/* ---- indices */

static lift_nat size(const struct stages *x, int64_t value)
{
    return lift_nat_const(lift_ir_nats(x->ir), value);
}

/* Where the tile begins along dimension d. */
static lift_expr start_of(const struct stages *x, int d)
{
    lift_expr i = x->of.first == 1 ? x->tile : lift_get(x->ir, d, x->tile);

    return lift_call2(x->ir, LIFT_MUL, i, nd_size(x->ir, x->k[d]));
}

struct moved {
    const struct stages *x;
    const struct part *part;
    const lift_nat *whole; /* lengths of the grid */
    int dim;
};

/* reorder(c => c + begin, xs), or c - begin; begin is where the tile does along the
 * dimension, and 'by' more. */
static lift_expr move(const struct moved *m, bool back, int64_t by, lift_expr xs)
{
    struct lift_ir *ir = m->x->ir;
    lift_expr c = lift_fresh(ir, "c", lift_type_scalar(ir, LIFT_I32));
    lift_expr begin = start_of(m->x, m->dim);

    if (by)
        begin = lift_call2(ir, LIFT_ADD, begin, lift_expr_int(ir, by));
    return lift_call2(
        ir, LIFT_REORDER,
        lift_fun(ir, lift_call2(ir, back ? LIFT_SUB : LIFT_ADD, c, begin), c), xs);
}

static lift_expr pad_any(const struct stages *x, int64_t l, lift_nat r, lift_expr xs)
{
    return lift_pad(x->ir, size(x, l), r, LIFT_PAD_ANY, xs);
}

/* How long the part is along a dimension. */
static lift_nat length(const struct moved *m)
{
    return lift_nat_add_const(m->x->k[m->dim], m->part->hi[m->dim] - m->part->lo[m->dim]);
}

typedef lift_expr row_fn(const struct moved *m, lift_expr xs);

struct row {
    struct moved m;
    row_fn *fn;
};

static lift_expr on_row(struct lift_ir *ir, void *user, lift_expr row)
{
    const struct row *r = user;

    (void)ir;
    return r->fn(&r->m, row);
}

/* The dimensions inside are done first. */
static lift_expr on_rows(const struct moved *m, row_fn *fn, lift_expr xs)
{
    struct row r = {*m, fn};

    if (++r.m.dim == m->x->of.first || !xs)
        return xs;
    return lift_map(m->x->ir, lift_lambda(m->x->ir, "r", xs->type->elem, on_row, &r), xs);
}

static lift_expr part_of(const struct moved *m, lift_expr xs)
{
    int64_t lo = m->part->lo[m->dim], before = lo < 0 ? -lo : 0;
    lift_nat n = length(m);

    xs = pad_any(m->x, before, n, on_rows(m, part_of, xs));
    return lift_call_nat(m->x->ir, LIFT_TAKE, n, move(m, false, lo + before, xs));
}

static lift_expr place_of(const struct moved *m, lift_expr xs)
{
    lift_nat n = m->whole[m->dim];

    xs = pad_any(m->x, 0, n, on_rows(m, place_of, xs));
    return lift_call_nat(m->x->ir, LIFT_TAKE, n, move(m, true, m->part->lo[m->dim], xs));
}

/* ---- tiles */

/* 'e' with the first stages in place of their names: t[i] is the part of stage i. */
static lift_expr with_parts(const struct stages *x, lift_expr e, const lift_expr *t,
                            int count)
{
    for (int i = 0; i < count; i++) {
        lift_nat whole[LIFT_MAX_DIMS];
        struct moved m = {x, &x->items[i].part, whole, 0};

        if (!x->items[i].used)
            continue;
        nd_lengths(x->items[i].var->type, x->of.dims, whole);
        e = nd_replace(x->ir, e, x->items[i].var, place_of(&m, t[i]));
    }
    return e;
}

static lift_expr copy_of(const struct stages *x, lift_expr xs)
{
    return xs ? nd_copy(x->ir, lift_type_rank(xs->type), xs) : NULL;
}

/* One tile of the result. */
static lift_expr tile_body(const struct stages *x)
{
    lift_expr t[MAX_STAGES] = {NULL}, values[MAX_STAGES] = {NULL}, body;
    const struct part whole = {.lo = {0}};
    struct moved m = {x, &whole, x->len, 0};

    for (int i = 0; i < x->count; i++) {
        struct moved own = {x, &x->items[i].part, NULL, 0};

        if (!x->items[i].used)
            continue;
        values[i] = copy_of(x, part_of(&own, with_parts(x, x->items[i].value, t, i)));
        if (!values[i])
            return NULL;
        t[i] = lift_fresh(x->ir, "t", values[i]->type);
    }
    body = copy_of(x, part_of(&m, with_parts(x, x->result, t, x->count)));
    for (int i = x->count - 1; i >= 0 && body; i--)
        if (t[i])
            body = lift_let(x->ir, lift_call1(x->ir, LIFT_TO_LOCAL, values[i]),
                            lift_fun(x->ir, body, t[i]));
    return body;
}

/* fun((i, j, ...) => (i, j, ...)), or of one index. */
static lift_expr index_tuple(const struct stages *x)
{
    lift_type i32 = lift_type_scalar(x->ir, LIFT_I32), types[LIFT_MAX_DIMS];
    lift_expr vars[LIFT_MAX_DIMS];
    int n = x->of.first;

    for (int i = 0; i < n; i++) {
        types[i] = i32;
        vars[i] = lift_expr_bound(x->ir, n - 1 - i, i32);
    }
    return lift_expr_lambda(x->ir, types, n, NULL,
                            n == 1 ? vars[0] : lift_call(x->ir, LIFT_TUPLE, vars, n));
}

/* True of a tile that reads inside of the grid only. */
static lift_expr inside(const struct stages *x)
{
    struct lift_ir *ir = x->ir;
    lift_expr all = NULL;

    for (int d = 0; d < x->of.first; d++) {
        lift_expr start = start_of(x, d), test[2];
        lift_nat past =
            lift_nat_sub(x->len[d], lift_nat_add_const(x->k[d], x->margin.hi[d]));

        test[0] = lift_call2(ir, LIFT_LE, lift_expr_int(ir, -x->margin.lo[d]), start);
        test[1] = lift_call2(ir, LIFT_LE, start, nd_size(ir, past));
        for (int i = 0; i < 2; i++)
            all = all ? lift_call2(ir, LIFT_AND, all, test[i]) : test[i];
    }
    return all;
}

/* The grid of the tiles, as a tuple of grids again if it was one. */
static lift_expr untiled(const struct stages *x, lift_expr tiles)
{
    lift_expr grid =
        lift_take_n(x->ir, x->of.first, x->len, lift_untile_n(x->ir, x->of.first, tiles));

    return x->tuple ? lift_unzip_n(x->ir, x->of.dims, grid) : grid;
}

static void stage_tiles(struct rule_redex *redex, bool apart)
{
    struct stages x = {.ir = redex->ir,
                       .of = redex->numbers,
                       .why = "a stage, or the result, has fewer dimensions"};
    lift_nat tiles[LIFT_MAX_DIMS];
    lift_expr body;

    if (redex->at->loose || !find_stages(&x, redex->at) || !find_parts(&x)) {
        redex_refuse(redex, x.why);
        return;
    }
    x.tile = lift_fresh(x.ir, "i", index_tuple(&x)->u.lambda.body->type);
    for (int d = 0; d < x.of.first; d++) {
        x.k[d] = redex_tunable(redex, "k", 1, tile_longest(x.len[d]));
        tiles[d] = lift_nat_ceil_div(x.len[d], x.k[d]);
    }
    body = tile_body(&x);
    if (body && apart)
        body = lift_call3(x.ir, LIFT_SELECT, inside(&x), body, body);
    if (body)
        redex_emit(redex,
                   untiled(&x, lift_map_n(x.ir, x.of.first, lift_fun(x.ir, body, x.tile),
                                          lift_array_n(x.ir, x.of.first, tiles,
                                                       index_tuple(&x)))));
}

void rule_stage_tiles(struct rule_redex *redex)
{
    stage_tiles(redex, false);
}

void rule_stage_tiles_apart(struct rule_redex *redex)
{
    stage_tiles(redex, true);
}
