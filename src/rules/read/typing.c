/* Types of both sides of a rule. A mistake is reported where it stands, and what is wrong
 * counts as of any type from there on, so that one mistake gives one message. */
#include "rules/read/typing.h"
#include "base/bug.h"
#include <stdio.h>

static struct ty *infer(struct typer *t, const struct pat *p);

/* ---- messages */

static void add_type(struct typer *t, struct lift_str *text, const char *before,
                     struct ty *type)
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

/* "WHAT: expected 'A', but got 'B'", and why the sizes differ. */
static void mismatch_of(struct typer *t, const char *what, struct ty *want,
                        struct ty *got)
{
    LIFT_SCOPED(lift_str) text = {0};

    lift_str_add(&text, what);
    if (want)
        add_type(t, &text, ": expected ", want);
    add_type(t, &text, ", but got ", got);
    add_sample(t, &text);
    read_mistake(t->r, t->span, "%s", lift_str_get(&text));
}

/* What is expected is clear from 'what' if more than sizes differs. */
static void mismatch(struct typer *t, const char *what, struct ty *want, struct ty *got)
{
    bool clear = t->shapes_differ && ty_find(want)->kind != TY_SCALAR;

    mismatch_of(t, what, clear ? NULL : want, got);
}

static bool fits(struct typer *t, struct ty *want, struct ty *got)
{
    t->verdict = SIZES_EQUAL;
    t->shapes_differ = false;
    return ty_unify(t, want, got);
}

static bool require(struct typer *t, const char *what, struct ty *want, struct ty *got)
{
    bool ok = fits(t, want, got);

    if (!ok)
        mismatch(t, what, want, got);
    return ok;
}

static struct ty *any(struct typer *t)
{
    return ty_var(t, HEADS_ANY);
}

/* ---- sizes */

/* The length of a dimension of an expression, which must be an array then. */
static lift_nat length(struct typer *t, const struct rule_size *size)
{
    struct ty *at = t->exprs[size->of];
    char what[80];

    for (int dim = 0; dim <= size->dim; dim++) {
        struct ty *array = ty_array(t, any(t), size_unknown(&t->sizes));

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

static lift_nat size_of(struct typer *t, lift_nat n)
{
    return lift_nat_subst(t->sizes.nats, n, length_of, t);
}

/* ---- functions */

static struct ty *apply_lambda(struct typer *t, const struct pat *f,
                               struct ty *const *params)
{
    struct ty *result;

    if (t->depth + f->count > RULE_MAX_BINDERS)
        return any(t);
    for (int i = 0; i < f->count; i++)
        t->scope[t->depth + i] = params[i];
    t->depth += f->count;
    result = infer(t, f->args[0]);
    t->depth -= f->count;
    return result;
}

/* '*ok' is cleared if it is not a function of these. */
static struct ty *apply_meta(struct typer *t, int f, struct ty *const *args, bool *ok)
{
    const struct rule_names *names = &t->r->def->names;
    LIFT_SCOPED(lift_str) what = {0};

    for (int i = 0; i < names->fun_arity[f] && i < LIFT_MAX_PARAMS; i++)
        if (!fits(t, t->params[f][i], args[i])) {
            lift_str_clear(&what);
            lift_str_addf(&what, "the argument of '%s'", names->funs[f]);
            mismatch_of(t, lift_str_get(&what), t->params[f][i], args[i]);
            *ok = false;
        }
    return t->results[f];
}

static struct ty *infer_app(struct typer *t, const struct pat *p)
{
    struct ty *args[LIFT_MAX_PARAMS];
    bool ok = true;

    for (int i = 0; i < p->count; i++)
        args[i] = infer(t, p->args[i]);
    return apply_meta(t, p->index, args, &ok);
}

/* ---- primitives */

/* A member of a tuple that may have more. */
static struct ty *member(struct typer *t, struct ty *tuple, int index)
{
    struct ty *parts[LIFT_MAX_ARGS], *open, *found = ty_find(tuple);

    if (found->kind == TY_TUPLE && index < found->count)
        return found->parts[index];
    for (int i = 0; i <= index; i++)
        parts[i] = any(t);
    open = ty_tuple(t, parts, index + 1, true);
    require(t, "expected a tuple with that member", open, tuple);
    return parts[index];
}

/* unzip(x).k is known though unzip(x) is not. */
static struct ty *infer_get(struct typer *t, const struct pat *p)
{
    const struct pat *tuple = p->args[0];
    int k = p->attrs[0].meta < 0 ? p->attrs[0].value : t->place;
    struct ty *array;

    if (tuple->kind != PAT_PRIM || tuple->op != LIFT_UNZIP)
        return member(t, infer(t, tuple), k);
    array = ty_array(t, any(t), size_unknown(&t->sizes));
    require(t, "'unzip' takes an array of tuples", array, infer(t, tuple->args[0]));
    return ty_array(t, member(t, array->elem, k), array->len);
}

static struct ty *infer_unzip(struct typer *t, struct ty *arg)
{
    struct ty *array = ty_array(t, ty_var(t, HEAD_TUPLE), size_unknown(&t->sizes));
    struct ty *parts[LIFT_MAX_ARGS], *tuple;

    require(t, "'unzip' takes an array of tuples", array, arg);
    tuple = ty_find(array->elem);
    if (tuple->kind != TY_TUPLE || tuple->open)
        return ty_var(t, HEAD_TUPLE);
    for (int i = 0; i < tuple->count; i++)
        parts[i] = ty_array(t, tuple->parts[i], array->len);
    return ty_tuple(t, parts, tuple->count, false);
}

/* A conversion keeps the lanes of a vector. */
static struct ty *infer_convert(struct typer *t, enum lift_op op, struct ty *arg)
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
    struct ty *found;

    require(t, "expected a number", ty_var(t, from), arg);
    found = ty_find(arg);
    if (found->kind == TY_VECTOR)
        return ty_vector(t, ty_scalar(t, to), found->len);
    return ty_heads(found) & HEAD_VECTOR ? ty_var(t, 1 << to | HEAD_VECTOR)
                                         : ty_scalar(t, to);
}

/* One message for each node. From the last argument on, since 'inset' is of the length of
 * that; the arguments of 'zip' are as long as the first. */
static bool fit_data(struct typer *t, const struct pat *p, const struct lift_scheme *s,
                     const struct signature *sig, struct ty **args)
{
    char what[120];
    bool ok = true;

    for (int k = 0; k < p->count && ok; k++) {
        int i = s->variadic ? k : p->count - 1 - k;
        const struct lift_scheme_slot *slot = lift_scheme_slot(s, i);

        if (sig->args[i]) {

            snprintf(what, sizeof what, "'%s' takes '%.*s'", lift_prim_info(p->op)->name,
                     slot->text_len, slot->text);
            ok = require(t, what, sig->args[i], args[i]);
        }
    }
    return ok;
}

static void fit_functions(struct typer *t, const struct pat *p,
                          const struct lift_scheme *s, const struct signature *sig,
                          bool ok)
{
    char what[120];

    for (int i = 0; i < p->count; i++)
        if (!sig->args[i]) {
            const struct lift_scheme_slot *slot = lift_scheme_slot(s, i);
            const struct pat *f = p->args[i];
            struct ty *result = f->kind == PAT_LAMBDA
                                    ? apply_lambda(t, f, sig->params[i])
                                    : apply_meta(t, f->index, sig->params[i], &ok);

            snprintf(what, sizeof what, "the result of the function '%.*s' of '%s'",
                     slot->text_len, slot->text, lift_prim_info(p->op)->name);
            if (ok && !fits(t, sig->fun_results[i], result))
                mismatch_of(t, what, sig->fun_results[i], result);
        }
}

static struct ty *infer_plain(struct typer *t, const struct pat *p, struct ty **args)
{
    const struct lift_prim_info *info = lift_prim_info(p->op);
    const struct lift_scheme *s = lift_prim_scheme(p->op);
    lift_nat nats[LIFT_MAX_NATS] = {NULL};
    struct signature sig;

    for (int i = 0; i < info->nat_count; i++)
        nats[i] = size_of(t, p->nats[i]);
    scheme_signature(t, s, p->count, nats, &sig);
    fit_functions(t, p, s, &sig, fit_data(t, p, s, &sig, args));
    type_facts(t, p, nats, p->count ? args[p->count - 1] : NULL);
    return sig.result;
}

/* What the header of the C function says. */
static struct ty *infer_user_fun(struct typer *t, const struct pat *p, struct ty **args)
{
    struct lift_user_types types;
    char what[120];
    bool known = lift_user_types(p->text, &types);

    LIFT_ASSERT(known && types.count == p->count);
    for (int i = 0; i < p->count; i++) {
        snprintf(what, sizeof what, "parameter %d of the C function", i + 1);
        require(t, what, ty_scalar(t, (enum lift_scalar)types.params[i]), args[i]);
    }
    return ty_scalar(t, (enum lift_scalar)types.result);
}

/* The primitive whose argument is a list, of two elements. */
static struct ty *infer_list(struct typer *t, const struct pat *p)
{
    struct ty *args[TYPED_LIST];
    struct pat all = *p;

    all.count = TYPED_LIST;
    for (t->place = TYPED_LIST - 1; t->place > 0; t->place--)
        args[t->place] = infer(t, p->args[0]);
    args[0] = infer(t, p->args[0]);
    return infer_plain(t, &all, args);
}

static struct ty *infer_prim(struct typer *t, const struct pat *p)
{
    struct ty *args[LIFT_MAX_ARGS] = {NULL};

    if (p->op == LIFT_GET)
        return infer_get(t, p);
    if (p->list)
        return infer_list(t, p);
    for (int i = 0; i < p->count; i++)
        if (!lift_prim_fun_arity(p->op, i))
            args[i] = infer(t, p->args[i]);
    if (lift_op_class_of(p->op) == LIFT_CLASS_convert ||
        lift_op_class_of(p->op) == LIFT_CLASS_store)
        return infer_convert(t, p->op, args[0]);
    switch (p->op) {
    case LIFT_UNZIP:
        return infer_unzip(t, args[0]);
    case LIFT_USER_FUN:
        return infer_user_fun(t, p, args);
    default:
        return infer_plain(t, p, args);
    }
}

/* ---- patterns */

static struct ty *infer_node(struct typer *t, const struct pat *p)
{
    switch (p->kind) {
    case PAT_META:
        return p->attrs[0].meta < 0 ? t->exprs[p->index]
                                    : t->exprs[p->index]->parts[t->place];
    case PAT_APP:
        return infer_app(t, p);
    case PAT_BOUND:
        return t->scope[t->depth - 1 - p->index];
    case PAT_LIT:
        return p->open ? t->real : ty_scalar(t, p->scalar);
    case PAT_PRIM:
        return infer_prim(t, p);
    case PAT_FUN:
    case PAT_LAMBDA:
        break;
    }
    LIFT_BUG("a function of a pattern stands outside a primitive");
}

/* What a form stands for has no place of its own, but that of the form. */
static struct ty *infer(struct typer *t, const struct pat *p)
{
    struct lift_span before = t->span;
    struct ty *type;

    if (p->span.end)
        t->span = p->span;
    type = infer_node(t, p);
    t->span = before;
    return type;
}

/* ---- rules */

static void add_conditions(struct typer *t)
{
    struct rule_def *def = t->r->def;

    for (int i = 0; i < def->cond_count; i++)
        size_fact(&t->sizes, def->conds[i].kind, size_of(t, def->conds[i].a),
                  size_of(t, def->conds[i].b));
    for (int i = 0; i < def->tunable_count; i++) {
        lift_nat k = def->names.nats[def->tunables[i].nat].var;

        size_fact(&t->sizes, COND_LE, size_of(t, def->tunables[i].lo), k);
        size_fact(&t->sizes, COND_LE, k, size_of(t, def->tunables[i].hi));
    }
}

/* An unknown length that is the length of an expression is called so; any other gets a
 * letter. */
static void name_lengths(struct typer *t)
{
    const struct rule_names *names = &t->r->def->names;

    for (int i = 0; i < names->expr_count; i++) {
        struct ty *at = ty_find(t->exprs[i]);

        for (int dim = 0; at->kind == TY_ARRAY; dim++, at = ty_find(at->elem)) {
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

static void begin(struct typer *t)
{
    const struct rule_names *names = &t->r->def->names;

    t->real = ty_var(t, HEAD_F32 | HEAD_F64 | HEADS_STORAGE);
    for (int i = 0; i < names->expr_count; i++)
        t->exprs[i] = names->lists[i]
                          ? ty_tuple(t, (struct ty *[TYPED_LIST]){any(t), any(t)},
                                     TYPED_LIST, false)
                          : any(t);
    for (int i = 0; i < names->fun_count; i++) {
        for (int k = 0; k < names->fun_arity[i]; k++)
            t->params[i][k] = any(t);
        t->results[i] = any(t);
    }
}

static void compare_sides(struct typer *t, struct ty *left, struct ty *right)
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
    LIFT_SCOPED(lift_str) text = {0};
    struct ty *left, *right;
    const char *type;

    begin(&t);
    t.span = r->def->lhs->span;
    left = infer(&t, r->def->lhs);
    add_conditions(&t);
    if (!r->failed) {
        /* Now the left-hand side is what it is. */
        name_lengths(&t);
        t.rhs = true;
        t.rigid = t.var_count;
        t.sizes.rigid = t.sizes.count;
        right = infer(&t, r->def->rhs);
        if (!r->failed)
            compare_sides(&t, left, right);
    }
    r->def->reals = ty_heads(t.real);
    ty_print(&t, left, &text);
    type = lift_arena_strdup(r->arena, lift_str_get(&text));
    lift_str_fini(&t.sample);
    return type;
}
