/* Types of both sides of a rule. After a type error, the wrong term may have any type, so
 * that one error gives one message. */
#include "rules/read/typing.h"
#include "base/bug.h"
#include "lift/build.h"
#include <stdio.h>

/* ---- messages */

static void add_type(struct typer *t, struct lift_str *text, const char *before,
                     lift_type type)
{
    lift_str_addf(text, "%s'", before);
    ty_print(t, type, text);
    lift_str_addc(text, '\'');
}

static void add_sample(const struct typer *t, struct lift_str *text)
{
    if (!t->shapes_differ && t->verdict == SIZES_SOMETIMES)
        lift_str_addf(text, "; they differ for %s: a condition is missing",
                      lift_str_get(&t->sample));
}

/* Reports "WHAT: expected 'A', but got 'B'", and why the sizes differ. */
static void mismatch_of(struct typer *t, const char *what, lift_type want, lift_type got)
{
    LIFT_SCOPED(lift_str) text = {0};

    lift_str_add(&text, what);
    if (want)
        add_type(t, &text, ": expected ", want);
    add_type(t, &text, ", but got ", got);
    add_sample(t, &text);
    read_mistake(t->r, t->span, "%s", lift_str_get(&text));
}

/* Reports that types differ. The message omits the expected type if shapes differ and
 * 'what' implies this type. */
static void mismatch(struct typer *t, const char *what, lift_type want, lift_type got)
{
    bool clear = t->shapes_differ && ty_find(t, want)->kind != LIFT_TYPE_SCALAR;

    mismatch_of(t, what, clear ? NULL : want, got);
}

static bool fits(struct typer *t, lift_type want, lift_type got)
{
    t->verdict = SIZES_EQUAL;
    t->shapes_differ = false;
    return ty_unify(t, want, got);
}

static bool require(struct typer *t, const char *what, lift_type want, lift_type got)
{
    bool ok = fits(t, want, got);

    if (!ok)
        mismatch(t, what, want, got);
    return ok;
}

static lift_type any(struct typer *t)
{
    return ty_var(t, HEADS_ANY);
}

/* ---- sizes */

/* Returns the length of a dimension of an expression, and requires that the expression
 * has this dimension. */
static lift_nat length(struct typer *t, const struct rule_size *size)
{
    lift_type at = t->b.exprs[size->of]->type;
    char what[80];

    for (int dim = 0; dim <= size->dim; dim++) {
        lift_type array = lift_type_array(t->r->ir, any(t), size_unknown(&t->sizes));

        if (!fits(t, array, at)) {
            snprintf(what, sizeof what, "'%.30s' has no length of dimension %d",
                     t->r->def->names.exprs[size->of], dim);
            mismatch(t, what, array, at);
            break;
        }
        if (dim == size->dim)
            return array->len;
        at = array->elem;
    }
    return size_unknown(&t->sizes);
}

static lift_nat length_of(void *typer, lift_nat var)
{
    struct typer *t = typer;
    const struct rule_names *names = &t->r->def->names;
    int i = rule_size_index(names, var);

    return i >= 0 && names->nats[i].of >= 0 ? length(t, &names->nats[i]) : NULL;
}

lift_nat type_size(struct typer *t, lift_nat n)
{
    return lift_nat_subst(t->sizes.nats, n, length_of, t);
}

/* ---- errors */

lift_expr type_failed(struct typer *t, struct lift_type_error *why)
{
    if (why->text[0])
        read_mistake(t->r, t->span, "%s", why->text);
    why->text[0] = '\0';
    t->verdict = SIZES_EQUAL;
    t->shapes_differ = false;
    return lift_expr_free(t->r->ir, "?", any(t));
}

void type_argument(void *typer, lift_expr function, int i, lift_type got)
{
    struct typer *t = typer;
    LIFT_SCOPED(lift_str) what = {0};

    lift_str_addf(&what, "the argument of '%s'", function->u.lambda.body->u.name);
    mismatch_of(t, lift_str_get(&what), function->type->parts[i], got);
}

/* ---- primitives that no scheme can express */

/* Returns the type of a member of a tuple that may have further members. */
static lift_type member(struct typer *t, lift_type tuple, int index)
{
    lift_type parts[LIFT_MAX_ARGS + 1], found = ty_find(t, tuple);

    if (found->kind == LIFT_TYPE_TUPLE && index < found->count &&
        ty_heads(t, found->parts[index]) != HEADS_REST)
        return found->parts[index];
    for (int i = 0; i <= index; i++)
        parts[i] = any(t);
    parts[index + 1] = ty_var(t, HEADS_REST);
    require(t, "expected a tuple with that member",
            lift_type_tuple(t->r->ir, parts, index + 2), tuple);
    return parts[index];
}

/* Returns the type of a member. The type of unzip(x).k may be known when the type of
 * unzip(x) is not. */
static lift_type type_get(struct typer *t, lift_expr tuple, int k)
{
    lift_type array;

    if (!lift_expr_is(tuple, LIFT_UNZIP))
        return member(t, tuple->type, k);
    array = ty_find(t, tuple->u.prim.args[0]->type);
    return array->kind == LIFT_TYPE_ARRAY
               ? lift_type_array(t->r->ir, member(t, array->elem, k), array->len)
               : any(t);
}

static lift_type type_unzip(struct typer *t, lift_type arg)
{
    lift_type parts[LIFT_MAX_ARGS], tuple;
    lift_type array =
        lift_type_array(t->r->ir, ty_var(t, HEAD_TUPLE), size_unknown(&t->sizes));
    int count;

    require(t, "'unzip' takes an array of tuples", array, arg);
    tuple = ty_find(t, array->elem);
    count = tuple->kind == LIFT_TYPE_TUPLE ? tuple->count : 0;
    if (count == 0 || ty_heads(t, tuple->parts[count - 1]) == HEADS_REST)
        return ty_var(t, HEAD_TUPLE);
    for (int i = 0; i < count; i++)
        parts[i] = lift_type_array(t->r->ir, tuple->parts[i], array->len);
    return lift_type_tuple(t->r->ir, parts, count);
}

/* Returns the type of a conversion, which keeps the lanes of a vector. */
static lift_type type_convert(struct typer *t, enum lift_op op, lift_type arg)
{
    static const enum lift_scalar results[] = {[LIFT_TO_F32] = LIFT_F32,
                                               [LIFT_TO_F64] = LIFT_F64,
                                               [LIFT_TO_I32] = LIFT_I32,
                                               [LIFT_TO_F16] = LIFT_F16,
                                               [LIFT_TO_BF16] = LIFT_BF16};
    enum lift_scalar to = results[op];
    int from = op == LIFT_TO_F32            ? HEADS_NUMBER | HEAD_BOOL | HEADS_STORAGE
               : lift_scalar_is_storage(to) ? HEAD_F32 | HEAD_VECTOR
                                            : HEADS_NUMBER | HEAD_BOOL;
    lift_type scalar = lift_type_scalar(t->r->ir, to), found;

    require(t, "expected a number", ty_var(t, from), arg);
    found = ty_find(t, arg);
    if (found->kind == LIFT_TYPE_VECTOR)
        return lift_type_lanes(t->r->ir, scalar, found->len);
    return ty_heads(t, found) & HEAD_VECTOR ? ty_var(t, 1 << to | HEAD_VECTOR) : scalar;
}

/* Requires the types in the head of the C function. */
static lift_type type_user_fun(struct typer *t, const struct lift_prim_args *a)
{
    struct lift_user_types types;
    char what[120];
    bool known = lift_user_types(a->text, &types);

    LIFT_ASSERT(known && types.count == a->arg_count);
    for (int i = 0; i < a->arg_count; i++) {
        snprintf(what, sizeof what, "parameter %d of the C function", i + 1);
        require(t, what, lift_type_scalar(t->r->ir, (enum lift_scalar)types.params[i]),
                a->args[i]->type);
    }
    return lift_type_scalar(t->r->ir, (enum lift_scalar)types.result);
}

/* ---- facts */

/* Adds the side conditions of a primitive (ir/constraint.h) to the facts. A pad that is
 * not wide also requires that its widths are at most the length. */
void type_facts(struct typer *t, const struct pat *p, lift_expr e)
{
    const lift_nat *nats = e->u.prim.nats;
    lift_expr last = e->arg_count ? e->u.prim.args[e->arg_count - 1] : NULL;
    lift_type array = last ? ty_find(t, last->type) : NULL;
    lift_nat len = array && array->kind == LIFT_TYPE_ARRAY ? array->len : NULL;
    bool fits = p->op == LIFT_PAD && p->attrs[0].meta < 0 &&
                !lift_pad_is_wide((enum lift_pad_kind)p->attrs[0].value);

    if (!len)
        return;
    for (const struct lift_prim_side *s = lift_prim_sides(p->op); s && s->op == p->op;
         s++)
        size_fact(&t->sizes, s->kind == LIFT_SIDE_LE ? COND_LE : COND_DIVIDES,
                  lift_side_value(s->a, nats, len), lift_side_value(s->b, nats, len));
    for (int i = 0; fits && i < 2; i++)
        size_fact(&t->sizes, COND_LE, nats[i], len);
}

/* ---- callbacks of the typer of terms */

static lift_type special(void *typer, enum lift_op op, const struct lift_prim_args *a)
{
    struct typer *t = typer;

    if (lift_op_class_of(op) == LIFT_CLASS_convert ||
        lift_op_class_of(op) == LIFT_CLASS_store)
        return type_convert(t, op, a->args[0]->type);
    switch (op) {
    case LIFT_GET:
        return type_get(t, a->args[0], a->attrs.get.k);
    case LIFT_UNZIP:
        return type_unzip(t, a->args[0]->type);
    case LIFT_USER_FUN:
        return type_user_fun(t, a);
    default:
        return NULL;
    }
}

static lift_nat size(void *typer, char op, lift_nat a, lift_nat b)
{
    struct typer *t = typer;

    return op == 'n' ? size_unknown(&t->sizes) : size_make(&t->sizes, op, a, b);
}

static void slot_mismatch(void *typer, enum lift_op op,
                          const struct lift_scheme_slot *slot, lift_type want,
                          lift_type got)
{
    const char *name = lift_prim_info(op)->name;
    char what[120];

    if (slot->arity) {
        snprintf(what, sizeof what, "the result of the function '%.*s' of '%s'",
                 slot->text_len, slot->text, name);
        mismatch_of(typer, what, want, got);
    } else {
        snprintf(what, sizeof what, "'%s' takes '%.*s'", name, slot->text_len,
                 slot->text);
        mismatch(typer, what, want, got);
    }
}

/* ---- rules */

static void add_conditions(struct typer *t)
{
    struct rule_def *def = t->r->def;

    for (int i = 0; i < def->cond_count; i++)
        size_fact(&t->sizes, def->conds[i].kind, type_size(t, def->conds[i].a),
                  type_size(t, def->conds[i].b));
    for (int i = 0; i < def->tunable_count; i++) {
        lift_nat k = def->names.nats[def->tunables[i].nat].var;

        size_fact(&t->sizes, COND_LE, type_size(t, def->tunables[i].lo), k);
        size_fact(&t->sizes, COND_LE, k, type_size(t, def->tunables[i].hi));
    }
}

/* Names unknown lengths after the expression that has the length, or by a letter. */
static void name_lengths(struct typer *t)
{
    const struct rule_names *names = &t->r->def->names;

    for (int i = 0; i < names->expr_count; i++) {
        lift_type at = ty_find(t, t->b.exprs[i]->type);

        for (int dim = 0; at->kind == LIFT_TYPE_ARRAY; dim++, at = ty_find(t, at->elem)) {
            lift_nat len = size_find(&t->sizes, at->len);
            int unknown = size_index(&t->sizes, len) - RULE_MAX_NATS;

            if (unknown >= 0 && !t->sizes.shown[unknown])
                t->sizes.shown[unknown] =
                    dim ? lift_arena_printf(t->r->arena, "len(%s, %d)", names->exprs[i],
                                            dim)
                        : lift_arena_printf(t->r->arena, "len(%s)", names->exprs[i]);
        }
    }
}

/* Makes placeholders for the metavariables: terms of any type. */
static void begin(struct typer *t)
{
    const struct rule_names *names = &t->r->def->names;
    struct lift_ir *ir = t->r->ir;

    t->real = ty_var(t, HEAD_F32 | HEAD_F64 | HEADS_STORAGE);
    t->b.list_count = TYPED_LIST;
    for (int i = 0; i < names->expr_count; i++) {
        lift_expr list[TYPED_LIST];

        for (int k = 0; k < TYPED_LIST; k++)
            list[k] = lift_expr_free(ir, names->exprs[i], any(t));
        t->b.exprs[i] =
            names->lists[i] ? lift_call(ir, LIFT_TUPLE, list, TYPED_LIST) : list[0];
    }
    for (int i = 0; i < names->fun_count; i++) {
        lift_type params[LIFT_MAX_PARAMS];

        for (int k = 0; k < names->fun_arity[i]; k++)
            params[k] = any(t);
        t->b.funs[i] = lift_expr_lambda(ir, params, names->fun_arity[i], NULL,
                                        lift_expr_free(ir, names->funs[i], any(t)));
    }
}

static void compare_sides(struct typer *t, lift_type left, lift_type right)
{
    LIFT_SCOPED(lift_str) text = {0};

    if (fits(t, left, right))
        return;
    lift_str_add(&text, "the two sides have different types");
    add_type(t, &text, ": left ", left);
    add_type(t, &text, ", right ", right);
    add_sample(t, &text);
    read_mistake(t->r, t->r->def->rhs->span, "%s", lift_str_get(&text));
}

const char *type_rule(struct rule_reader *r)
{
    struct typer t = {
        .r = r, .sizes = {.arena = r->arena, .nats = r->nats, .names = &r->def->names}};
    const struct lift_unifier unifier = {&t,   ty_find, ty_unify,      ty_var,
                                         size, special, slot_mismatch, type_argument};
    LIFT_SCOPED(lift_str) text = {0};
    lift_type left, right;
    const char *type;

    lift_ir_unify(r->ir, &unifier);
    begin(&t);
    left = rule_typed(&t, r->def->lhs)->type;
    add_conditions(&t);
    if (!r->failed) {
        /* fix the types and sizes of the left-hand side */
        name_lengths(&t);
        t.rhs = true;
        t.rigid = t.var_count;
        t.sizes.rigid = t.sizes.count;
        right = rule_typed(&t, r->def->rhs)->type;
        if (!r->failed)
            compare_sides(&t, left, right);
    }
    r->def->reals = ty_heads(&t, t.real);
    ty_print(&t, left, &text);
    type = lift_arena_strdup(r->arena, lift_str_get(&text));
    lift_ir_unify(r->ir, NULL);
    lift_str_fini(&t.sample);
    return type;
}
