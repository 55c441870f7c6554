/* Finds the arithmetic behind the outputs of a program. Follows a value through arrays,
 * tuples and functions to the stored scalars; an array has the chain of its elements. */
#include "base/bug.h"
#include "explore/problem.h"
#include <math.h>
#include <string.h>

enum { ROUNDED_F32 = 1, ROUNDED_F64 = 2, ROUNDED = 3, DECIDED = 4, TURNS = 3 };

/* Roundings of a value: the types it was rounded to, and whether a discontinuous step (a
 * comparison, a conversion to integers) depends on a rounded value. Also the number of
 * consecutive roundings to f16 or bf16, and their coarsest epsilon. A tuple has a chain
 * for each member. */
struct chain {
    unsigned bits;
    int stores;
    double epsilon;
    int count;
    const struct chain **parts;
};

struct scope {
    const struct scope *outer;
    const struct chain *value;
};

static const struct chain *follow(struct lift_arena *arena, lift_expr e,
                                  const struct scope *scope);

static unsigned all_bits(const struct chain *c)
{
    unsigned bits = c->bits;

    for (int i = 0; i < c->count; i++)
        bits |= all_bits(c->parts[i]);
    return bits;
}

static const struct chain *one(struct lift_arena *arena, unsigned bits)
{
    struct chain *c = LIFT_NEW(arena, struct chain);

    c->bits = bits;
    return c;
}

static void add_stores(struct chain *to, const struct chain *c)
{
    to->stores = c->stores > to->stores ? c->stores : to->stores;
    to->epsilon = fmax(to->epsilon, c->epsilon);
    for (int i = 0; i < c->count; i++)
        add_stores(to, c->parts[i]);
}

/* Makes a chain for a number that depends on 'from'; NULL: on nothing. */
static struct chain *number(struct lift_arena *arena, unsigned bits,
                            const struct chain *from)
{
    struct chain *c = LIFT_NEW(arena, struct chain);

    c->bits = bits;
    if (from)
        add_stores(c, from);
    return c;
}

static struct chain *tuple(struct lift_arena *arena, int count)
{
    struct chain *c = LIFT_NEW(arena, struct chain);

    c->count = count;
    c->parts = LIFT_NEW_ARRAY(arena, const struct chain *, count);
    return c;
}

static const struct chain *join(struct lift_arena *arena, const struct chain *a,
                                const struct chain *b)
{
    struct chain *c;

    if (!a || !b)
        return a ? a : b;
    if (a->count != b->count || a->count == 0) {
        c = number(arena, all_bits(a) | all_bits(b), a);
        add_stores(c, b);
        return c;
    }
    c = tuple(arena, a->count);
    for (int i = 0; i < a->count; i++)
        c->parts[i] = join(arena, a->parts[i], b->parts[i]);
    return c;
}

static const struct chain *apply(struct lift_arena *arena, lift_expr lambda,
                                 const struct scope *scope, const struct chain *first,
                                 const struct chain *second)
{
    struct scope outer = {scope, first}, inner = {&outer, second};

    LIFT_ASSERT(lambda->arg_count <= 2);
    return follow(arena, lambda->u.lambda.body, lambda->arg_count == 2 ? &inner : &outer);
}

/* ---- scalars */

static bool is_exact(enum lift_op op)
{
    return op == LIFT_MIN || op == LIFT_MAX || op == LIFT_ABS || op == LIFT_NEG ||
           op == LIFT_SELECT || op == LIFT_TO_F64 || op == LIFT_SPLAT || op == LIFT_FLOOR;
}

/* True for operations whose values of f16 and bf16 are f32. */
static bool widens(lift_expr e)
{
    return e->op == LIFT_TO_F32 &&
           lift_scalar_is_storage(e->u.prim.args[0]->type->scalar);
}

/* The types to which the operation itself rounds. */
static unsigned own_bits(lift_expr e)
{
    bool vector = e->type->kind == LIFT_TYPE_VECTOR;

    if (e->op == LIFT_USER_FUN)
        return ROUNDED_F64 |
               (strstr(e->u.prim.text, "f32") || strstr(e->u.prim.text, "float")
                    ? ROUNDED_F32
                    : 0);
    if ((!vector && e->type->kind != LIFT_TYPE_SCALAR) || is_exact(e->op) || widens(e))
        return 0;
    return e->type->scalar == LIFT_F32   ? ROUNDED_F32
           : e->type->scalar == LIFT_F64 ? ROUNDED_F64
                                         : 0;
}

/* Searches the function's C text for a comparison, an integer type or a rounding
 * function. The text is not analysed further. */
static bool has_step(const char *text)
{
    static const char *const words[] = {"<",     ">",    "?",     "i32",  "int",
                                        "floor", "ceil", "round", "trunc"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

/* True if a slightly different operand may change the result by a whole step. */
static bool is_step(lift_expr e)
{
    switch (e->op) {
    case LIFT_LT:
    case LIFT_LE:
    case LIFT_EQ:
    case LIFT_NE:
    case LIFT_FLOOR:
    case LIFT_TO_I32:
        return true;
    case LIFT_USER_FUN:
        return has_step(e->u.prim.text);
    default:
        return false;
    }
}

static unsigned decided(lift_expr e, unsigned bits)
{
    return bits & ROUNDED && is_step(e) ? DECIDED : 0;
}

static bool is_inexact_literal(lift_expr e)
{
    return lift_type_is_scalar(e->type, LIFT_F32) &&
           (double)(float)e->u.number != e->u.number;
}

/* ---- terms */

/* True for functions of indices, not of elements. */
static bool takes_indices(enum lift_op op)
{
    return op == LIFT_PAD_VALUE || op == LIFT_REORDER || op == LIFT_ARRAY;
}

/* A primitive with a function: its chain results from the chains of its data. */
static const struct chain *call(struct lift_arena *arena, lift_expr e, lift_expr f,
                                const struct chain *data, const struct scope *scope)
{
    const struct chain *out = data;

    if (takes_indices(e->op))
        return join(arena, data, apply(arena, f, scope, one(arena, 0), one(arena, 0)));
    if (!lift_op_is_reduce(e->op) && e->op != LIFT_ITERATE)
        return apply(arena, f, scope, data, data);
    for (int i = 0; i < TURNS; i++)
        out = join(arena, out, apply(arena, f, scope, out, data));
    return out;
}

static const struct chain *of_scalar(struct lift_arena *arena, lift_expr e,
                                     const struct chain *data)
{
    unsigned bits = all_bits(data);
    struct chain *c = number(arena, bits | own_bits(e) | decided(e, bits), data);

    if (e->op == LIFT_TO_F16 || e->op == LIFT_TO_BF16) {
        c->stores++;
        c->epsilon = fmax(c->epsilon, lift_scalar_epsilon(e->type->scalar));
    }
    return c;
}

static const struct chain *of_prim(struct lift_arena *arena, lift_expr e,
                                   const struct scope *scope)
{
    const struct chain *data = NULL, *arg;
    struct chain *members = NULL;
    lift_expr f = NULL;

    if (e->op == LIFT_TUPLE || e->op == LIFT_ZIP)
        members = tuple(arena, e->arg_count);
    for (int i = 0; i < e->arg_count; i++) {
        if (e->u.prim.args[i]->kind == LIFT_EXPR_LAMBDA) {
            f = e->u.prim.args[i];
            continue;
        }
        arg = follow(arena, e->u.prim.args[i], scope);
        if (members)
            members->parts[i] = arg;
        else
            data = join(arena, data, arg);
    }
    if (members)
        return members;
    data = data ? data : one(arena, 0);
    if (f)
        return call(arena, e, f, data, scope);
    if (e->op == LIFT_GET)
        return data->count > e->u.prim.attrs.get.k ? data->parts[e->u.prim.attrs.get.k]
                                                   : data;
    if (lift_prim_info(e->op)->level == LIFT_LEVEL_SCALAR && e->op != LIFT_SELECT)
        return of_scalar(arena, e, data);
    return data;
}

static const struct chain *follow(struct lift_arena *arena, lift_expr e,
                                  const struct scope *scope)
{
    switch (e->kind) {
    case LIFT_EXPR_BOUND:
        for (int i = e->u.index; i > 0 && scope; i--)
            scope = scope->outer;
        LIFT_ASSERT(scope);
        return scope->value;
    case LIFT_EXPR_LIT:
        return one(arena, is_inexact_literal(e) ? ROUNDED_F32 : 0);
    case LIFT_EXPR_PRIM:
        return of_prim(arena, e, scope);
    default:
        return one(arena, 0);
    }
}

void explore_find_chains(struct explore_problem *p, const struct explore_leaf *outputs,
                         int count)
{
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    const struct chain *root = follow(arena, p->root, NULL);

    for (int i = 0; i < count; i++) {
        bool member = p->root->type->kind == LIFT_TYPE_TUPLE && root->count;
        const struct chain *c = member ? root->parts[outputs[i].member] : root;
        const struct chain *all = number(arena, all_bits(c), c);
        bool coarse = all->bits & ROUNDED_F32 || outputs[i].scalar != LIFT_F64;

        p->decided[i] = all->bits & DECIDED;
        p->epsilon[i] = lift_scalar_epsilon(coarse ? LIFT_F32 : LIFT_F64);
        p->stored[i] = all->epsilon * all->stores * (all->stores + 1) / 2;
    }
}
