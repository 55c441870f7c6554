/* The type of a node by the scheme of its primitive, or by a rule in C if no scheme can
 * express the type. The numbers of nats and expressions are checked before a rule is
 * called. A rule returns the type of the node, or fails with the expected and the given
 * type. */
#include "base/locale.h"
#include "ir/constraint.h"
#include "ir/prim_type_t.h"
#include "ir/scheme.h"
#include <stdarg.h>
#include <stdio.h>

lift_type prim_fail(struct prim_check *c, int arg, const char *format, ...)
{
    va_list args;
    int n;

    if (!c->error)
        return NULL;
    c->error->arg = arg;
    n = snprintf(c->error->text, sizeof c->error->text, "'%s' ",
                 lift_prim_info(c->op)->name);
    va_start(args, format);
    lift_vsnprintf(c->error->text + n, sizeof c->error->text - (size_t)n, format, args);
    va_end(args);
    return NULL;
}

lift_type prim_expected(struct prim_check *c, int arg, const char *what, lift_type got)
{
    LIFT_SCOPED(lift_str) text = {0};

    if (c->error)
        lift_type_print(got, &text);
    return prim_fail(c, arg, "expects %s, but got '%.80s'", what, lift_str_get(&text));
}

lift_type prim_nat_problem(struct prim_check *c, const char *what, lift_nat a, lift_nat b)
{
    LIFT_SCOPED(lift_str) x = {0};
    LIFT_SCOPED(lift_str) y = {0};

    if (c->error) {
        lift_nat_print(a, 0, &x);
        lift_nat_print(b, 0, &y);
    }
    return prim_fail(c, -1, "%s: '%.60s' and '%.60s'", what, lift_str_get(&x),
                     lift_str_get(&y));
}

lift_type prim_arg_type(struct prim_check *c, int arg)
{
    return ir_find_type(c->ir, c->a->args[arg]->type);
}

lift_type prim_arg_array(struct prim_check *c, int arg)
{
    lift_type t = prim_arg_type(c, arg);

    return t->kind == LIFT_TYPE_ARRAY ? t : prim_expected(c, arg, "an array", t);
}

lift_type prim_fun_result(struct prim_check *c, int slot, const lift_type *params, int n)
{
    const struct lift_unifier *u = c->ir->unifier;
    lift_type f = prim_arg_type(c, slot);

    if (f->kind != LIFT_TYPE_FUN)
        return prim_expected(c, slot, "a function", f);
    if (f->count != n)
        return prim_fail(c, slot,
                         "expects a function of %d argument%s, but got one of %d", n,
                         n == 1 ? "" : "s", f->count);
    for (int i = 0; i < n; i++)
        if (!lift_type_unify(c->ir, f->parts[i], params[i])) {
            LIFT_SCOPED(lift_str) want = {0};

            if (u) {
                u->argument(u->user, c->a->args[slot], i, params[i]);
                return NULL;
            }
            lift_str_add(&want, "a function of '");
            lift_type_print(params[i], &want);
            lift_str_addc(&want, '\'');
            return prim_expected(c, slot, lift_str_get(&want), f->parts[i]);
        }
    return f->elem;
}

/* ---- schemes */

/* The bindings of the names of a scheme. A scheme repeats at most one type and one
 * size. */
struct match {
    struct prim_check *c;
    const struct lift_scheme *s;
    lift_type types[LIFT_SCHEME_NAMES];
    lift_nat sizes[LIFT_SCHEME_NAMES];
    int from[LIFT_SCHEME_NAMES]; /* the argument that determined the type */
    lift_type each_type[LIFT_MAX_ARGS];
    lift_nat each_size[LIFT_MAX_ARGS];
    int arg;         /* the current argument */
    int each, count; /* the current repetition, and the number of repetitions */
    bool late;       /* a size must be compared after other sizes are known */
};

static lift_type *type_of(struct match *m, int name)
{
    return m->s->names[name].each ? &m->each_type[m->each] : &m->types[name];
}

static lift_nat *size_of(struct match *m, int name)
{
    return m->s->names[name].each ? &m->each_size[m->each] : &m->sizes[name];
}

/* The value of a size. NULL if a name in the size is unknown; in a pattern, the size is
 * then new. */
static lift_nat size_value(struct match *m, const struct lift_scheme_size *p)
{
    const struct lift_unifier *u = m->c->ir->unifier;
    lift_nat a, b, *known = p->op == 'n' ? size_of(m, p->value) : NULL;

    if (known && !*known && u)
        *known = u->size(u->user, 'n', NULL, NULL);
    if (known)
        return *known;
    if (p->op == '1')
        return lift_nat_const(m->c->ir->nats, p->value);
    a = size_value(m, p->a);
    for (int i = 1; a && i < (p->more ? m->count : 2); i++) {
        m->each = p->more ? i : m->each;
        b = size_value(m, p->b);
        if (!b)
            return NULL;
        a = u ? u->size(u->user, p->op, a, b) : lift_scheme_size_op(p->op, a, b);
    }
    return a;
}

/* The type bound to a name. In rules, lanes of vectors are numbers. */
static lift_type name_value(struct match *m, int name)
{
    const struct lift_unifier *u = m->c->ir->unifier;
    int heads = m->s->names[name].heads;
    lift_type *known = type_of(m, name);

    if (u && !*known)
        *known = u->fresh(u->user, heads == HEADS_LANE ? HEADS_SCALAR : heads);
    return *known;
}

/* The type of a scheme; NULL if a name in the scheme is unbound, or a vector has an
 * unsupported width. */
static lift_type type_value(struct match *m, const struct lift_scheme_type *p)
{
    lift_type parts[LIFT_MAX_ARGS], elem = p->elem ? type_value(m, p->elem) : NULL;
    lift_nat len = elem ? size_value(m, p->len) : NULL;
    int count = p->more ? m->count : p->count;
    int64_t width;

    switch (p->kind) {
    case SCHEME_NAME:
        return name_value(m, p->name);
    case SCHEME_SCALAR:
        return lift_type_scalar(m->c->ir, p->scalar);
    case SCHEME_ARRAY:
        return len ? lift_type_array(m->c->ir, elem, len) : NULL;
    case SCHEME_VECTOR:
        if (m->c->ir->unifier)
            return lift_type_lanes(m->c->ir, elem, len);
        if (len && lift_nat_is_const(len, &width) && width >= 1 && width <= 64)
            return lift_type_vector(m->c->ir, elem->scalar, (int)width);
        return prim_fail(m->c, -1, "expects a width that is a number from 1 to 64");
    case SCHEME_TUPLE:
        for (int i = 0; i < count; i++) {
            m->each = p->more ? i : m->each;
            parts[i] = type_value(m, p->parts[i < p->count ? i : p->count - 1]);
            if (!parts[i])
                return NULL;
        }
        return lift_type_tuple(m->c->ir, parts, count);
    }
    return NULL;
}

static bool may_become(int heads, lift_type t)
{
    switch (t->kind) {
    case LIFT_TYPE_VECTOR:
        return (heads & HEAD_VECTOR) && (heads >> t->scalar & 1);
    case LIFT_TYPE_SCALAR:
        return heads >> t->scalar & 1;
    case LIFT_TYPE_TUPLE:
        return heads & HEAD_TUPLE;
    case LIFT_TYPE_ARRAY:
        return heads & HEAD_ARRAY;
    default:
        return false;
    }
}

static bool match_size(struct match *m, const struct lift_scheme_size *p, lift_nat n)
{
    lift_nat value = size_value(m, p);

    if (!value && p->op == 'n')
        *size_of(m, p->value) = n;
    m->late = m->late || (!value && p->op != 'n');
    return !value || value == n;
}

static bool match_name(struct match *m, int name, lift_type t)
{
    lift_type *known = type_of(m, name);

    if (*known)
        return *known == t;
    if (!may_become(m->s->names[name].heads, t) || !lift_type_is_data(t))
        return false;
    *known = t;
    m->from[name] = m->arg;
    return true;
}

static bool match_type(struct match *m, const struct lift_scheme_type *p, lift_type t)
{
    if (m->c->ir->unifier)
        return lift_type_unify(m->c->ir, type_value(m, p), t);
    switch (p->kind) {
    case SCHEME_NAME:
        return match_name(m, p->name, t);
    case SCHEME_SCALAR:
        return lift_type_is_scalar(t, p->scalar);
    case SCHEME_ARRAY:
        return t->kind == LIFT_TYPE_ARRAY && match_type(m, p->elem, t->elem) &&
               match_size(m, p->len, t->len);
    case SCHEME_VECTOR:
        return t->kind == LIFT_TYPE_VECTOR &&
               match_type(m, p->elem, lift_type_scalar(m->c->ir, t->scalar)) &&
               match_size(m, p->len, lift_nat_const(m->c->ir->nats, t->count));
    case SCHEME_TUPLE:
        if (t->kind != LIFT_TYPE_TUPLE || (t->count != p->count && !p->more))
            return false;
        m->count = p->more ? t->count : m->count;
        for (int i = 0; i < t->count; i++) {
            m->each = p->more ? i : m->each;
            if (!match_type(m, p->parts[i < p->count ? i : p->count - 1], t->parts[i]))
                return false;
        }
        return true;
    }
    return false;
}

/* ---- messages */

static const char *text_of(const struct match *m, const struct lift_scheme_type *p,
                           bool many)
{
    static const char *const texts[][2] = {
        [SCHEME_SCALAR] = {"a condition", "conditions"},
        [SCHEME_VECTOR] = {"a vector", "vectors"},
        [SCHEME_TUPLE] = {"a tuple", "tuples"},
        [SCHEME_ARRAY] = {"an array", "arrays"}};

    if (p->kind != SCHEME_NAME)
        return texts[p->kind][many];
    switch (m->s->names[p->name].heads) {
    case HEADS_ANY:
        return "data";
    case HEADS_NUMBER:
        return many ? "numbers" : "a number";
    case HEADS_FLOAT:
        return many ? "floating-point numbers" : "a floating-point number";
    case HEADS_INTEGER:
        return many ? "integers" : "an integer";
    default:
        return many ? "scalars" : "a scalar";
    }
}

/* Describes a type in words: "an array of arrays", "'f32'". */
static void describe(struct match *m, const struct lift_scheme_type *p, bool many,
                     struct lift_str *out)
{
    lift_type known = p->kind == SCHEME_VECTOR ? NULL : type_value(m, p);
    const struct lift_scheme_type *elem = p->kind == SCHEME_ARRAY ? p->elem : NULL;

    if (known && !(p->kind == SCHEME_SCALAR && p->scalar == LIFT_BOOL)) {
        lift_str_addc(out, '\'');
        lift_type_print(known, out);
        lift_str_addc(out, '\'');
        return;
    }
    lift_str_add(out, text_of(m, p, many));
    if (elem && (elem->kind != SCHEME_NAME || *type_of(m, elem->name) ||
                 m->s->names[elem->name].heads != HEADS_ANY)) {
        lift_str_add(out, " of ");
        describe(m, elem, true, out);
    }
}

/* The position of an argument in a call, from 1. */
static int place(enum lift_op op, int arg)
{
    int at = 1;

    for (const char *p = lift_prim_info(op)->params; *p && *p != '*'; p++) {
        if ((*p == 'E' || *p == 'F') && arg-- == 0)
            return at;
        at += *p != '1' && *p != '2';
    }
    return at + arg;
}

/* Reports a mismatch. 'before' is "a function that returns " or empty. */
static lift_type mismatch(struct match *m, int arg, const char *before,
                          const struct lift_scheme_type *p, lift_type got)
{
    LIFT_SCOPED(lift_str) want = {0};
    const struct lift_unifier *u = m->c->ir->unifier;
    lift_nat len = !u && p->kind == SCHEME_ARRAY ? size_value(m, p->len) : NULL;

    if (u)
        u->mismatch(u->user, m->c->op, lift_scheme_slot(m->s, arg), type_value(m, p),
                    got);
    if (u || !m->c->error)
        return NULL;
    lift_str_add(&want, before);
    if (len && got->kind == LIFT_TYPE_ARRAY && match_type(m, p->elem, got->elem)) {
        lift_str_add(&want, "an array of length '");
        lift_nat_print(len, 0, &want);
        lift_str_addf(&want, "' as argument %d", place(m->c->op, arg));
    } else {
        describe(m, p, false, &want);
        if (p->kind == SCHEME_NAME && *type_of(m, p->name) && m->from[p->name] != arg)
            lift_str_addf(&want, ", as in argument %d",
                          place(m->c->op, m->from[p->name]));
    }
    return prim_expected(m->c, arg, lift_str_get(&want), got);
}

/* ---- nodes */

static bool match_arg(struct match *m, int arg)
{
    const struct lift_scheme_type *p = lift_scheme_slot(m->s, arg)->type;

    m->arg = m->each = arg;
    if (match_type(m, p, prim_arg_type(m->c, arg)))
        return true;
    m->each = arg;
    return mismatch(m, arg, "", p, prim_arg_type(m->c, arg));
}

/* Matches all data. An absent argument leaves its names unknown. Patterns match from the
 * last argument on, whose length determines the type of 'inset'. */
static bool match_data(struct match *m, struct prim_check *c)
{
    *m = (struct match){.c = c, .s = lift_prim_scheme(c->op), .count = c->a->arg_count};
    for (int i = 0; i < lift_prim_info(c->op)->nat_count; i++)
        m->sizes[m->s->nats[i]] = c->a->nats[i];
    for (int round = 0; round < 1 + m->late; round++)
        for (int k = 0; k < c->a->arg_count; k++) {
            int i = c->ir->unifier && !m->s->variadic ? c->a->arg_count - 1 - k : k;

            if (!lift_scheme_slot(m->s, i)->arity && c->a->args[i] && !match_arg(m, i))
                return false;
        }
    return true;
}

static int fun_params(struct match *m, int slot, lift_type out[])
{
    const struct lift_scheme_slot *f = &m->s->slots[slot];

    for (int i = 0; i < f->arity; i++) {
        out[i] = type_value(m, f->params[i]);
        if (!out[i])
            return 0;
    }
    out[f->arity] = type_value(m, f->type);
    return f->arity;
}

lift_type prim_type_scheme(struct prim_check *c)
{
    struct match m;

    if (!match_data(&m, c))
        return NULL;
    for (int i = 0; i < c->a->arg_count; i++) {
        const struct lift_scheme_slot *slot = lift_scheme_slot(m.s, i);
        lift_type params[3], r;

        if (!slot->arity)
            continue;
        r = prim_fun_result(c, i, params, fun_params(&m, i, params));
        if (!r)
            return NULL;
        m.arg = i;
        if (!match_type(&m, slot->type, r))
            return mismatch(&m, i, "a function that returns ", slot->type, r);
    }
    return type_value(&m, m.s->result);
}

static prim_type_rule *const rules[LIFT_OP_COUNT] = {
    [LIFT_GET] = prim_type_get,
    [LIFT_PAD] = prim_type_pad,
    [LIFT_JOIN_SHIFT] = prim_type_join_shift,
    [LIFT_INSET_BOX] = prim_type_inset_box,
    [LIFT_INJECT] = prim_type_inject,
    [LIFT_TO_F32] = prim_type_convert,
    [LIFT_TO_F64] = prim_type_convert,
    [LIFT_TO_I32] = prim_type_convert,
    [LIFT_TO_F16] = prim_type_convert,
    [LIFT_TO_BF16] = prim_type_convert,
    [LIFT_USER_FUN] = prim_type_user_fun,
};

/* Checks number and kind of the arguments: functions only in function slots. */
static bool arguments_fit(struct prim_check *c)
{
    const struct lift_prim_info *info = lift_prim_info(c->op);

    if (info->expr_count >= 0 ? c->a->arg_count != info->expr_count : c->a->arg_count < 1)
        return prim_fail(c, -1, "expects %d arguments, but got %d", info->expr_count,
                         c->a->arg_count);
    for (int i = 0; i < info->nat_count; i++)
        if (!c->a->nats[i])
            return prim_fail(c, -1, "lacks a size");
    for (int i = 0; i < c->a->arg_count; i++) {
        bool fun = c->a->args[i]->kind == LIFT_EXPR_LAMBDA;

        if (fun != (lift_prim_fun_arity(c->op, i) > 0))
            return prim_expected(c, i, fun ? "data" : "a function", c->a->args[i]->type);
    }
    return true;
}

/* True if the condition fails for every value of the variables. */
static bool surely_fails(enum lift_side_kind kind, lift_nat a, lift_nat b)
{
    int64_t x, y;
    bool known = lift_nat_is_const(a, &x);

    if (kind == LIFT_SIDE_DIVIDES)
        return known && x > 0 && lift_nat_is_const(b, &y) && y % x != 0;
    return known ? lift_nat_hi(b) < x : lift_nat_proves_lt(b, a);
}

/* Numbers that are wrong for every value of the variables are errors. Other numbers
 * become conditions on the variables (ir/constraint.h). */
static bool numbers_fit(struct prim_check *c)
{
    const lift_nat *nats = c->a->nats;
    lift_type last = c->a->arg_count ? prim_arg_type(c, c->a->arg_count - 1) : NULL;
    lift_nat n = last && last->kind == LIFT_TYPE_ARRAY ? last->len : NULL;

    for (const struct lift_prim_side *s = lift_prim_sides(c->op); s && s->op == c->op;
         s++) {
        lift_nat a = lift_side_value(s->a, nats, n), b = lift_side_value(s->b, nats, n);

        if (a && b && s->problem && surely_fails(s->kind, a, b))
            return prim_nat_problem(c, s->problem, s->a < LIFT_SIDE_N0 ? b : nats[0], b);
    }
    return true;
}

lift_type ir_prim_type(struct lift_ir *ir, enum lift_op op,
                       const struct lift_prim_args *args, struct lift_type_error *error)
{
    struct prim_check c = {ir, op, args, error};

    if (!arguments_fit(&c) || !numbers_fit(&c))
        return NULL;
    if (ir->unifier) {
        lift_type t = ir->unifier->special(ir->unifier->user, op, args);

        return t ? t : prim_type_scheme(&c);
    }
    return rules[op] ? rules[op](&c) : prim_type_scheme(&c);
}

int lift_prim_fun_params(struct lift_ir *ir, enum lift_op op,
                         const struct lift_prim_args *args, int slot,
                         lift_type out[LIFT_MAX_PARAMS], struct lift_type_error *error)
{
    struct prim_check c = {ir, op, args, error};
    struct match m;

    if (!lift_prim_fun_arity(op, slot))
        return 0;
    return match_data(&m, &c) ? fun_params(&m, slot, out) : 0;
}
