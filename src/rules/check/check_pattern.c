/* Random instances of patterns, built from the leaves up: first data, then sizes that fit
 * the data, then functions of the resulting parameter types. A draw may fail; the caller
 * then draws again. */
#include "base/bug.h"
#include "rules/check/check_gen.h"

struct instance {
    struct check_gen *g;
    const struct rule_def *def;
    struct bindings b;
    lift_expr scope[RULE_MAX_BINDERS]; /* variables that replace the pattern's variables,
                                          outermost first */
    lift_type want;                    /* the type of the next draw; NULL: any */
};

static lift_expr draw(struct instance *x, const struct pat *p, int rank, int depth);

/* ---- leaves */

static lift_expr draw_meta(struct instance *x, int index, int rank, lift_type type)
{
    lift_expr *slot = &x->b.exprs[index];

    if (*slot)
        return *slot;
    for (int i = 0; rank > 0 && !type && i < RULE_MAX_EXPRS;
         i++) /* often reuse the type of another metavariable */
        if (x->b.exprs[i] && gen_chance(x->g, 40))
            type = x->b.exprs[i]->type;
    if (!type && rank == 0)
        type = gen_chance(x->g, 60)   ? gen_f32(x->g)
               : gen_chance(x->g, 40) ? lift_type_scalar(x->g->ir, LIFT_F64)
               : gen_chance(x->g, 50) ? lift_type_scalar(x->g->ir, LIFT_I32)
                                      : gen_type(x->g, gen_below(x->g, 2));
    if (!type)
        type = gen_type(x->g, rank);
    *slot = gen_input(x->g, type);
    return *slot;
}

static lift_expr draw_app(struct instance *x, const struct pat *p, int depth,
                          lift_type want)
{
    lift_expr *f = &x->b.funs[p->index], args[LIFT_MAX_PARAMS] = {0};
    lift_type params[LIFT_MAX_PARAMS] = {0};

    for (int i = 0; i < p->count; i++) {
        args[i] = draw(x, p->args[i],
                       p->args[i]->kind == PAT_BOUND ? 0 : gen_below(x->g, 3), depth);
        if (!args[i])
            return NULL;
        params[i] = args[i]->type;
    }
    if (!*f)
        *f = gen_function(x->g, params, p->count, want);
    if (!*f || (*f)->arg_count != p->count)
        return NULL;
    for (int i = 0; i < p->count; i++)
        if ((*f)->type->parts[i] != params[i])
            return NULL;
    return lift_expr_apply(x->g->ir, *f, args);
}

/* Returns the type of open literals: the required type, or any possible type. */
static enum lift_scalar draw_real(struct instance *x, lift_type want)
{
    int reals = x->def->reals;

    if (x->b.real_set)
        return x->b.real;
    x->b.real_set = true;
    if (want && want->kind == LIFT_TYPE_SCALAR && reals >> want->scalar & 1)
        x->b.real = want->scalar;
    else if ((reals >> LIFT_F32 & 1) &&
             (!(reals >> LIFT_F64 & 1) || gen_chance(x->g, 70)))
        x->b.real = LIFT_F32;
    else
        x->b.real = LIFT_F64;
    return x->b.real;
}

static lift_expr draw_lit(struct instance *x, const struct pat *p, lift_type want)
{
    enum lift_scalar scalar = p->open ? draw_real(x, want) : p->scalar;

    switch (scalar) {
    case LIFT_I32:
        return lift_expr_int(x->g->ir, p->integer);
    case LIFT_BOOL:
        return lift_expr_bool(x->g->ir, p->integer != 0);
    default:
        return lift_expr_float(x->g->ir, scalar, p->number);
    }
}

/* ---- sizes */

static int random_divisor(struct check_gen *g, int64_t n)
{
    int divisors[64], count = 0;

    for (int i = 1; i <= n && count < 64; i++)
        if (n % i == 0)
            divisors[count++] = i;
    return count ? divisors[gen_below(g, count)] : 1;
}

/* Returns the smallest size that a primitive accepts; -1 if the smallest size depends on
 * the other arguments. */
static int least_size(enum lift_op op)
{
    switch (op) {
    case LIFT_TAKE:
    case LIFT_DROP:
    case LIFT_AT:
    case LIFT_PAD:
    case LIFT_PAD_VALUE:
    case LIFT_ITERATE:
        return 0;
    case LIFT_INSET:
        return -1;
    default:
        return 1;
    }
}

/* Draws a size for slot 'slot' of a primitive whose data are known. */
static int64_t fitting_size(struct check_gen *g, enum lift_op op, int slot,
                            const struct lift_prim_args *a)
{
    lift_type t = a->arg_count ? a->args[a->arg_count - 1]->type : NULL;
    int n = t ? (int)gen_len(t) : 1, least = least_size(op);
    int size = least < 0 ? -1 : gen_next_size(g, least);

    if (size >= 0)
        return size;
    switch (op) {
    case LIFT_SPLIT:
    case LIFT_AS_VECTOR:
        return random_divisor(g, n);
    case LIFT_SLIDE:
    case LIFT_MAP_SEQ_SLIDE:
    case LIFT_SLIDE_SHIFT:
        return slot == 0 ? gen_between(g, 1, n < 5 ? n : 5) : gen_between(g, 1, 4);
    case LIFT_TAKE:
    case LIFT_DROP:
        return gen_between(g, 0, n);
    case LIFT_AT:
        return gen_below(g, n > 0 ? n : 1);
    case LIFT_PAD:
        return gen_between(g, 0, n < 4 ? n : 4);
    case LIFT_INSET: {
        int room, l;

        if (!a->args[0])
            return 0;
        room = (int)gen_len(a->args[0]->type) - n;
        if (slot == 0 || !lift_nat_is_const(a->nats[0], &(int64_t){0}))
            return gen_between(g, 0, room);
        l = (int)lift_nat_lo(a->nats[0]);
        return room - l;
    }
    default:
        return gen_between(g, op == LIFT_PAD_VALUE || op == LIFT_ITERATE ? 0 : 1, 4);
    }
}

/* Draws values for variables of compound sizes. If the size contains the length of an
 * array, draws this array. Other metavariables get small numbers. */
static void settle(void *instance, const struct lift_var *var)
{
    struct instance *x = instance;
    int i = rule_size_index(&x->def->names, var->nat);
    const struct rule_size *size = &x->def->names.nats[i];

    if (size->of >= 0)
        draw_meta(x, size->of, size->dim + 1 + gen_chance(x->g, 30), NULL);
    else if (!x->b.nats[i])
        x->b.nats[i] = gen_nat(x->g, gen_between(x->g, 1, 4));
}

static lift_nat draw_nat(struct instance *x, const struct pat *p, int slot,
                         const struct lift_prim_args *a)
{
    lift_nat n = p->nats[slot];
    int i = rule_size_index(&x->def->names, n);

    if (i >= 0 && x->def->names.nats[i].of < 0 && !x->b.nats[i])
        x->b.nats[i] = gen_nat(x->g, fitting_size(x->g, p->op, slot, a));
    lift_nat_each_var(n, settle, x);
    return rule_nat(lift_ir_nats(x->g->ir), &x->def->names, n, &x->b);
}

static int draw_attr(struct instance *x, const struct pat *p, int slot,
                     const struct lift_prim_args *a)
{
    const struct attr_pat *ap = &p->attrs[slot];
    const struct lift_attr_info *info = &lift_prim_info(p->op)->attrs[slot];
    int count = 0;

    if (ap->meta < 0)
        return ap->value;
    if (x->b.attr_set[ap->meta])
        return x->b.attrs[ap->meta];
    while (info->words && info->words[count])
        count++;
    if (p->op == LIFT_PAD) /* exclude 'any', the last kind: a result must not depend on
                              its elements */
        count = LIFT_PAD_ANY;
    if (p->op == LIFT_GET)
        count = a->args[0]->type->kind == LIFT_TYPE_TUPLE ? a->args[0]->type->count : 1;
    x->b.attr_set[ap->meta] = true;
    x->b.attrs[ap->meta] = gen_below(x->g, count ? count : 3);
    if (info->words && !*info->words[x->b.attrs[ap->meta]]) /* a removed word */
        x->b.attrs[ap->meta] = 0;
    return x->b.attrs[ap->meta];
}

/* ---- functions and primitives */

static lift_expr draw_fun(struct instance *x, const struct pat *p, enum lift_op op,
                          const struct lift_prim_args *a, const lift_type *params,
                          int count)
{
    lift_expr *slot = &x->b.funs[p->index];

    if (*slot)
        return *slot;
    if (op == LIFT_REORDER) {
        LIFT_ASSERT(a->args[1]);
        *slot = gen_index_function(x->g, gen_len(a->args[1]->type));
    } else
        *slot = gen_function(x->g, params, count, params[count]);
    return *slot;
}

static lift_expr draw_function(struct instance *x, const struct pat *p, enum lift_op op,
                               const struct lift_prim_args *a, int slot, int depth)
{
    lift_type params[LIFT_MAX_PARAMS];
    int count = lift_prim_fun_params(x->g->ir, op, a, slot, params, NULL);
    lift_type want = x->want;
    lift_expr body;

    x->want = NULL;
    if (!count)
        return NULL;
    if (!params[count] && lift_op_is_map(op) && want && want->kind == LIFT_TYPE_ARRAY)
        params[count] = want->elem;
    if (p->kind == PAT_FUN)
        return draw_fun(x, p, op, a, params, count);
    if (count != p->count || depth + count > RULE_MAX_BINDERS)
        return NULL;
    for (int i = 0; i < count; i++)
        x->scope[depth + i] = lift_fresh(x->g->ir, p->names[i], params[i]);
    x->want = params[count];
    body = draw(x, p->args[0], -1, depth + count);
    return body ? lift_expr_abstract(x->g->ir, x->scope + depth, count, body) : NULL;
}

/* Returns the likely number of dimensions of an argument; 0: a scalar; -1: any. */
static int likely_rank(struct check_gen *g, enum lift_op op, int slot)
{
    if (lift_prim_info(op)->level == LIFT_LEVEL_SCALAR)
        return 0;
    if ((lift_op_is_reduce(op) && slot == 1) || op == LIFT_ITERATE || op == LIFT_TUPLE)
        return gen_chance(g, 70) ? 0 : 1;
    if (op == LIFT_TO_LOCAL || op == LIFT_TO_PRIVATE || op == LIFT_TO_GLOBAL)
        return gen_below(g, 3);
    return -1;
}

/* Returns the type for an operand of a scalar operation: the type of the next operand.
 * The last operand gets the type of the result. */
static lift_type operand(struct check_gen *g, const struct pat *p, int slot,
                         const struct lift_prim_args *a, lift_type want)
{
    if (lift_prim_info(p->op)->level != LIFT_LEVEL_SCALAR)
        return NULL;
    if (p->op == LIFT_SELECT && slot == 0)
        return lift_type_scalar(g->ir, LIFT_BOOL);
    if (slot + 1 < p->count)
        return a->args[slot + 1]->type;
    return p->op < LIFT_LT || p->op == LIFT_SELECT ? want : NULL;
}

static bool draw_data(struct instance *x, const struct pat *p, struct lift_prim_args *a,
                      int depth, lift_type want)
{
    for (int i = p->count - 1; i >= 0; i--) {
        const struct pat *arg = p->args[i];

        if (lift_prim_fun_arity(p->op, i))
            continue;
        x->want = operand(x->g, p, i, a, want);
        a->args[i] = draw(x, arg, likely_rank(x->g, p->op, i), depth);
        if (!a->args[i])
            return false;
    }
    return true;
}

/* Draws the elements of a list. All elements of a zip have one type. */
static bool draw_list(struct instance *x, const struct pat *p, struct lift_prim_args *a,
                      int depth)
{
    const struct pat *element = p->args[0];

    if (!x->b.list_count)
        x->b.list_count = gen_between(x->g, 1, 4);
    a->arg_count = x->b.list_count;
    x->b.attr_set[RULE_PLACE] = true;
    for (int i = a->arg_count - 1; i >= 0; i--) {
        x->b.attrs[RULE_PLACE] = i;
        x->want = p->op == LIFT_ZIP && a->args[i + 1] ? a->args[i + 1]->type : NULL;
        if (element->kind == PAT_META)
            x->b.exprs[element->index] = NULL;
        a->args[i] = draw(x, element, likely_rank(x->g, p->op, 0), depth);
        if (!a->args[i])
            return false;
    }
    return true;
}

static lift_expr draw_prim(struct instance *x, const struct pat *p, int depth,
                           lift_type want)
{
    const struct lift_prim_info *info = lift_prim_info(p->op);
    struct lift_prim_args a = {.text = p->text, .arg_count = p->count};
    lift_expr e;

    if (p->list ? !draw_list(x, p, &a, depth) : !draw_data(x, p, &a, depth, want))
        return NULL;
    for (int i = 0; i < info->nat_count; i++) {
        bool array = info->expr_count == 1 && lift_prim_fun_arity(p->op, 0);
        struct lift_prim_args none = {0};

        a.nats[i] = draw_nat(x, p, i, array ? &none : &a);
        if (!a.nats[i])
            return NULL;
    }
    for (int i = 0; i < info->attr_count; i++)
        a.attrs.at[i] = draw_attr(x, p, i, &a);
    for (int i = 0; i < p->count; i++)
        if (lift_prim_fun_arity(p->op, i)) {
            x->want = want;
            a.args[i] = draw_function(x, p->args[i], p->op, &a, i, depth);
            if (!a.args[i])
                return NULL;
        }
    e = lift_expr_prim(x->g->ir, p->op, &a, NULL);
    if (p->list && p->args[0]->kind == PAT_META)
        x->b.exprs[p->args[0]->index] = e;
    return e;
}

static lift_expr draw(struct instance *x, const struct pat *p, int rank, int depth)
{
    static const int ranks[] = {1, 1, 1, 2, 2, 2, 3, 3, 4, 5};
    lift_type want = x->want;

    x->want = NULL;
    switch (p->kind) {
    case PAT_META:
        return draw_meta(x, p->index, rank < 0 ? ranks[gen_below(x->g, 10)] : rank, want);
    case PAT_APP:
        return draw_app(x, p, depth, want);
    case PAT_BOUND:
        return x->scope[depth - 1 - p->index];
    case PAT_LIT:
        return draw_lit(x, p, want);
    case PAT_PRIM:
        return draw_prim(x, p, depth, want);
    default:
        return NULL;
    }
}

lift_expr gen_instance(struct check_gen *g, const struct rule_def *def)
{
    struct instance x = {.g = g, .def = def};

    return draw(&x, def->lhs ? def->lhs : def->likes[gen_below(g, def->like_count)], -1,
                0);
}
