/* Memory layout of results and inputs: aligned rows, padded planes, and results in the
 * buffers of inputs. These rules change no value; code generation applies the layout. */
#include "base/table.h"
#include "ir/spine.h"
#include "rules/native/natives.h"
#include "rules/nd.h"

/* True if 't' has rows of plain values. In a tuple, only the members with the most
 * dimensions must have rows. */
static bool has_rows(lift_type t)
{
    if (t->kind != LIFT_TYPE_TUPLE)
        return lift_type_rank(t) >= 2 && lift_type_is_value(lift_type_base(t));
    for (int i = 0; i < t->count; i++)
        if (!lift_has_fewer_dims(t, i) && !has_rows(t->parts[i]))
            return false;
    return true;
}

static bool computes(enum lift_op op)
{
    return lift_prim_info(op)->level == LIFT_LEVEL_SCALAR ||
           (op != LIFT_MAP && lift_op_is_map(op));
}

/* True for a closed term that computes values rather than only moves elements. */
static bool is_result(lift_expr e)
{
    for (int op = 0; op < LIFT_OP_COUNT; op++)
        if (computes((enum lift_op)op) && lift_expr_mentions(e, (enum lift_op)op))
            return e->loose == 0;
    return false;
}

/* Aligns rows to multiples of 8, 16 or 32 elements. With 'interior', a tunable selects
 * the first aligned element. */
static void align(struct rule_redex *redex, bool interior)
{
    struct lift_ir *ir = redex->ir;
    struct lift_nats *nats = lift_ir_nats(ir);
    struct lift_prim_args a = {.arg_count = 1};

    if (!is_result(redex->at) || !has_rows(redex->at->type) ||
        lift_expr_mentions(redex->at, LIFT_ALIGN_ROWS))
        return;
    a.nats[0] = redex_tunable(redex, "row_align", 0, 8, 32);
    a.nats[1] =
        interior ? redex_tunable(redex, "row_lead", 0, 1, 8) : lift_nat_const(nats, 0);
    a.args[0] = redex->at;
    if (redex_require(redex, LIFT_SIDE_DIVIDES, lift_nat_const(nats, 8), a.nats[0],
                      "rows at multiples of 8 elements") &&
        redex_require(redex, LIFT_SIDE_DIVIDES, a.nats[0], lift_nat_const(nats, 32),
                      "rows at multiples that divide 32"))
        redex_emit(redex, lift_make(ir, LIFT_ALIGN_ROWS, &a));
}

void rule_align_rows(struct rule_redex *redex)
{
    align(redex, false);
}

void rule_align_interior(struct rule_redex *redex)
{
    align(redex, true);
}

/* Makes the distance of planes, or of rows, 128 to 384 elements more than a multiple of
 * 1024. In a cache with ways of 4096 bytes, neighbouring planes then map neither to equal
 * sets nor to sets half a way apart. */
void rule_pad_planes(struct rule_redex *redex)
{
    struct lift_nats *nats = lift_ir_nats(redex->ir);
    struct lift_prim_args a = {.arg_count = 1};

    if (!is_result(redex->at) || !has_rows(redex->at->type) ||
        lift_expr_mentions(redex->at, LIFT_APART))
        return;
    a.nats[0] = lift_nat_const(nats, 1024);
    a.nats[1] = lift_nat_mul(lift_nat_const(nats, 64),
                             redex_tunable(redex, "plane_pad", 0, 2, 6));
    a.args[0] = redex->at;
    redex_emit(redex, lift_make(redex->ir, LIFT_APART, &a));
}

/* ---- in place */

enum { MAX_INPUTS = 32, MAX_MEMBERS = 16 };

/* Inputs whose types are types of the result's members, in the order of the search. The
 * result also reads 'far' inputs at other points. */
struct candidates {
    lift_type types[MAX_MEMBERS]; /* types of the members; for a result that is not a
                                     tuple, its type */
    int type_count;
    bool lists; /* the result also has members with fewer dimensions */
    lift_expr inputs[MAX_INPUTS];
    bool far[MAX_INPUTS];
    int count;
    struct lift_ptrmap seen[2]; /* visited nodes: [1] inside windows that reach other
                                   points, [0] elsewhere */
    lift_expr taken[MAX_MEMBERS];
    int choices;
};

static bool has_type(const struct candidates *c, lift_type t)
{
    for (int i = 0; i < c->type_count; i++)
        if (c->types[i] == t)
            return true;
    return false;
}

static void note_input(struct candidates *c, lift_expr input, bool far)
{
    int i = 0;

    while (i < c->count && c->inputs[i] != input)
        i++;
    if (i == MAX_INPUTS)
        return;
    if (i == c->count) {
        c->inputs[c->count++] = input;
        c->far[i] = false;
    }
    c->far[i] |= far;
}

/* True for windows that overlap; other windows are tiles. */
static bool overlaps(lift_expr e)
{
    return lift_expr_is(e, LIFT_REORDER) || lift_expr_is(e, LIFT_SLIDE_SHIFT) ||
           (lift_expr_is(e, LIFT_SLIDE) && e->u.prim.nats[0] != e->u.prim.nats[1]);
}

static bool part_overlaps(lift_expr e)
{
    bool far = overlaps(e);

    for (int i = 0; i < lift_expr_child_count(e) && !far; i++)
        far = part_overlaps(lift_expr_child(e, i));
    return far;
}

/* True if 'e' has overlapping windows of the array or of its rows. */
static bool reaches_far(lift_expr e)
{
    if (e->op == LIFT_MAP && nd_is_view(e->u.prim.args[0]))
        return part_overlaps(e->u.prim.args[0]->u.lambda.body);
    return overlaps(e);
}

/* Finds candidate inputs. Inputs whose neighbours are read pass through a window or a
 * similar view. Code generation checks the remaining reads index by index. */
static void find_inputs(struct candidates *c, lift_expr e, bool far)
{
    if (lift_ptrmap_get(&c->seen[far], e))
        return;
    lift_ptrmap_put(&c->seen[far], e, (void *)e);
    if (e->kind == LIFT_EXPR_FREE && has_type(c, e->type))
        note_input(c, e, far);
    far |= e->kind == LIFT_EXPR_PRIM && reaches_far(e);
    for (int i = 0; i < lift_expr_child_count(e); i++)
        find_inputs(c, lift_expr_child(e, i), far);
}

static bool list_types(struct candidates *c, lift_type result)
{
    bool tuple = result->kind == LIFT_TYPE_TUPLE;

    for (int i = 0; i < (tuple ? result->count : 1); i++) {
        lift_type t = tuple ? result->parts[i] : result;

        if (tuple && lift_has_fewer_dims(result, i)) {
            c->lists = true;
            continue;
        }
        if (c->type_count == MAX_MEMBERS || t->kind != LIFT_TYPE_ARRAY)
            return false;
        c->types[c->type_count++] = t;
    }
    return true;
}

/* Returns the candidate that the previous member with the type of this member takes; -1
 * if there is no previous member. */
static int last_taken(const struct candidates *c, int member)
{
    int i = member - 1, k = 0;

    while (i >= 0 && c->types[i] != c->types[member])
        i--;
    while (i >= 0 && c->inputs[k] != c->taken[i])
        k++;
    return i < 0 ? -1 : k;
}

/* Stores each grid of a result with lists separately in its input. NULL: the members
 * cannot be separated. */
static lift_expr grids_in(struct lift_ir *ir, lift_expr e, const lift_expr *inputs)
{
    int i = 0, n = lift_expr_child_count(e);

    if (lift_expr_is(e, LIFT_TUPLE)) {
        for (i = 0; i < n; i++)
            if (!lift_has_fewer_dims(e->type, i))
                e = lift_expr_with_child(
                    ir, e, i,
                    lift_call2(ir, LIFT_IN_PLACE, *inputs++, lift_expr_child(e, i)));
        return e;
    }
    while (i < n && !lift_leads_to_result(e, i))
        i++;
    return i < n ? lift_expr_with_child(ir, e, i,
                                        grids_in(ir, lift_expr_child(e, i), inputs))
                 : NULL;
}

static void emit_choice(struct rule_redex *redex, struct candidates *c)
{
    struct lift_prim_args a = {.arg_count = c->type_count};
    struct lift_ir *ir = redex->ir;
    lift_expr to = c->lists ? grids_in(ir, redex->at, c->taken) : NULL;

    for (int i = 0; i < c->type_count; i++)
        a.args[i] = c->taken[i];
    c->choices++;
    if (to)
        redex_emit(redex, to);
    else if (!c->lists)
        redex_emit(redex, lift_call2(ir, LIFT_IN_PLACE,
                                     redex->at->type->kind == LIFT_TYPE_TUPLE
                                         ? lift_make(ir, LIFT_TUPLE, &a)
                                         : c->taken[0],
                                     redex->at));
}

/* Enumerates the choices of inputs. Members of one type take inputs in increasing order,
 * since a permutation of the inputs has no benefit. */
static void choose(struct rule_redex *redex, struct candidates *c, int member)
{
    if (member == c->type_count) {
        emit_choice(redex, c);
        return;
    }
    for (int i = last_taken(c, member) + 1; i < c->count && c->choices < RULE_MAX_RESULTS;
         i++)
        if (!c->far[i] && c->inputs[i]->type == c->types[member]) {
            c->taken[member] = c->inputs[i];
            choose(redex, c, member + 1);
        }
}

void rule_in_place(struct rule_redex *redex)
{
    struct candidates c = {.count = 0};

    if (!is_result(redex->at) || !list_types(&c, redex->at->type) ||
        lift_expr_mentions(redex->at, LIFT_IN_PLACE))
        return;
    if (!c.lists && !lift_writes_once(redex->at)) {
        redex_refuse(redex, "a result has elements that may be written twice");
        return;
    }
    find_inputs(&c, redex->at, false);
    for (int far = 0; far < 2; far++)
        lift_ptrmap_fini(&c.seen[far]);
    choose(redex, &c, 0);
}
