/* Rules by which a work-item computes several points, or loads and stores vectors. */
#include "rules/native/natives.h"
#include "rules/native/tile.h"
#include "rules/nd.h"

enum { WIDTH = 4, BOX = 4, VECTOR_BOX = 8 };

static lift_nat number(struct rule_redex *redex, int64_t value)
{
    return lift_nat_const(lift_ir_nats(redex->ir), value);
}

/* Tiles with at most 'most' elements in every dimension. If 'row' is above 0, the
 * innermost dimension has 'row' elements. */
static void box(struct rule_redex *redex, int most, int row)
{
    lift_nat k[LIFT_MAX_DIMS];
    int d = redex->numbers.dims;

    for (int i = 0; i < d; i++)
        k[i] = row && i == d - 1 ? number(redex, row)
               : most > 1        ? redex_tunable(redex, "points", i, 1, most)
                                 : number(redex, 1);
    rule_tile_by(redex, k);
}

/* Tiles small enough for one work-item. */
void rule_thread_box(struct rule_redex *redex)
{
    box(redex, BOX, 0);
}

/* Tiles of one vector along the innermost dimension and a few elements in the other
 * dimensions. */
void rule_vector_box(struct rule_redex *redex)
{
    box(redex, VECTOR_BOX, WIDTH);
}

/* Tiles of one vector along the innermost dimension and one element in the other
 * dimensions. */
void rule_vector_tile(struct rule_redex *redex)
{
    box(redex, 1, WIDTH);
}

/* Tiles of a few elements in all dimensions except the innermost. The tiles must divide
 * the lengths evenly, since the rule subdivides larger tiles. */
void rule_vector_block(struct rule_redex *redex)
{
    lift_nat k[LIFT_MAX_DIMS], len[LIFT_MAX_DIMS];
    int most = redex->numbers.dims > 2 ? BOX : VECTOR_BOX;
    lift_expr f, xs;

    if (!nd_is_map(redex->ir, redex->numbers.dims, redex->at, &f, &xs) ||
        !nd_lengths(xs->type, redex->numbers.dims, len))
        return;
    for (int i = 0; i < redex->numbers.dims - 1; i++) {
        k[i] = redex_tunable(redex, "points", i, 1, most);
        if (!redex_require(redex, LIFT_SIDE_DIVIDES, k[i], len[i],
                           "blocks of rows divide evenly"))
            return;
    }
    k[redex->numbers.dims - 1] = number(redex, 1);
    rule_tile_by(redex, k);
}

static bool is_scalars(lift_type element)
{
    return element->kind == LIFT_TYPE_SCALAR && element->scalar != LIFT_BOOL;
}

static bool is_vectors(lift_type t)
{
    return t->kind == LIFT_TYPE_ARRAY && is_scalars(t->elem);
}

/* Copies by vectors. If the last vector has too many lanes, the copy pads the input and
 * drops the surplus. */
static lift_expr by_vectors(struct rule_redex *redex, lift_expr xs)
{
    struct lift_ir *ir = redex->ir;
    lift_nat n = xs->type->len, w = number(redex, WIDTH);
    lift_nat rest = lift_nat_sub(lift_nat_mul(w, lift_nat_ceil_div(n, w)), n);

    if (!lift_nat_is(rest, 0))
        xs = lift_pad(ir, number(redex, 0), rest, LIFT_PAD_ANY, xs);
    xs = nd_copy(ir, 1, lift_call_nat(ir, LIFT_AS_VECTOR, w, xs));
    xs = lift_call1(ir, LIFT_AS_SCALAR, xs);
    return lift_nat_is(rest, 0) ? xs : lift_call_nat(ir, LIFT_TAKE, n, xs);
}

static lift_expr rows_by_vectors(struct rule_redex *redex, lift_expr xs)
{
    lift_expr row;

    if (lift_type_rank(xs->type) == 1)
        return by_vectors(redex, xs);
    row = lift_fresh(redex->ir, "r", xs->type->elem);
    return lift_map(redex->ir, lift_fun(redex->ir, rows_by_vectors(redex, row), row), xs);
}

/* toLocal(copy of xs) = toLocal(copy of xs, each row by vectors) */
void rule_copy_by_vectors(struct rule_redex *redex)
{
    lift_expr copy = redex->at->u.prim.args[0], xs;
    lift_type row = copy->type;
    int rank = lift_type_rank(copy->type);

    if (rank < 1 || !lift_expr_is(copy, LIFT_MAP))
        return;
    xs = copy->u.prim.args[1];
    for (int i = 1; i < rank; i++)
        row = row->elem;
    if (is_vectors(row) && nd_copy(redex->ir, rank, xs) == copy)
        redex_emit(redex,
                   lift_call1(redex->ir, LIFT_TO_LOCAL, rows_by_vectors(redex, xs)));
}

/* Code that loads vectors of two also stores vectors of two. */
static int store_width(const struct rule_redex *redex)
{
    return redex->at->u.prim.attrs.unroll.loads == 2 ? 2 : WIDTH;
}

/* Copies an array by vectors to its final location. */
static lift_expr stored_by_vectors(struct rule_redex *redex, lift_expr xs)
{
    struct lift_ir *ir = redex->ir;
    lift_expr vectors =
        lift_call_nat(ir, LIFT_AS_VECTOR, number(redex, store_width(redex)), xs);
    lift_expr copy = vectors ? nd_copy(ir, 1, vectors)->u.prim.args[0] : NULL;

    return copy ? lift_call1(ir, LIFT_AS_SCALAR,
                             lift_map_as(ir, LIFT_MAP_UNROLL, 0, copy, vectors))
                : NULL;
}

static bool is_vectors_of_each(lift_type t)
{
    for (int i = 0; i < t->elem->count; i++)
        if (!is_scalars(t->elem->parts[i]))
            return false;
    return true;
}

/* Stores each array of a tuple by separate vectors: zip(..., stored(unzip(p).k), ...). */
static lift_expr each_by_vectors(struct rule_redex *redex, lift_expr p)
{
    lift_expr arrays = lift_call1(redex->ir, LIFT_UNZIP, p), to[LIFT_MAX_ARGS];
    int count = p->type->elem->count;

    for (int i = 0; i < count; i++) {
        to[i] = stored_by_vectors(redex, lift_get(redex->ir, i, arrays));
        if (!to[i])
            return NULL;
    }
    return lift_zip_n(redex->ir, 1, to, count);
}

/* mapUnroll(f, x) = stored(toPrivate(mapUnroll(f, x))). If f has several results, f is
 * computed once, and separate vectors store each result. */
void rule_vector_store(struct rule_redex *redex)
{
    struct lift_ir *ir = redex->ir;
    lift_type t = redex->at->type;
    lift_expr kept, p, body;

    if (t->kind != LIFT_TYPE_ARRAY || nd_is_copy(redex->at) ||
        !lift_nat_proves_divides(number(redex, store_width(redex)), t->len))
        return;
    kept = lift_call1(ir, LIFT_TO_PRIVATE, redex->at);
    if (is_vectors(t))
        redex_emit(redex, stored_by_vectors(redex, kept));
    if (t->elem->kind != LIFT_TYPE_TUPLE || !is_vectors_of_each(t))
        return;
    p = lift_fresh(ir, "p", t);
    body = each_by_vectors(redex, p);
    if (body)
        redex_emit(redex, lift_let(ir, kept, lift_fun(ir, body, p)));
}
