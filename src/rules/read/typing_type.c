/* Types of patterns: made, unified, printed. */
#include "rules/read/typing.h"

/* ---- making */

static struct ty *new_ty(struct typer *t, enum ty_kind kind)
{
    struct ty *a = LIFT_NEW(t->r->arena, struct ty);

    a->kind = kind;
    a->id = t->var_count++;
    return a;
}

struct ty *ty_var(struct typer *t, int heads)
{
    struct ty *a = new_ty(t, TY_VAR);

    a->heads = heads;
    return a;
}

struct ty *ty_scalar(struct typer *t, enum lift_scalar scalar)
{
    struct ty *a = new_ty(t, TY_SCALAR);

    a->scalar = scalar;
    return a;
}

struct ty *ty_array(struct typer *t, struct ty *elem, lift_nat len)
{
    struct ty *a = new_ty(t, TY_ARRAY);

    a->elem = elem;
    a->len = len;
    return a;
}

struct ty *ty_vector(struct typer *t, struct ty *elem, lift_nat width)
{
    struct ty *a = ty_array(t, elem, width);

    a->kind = TY_VECTOR;
    return a;
}

struct ty *ty_tuple(struct typer *t, struct ty *const *parts, int count, bool open)
{
    struct ty *a = new_ty(t, TY_TUPLE);

    a->parts = LIFT_NEW_ARRAY(t->r->arena, struct ty *, LIFT_MAX_ARGS);
    for (int i = 0; i < count; i++)
        a->parts[i] = parts[i];
    a->count = count;
    a->open = open;
    return a;
}

struct ty *ty_find(struct ty *a)
{
    while (a->link)
        a = a->link;
    return a;
}

int ty_heads(struct ty *a)
{
    a = ty_find(a);
    switch (a->kind) {
    case TY_VAR:
        return a->heads;
    case TY_SCALAR:
        return 1 << a->scalar;
    case TY_VECTOR:
        return HEAD_VECTOR | ty_heads(a->elem);
    case TY_TUPLE:
        return HEAD_TUPLE;
    case TY_ARRAY:
        return HEAD_ARRAY;
    }
    return 0;
}

/* ---- unifying */

static bool occurs(const struct ty *var, struct ty *in)
{
    bool found = false;

    in = ty_find(in);
    if (in == var)
        return true;
    for (int i = 0; in->kind == TY_TUPLE && i < in->count; i++)
        found = found || occurs(var, in->parts[i]);
    return found ||
           ((in->kind == TY_ARRAY || in->kind == TY_VECTOR) && occurs(var, in->elem));
}

static bool is_rigid(const struct typer *t, const struct ty *a)
{
    return t->rhs && a->id < t->rigid;
}

/* A vector must be one of the scalars that the variable allows. */
static bool allows(const struct ty *var, struct ty *a)
{
    int heads = ty_heads(a);

    if (a->kind == TY_VAR)
        return (heads & var->heads) != 0;
    if (a->kind == TY_VECTOR)
        return (var->heads & HEAD_VECTOR) && (heads & var->heads & ~HEAD_VECTOR);
    return (heads & var->heads) != 0;
}

/* 'a' is a variable that may change. */
static bool bind_var(struct typer *t, struct ty *a, struct ty *b)
{
    if (!allows(a, b) || occurs(a, b))
        return false;
    if (b->kind == TY_VAR && is_rigid(t, b) && (b->heads & ~a->heads))
        return false;
    if (b->kind == TY_VAR && !is_rigid(t, b))
        b->heads &= a->heads;
    a->link = b;
    return true;
}

static bool clash(struct typer *t)
{
    t->shapes_differ = true;
    return false;
}

/* The right-hand side may ask for one type of open literals. */
static bool settle_real(struct typer *t, struct ty *a, struct ty *b)
{
    return t->rhs && a == ty_find(t->real) && a->kind == TY_VAR && b->kind == TY_SCALAR &&
           bind_var(t, a, b);
}

static bool unify_vars(struct typer *t, struct ty *a, struct ty *b)
{
    if (settle_real(t, a, b) || settle_real(t, b, a))
        return true;
    if (a->kind == TY_VAR && !is_rigid(t, a) && bind_var(t, a, b))
        return true;
    return (b->kind == TY_VAR && !is_rigid(t, b) && bind_var(t, b, a)) || clash(t);
}

static bool unify_lens(struct typer *t, lift_nat a, lift_nat b)
{
    enum size_verdict verdict = SIZES_EQUAL;

    if (t->rhs)
        verdict = size_compare(&t->sizes, a, b, &t->sample);
    else
        size_unify(&t->sizes, a, b);
    if (verdict == SIZES_EQUAL)
        return true;
    if (t->verdict != SIZES_DIFFER)
        t->verdict = verdict;
    return false;
}

/* The longer of two open tuples goes on; one that the left-hand side left open may have
 * any further members. */
static bool unify_tuples(struct typer *t, struct ty *a, struct ty *b)
{
    int common = a->count < b->count ? a->count : b->count;
    bool ok = true;

    if ((a->count < b->count && !a->open) || (b->count < a->count && !b->open))
        return clash(t);
    for (int i = 0; i < common; i++)
        ok = ty_unify(t, a->parts[i], b->parts[i]) && ok;
    if (ok && a->open && !is_rigid(t, a) && (a->count <= b->count || !b->open))
        a->link = b;
    else if (ok && b->open && !is_rigid(t, b))
        b->link = a;
    return ok;
}

bool ty_unify(struct typer *t, struct ty *a, struct ty *b)
{
    bool same;

    a = ty_find(a);
    b = ty_find(b);
    if (a == b)
        return true;
    if (a->kind == TY_VAR || b->kind == TY_VAR)
        return unify_vars(t, a, b);
    if (a->kind != b->kind)
        return clash(t);
    switch (a->kind) {
    case TY_SCALAR:
        return a->scalar == b->scalar || clash(t);
    case TY_TUPLE:
        return unify_tuples(t, a, b);
    default:
        same = unify_lens(t, a->len, b->len);
        return ty_unify(t, a->elem, b->elem) && same;
    }
}

/* ---- printing */

static bool is_size(const struct typer *t, char letter)
{
    const struct rule_names *names = &t->r->def->names;

    for (int i = 0; i < names->nat_count; i++)
        if (names->nats[i].name[0] == letter && !names->nats[i].name[1])
            return true;
    return false;
}

/* a, b, ... as they come, without the sizes of the rule; t after them. */
static void print_var(struct typer *t, struct ty *a, struct lift_str *out)
{
    while (!a->letter && (t->letters < 'a' || is_size(t, t->letters)))
        t->letters = t->letters ? (char)(t->letters + 1) : 'a';
    if (!a->letter) {
        a->letter = t->letters;
        t->letters += t->letters < 't';
    }
    lift_str_addc(out, a->letter);
}

static void print_tuple(struct typer *t, const struct ty *a, struct lift_str *out)
{
    lift_str_addc(out, '(');
    for (int i = 0; i < a->count; i++) {
        lift_str_add(out, i ? ", " : "");
        ty_print(t, a->parts[i], out);
    }
    lift_str_add(out, a->open ? (a->count ? ", ...)" : "...)") : ")");
}

void ty_print(struct typer *t, struct ty *a, struct lift_str *out)
{
    a = ty_find(a);
    switch (a->kind) {
    case TY_VAR:
        print_var(t, a, out);
        return;
    case TY_SCALAR:
        lift_str_add(out, lift_scalar_name(a->scalar));
        return;
    case TY_TUPLE:
        print_tuple(t, a, out);
        return;
    case TY_VECTOR:
        ty_print(t, a->elem, out);
        lift_str_addc(out, '<');
        size_print(&t->sizes, a->len, 0, out);
        lift_str_addc(out, '>');
        return;
    case TY_ARRAY:
        lift_str_addc(out, '[');
        ty_print(t, a->elem, out);
        lift_str_addc(out, ']');
        size_print(&t->sizes, a->len, 1, out);
        return;
    }
}
