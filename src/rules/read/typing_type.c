/* Types of patterns: metavariables, unification, messages. */
#include "rules/read/typing.h"

lift_type ty_var(void *typer, int heads)
{
    struct typer *t = typer;

    LIFT_ARENA_ROOM(lift_ir_arena(t->r->ir), t->vars, t->var_count, t->var_cap);
    t->vars[t->var_count] = (struct ty_var){.heads = heads};
    return lift_type_meta(t->r->ir, t->var_count++);
}

/* Returns the metavariable for the further members of a tuple; NULL: none. */
static lift_type rest_of(const struct typer *t, lift_type a)
{
    lift_type last = a->count ? a->parts[a->count - 1] : NULL;

    return last && last->kind == LIFT_TYPE_META &&
                   t->vars[last->count].heads == HEADS_REST
               ? last
               : NULL;
}

lift_type ty_find(void *typer, lift_type a)
{
    struct typer *t = typer;
    lift_type parts[LIFT_MAX_ARGS + 1], rest, more;
    int count;

    while (a->kind == LIFT_TYPE_META && t->vars[a->count].link)
        a = t->vars[a->count].link;
    rest = a->kind == LIFT_TYPE_TUPLE ? rest_of(t, a) : NULL;
    if (!rest || !t->vars[rest->count].link)
        return a;
    more = ty_find(t, rest);
    count = a->count - 1;
    for (int i = 0; i < count; i++)
        parts[i] = a->parts[i];
    if (more->kind == LIFT_TYPE_META)
        parts[count++] = more;
    for (int i = 0; more->kind == LIFT_TYPE_TUPLE && i < more->count; i++)
        if (count <= LIFT_MAX_ARGS)
            parts[count++] = more->parts[i];
    return lift_type_tuple(t->r->ir, parts, count);
}

int ty_heads(struct typer *t, lift_type a)
{
    a = ty_find(t, a);
    switch (a->kind) {
    case LIFT_TYPE_META:
        return t->vars[a->count].heads;
    case LIFT_TYPE_SCALAR:
        return 1 << a->scalar;
    case LIFT_TYPE_VECTOR:
        return HEAD_VECTOR | ty_heads(t, a->elem);
    case LIFT_TYPE_TUPLE:
        return HEAD_TUPLE;
    case LIFT_TYPE_ARRAY:
        return HEAD_ARRAY;
    case LIFT_TYPE_FUN:
        break;
    }
    return 0;
}

/* ---- unification */

static bool occurs(struct typer *t, lift_type var, lift_type in)
{
    in = ty_find(t, in);
    if (in == var)
        return true;
    for (int i = 0; in->kind == LIFT_TYPE_TUPLE && i < in->count; i++)
        if (occurs(t, var, in->parts[i]))
            return true;
    return in->elem && occurs(t, var, in->elem);
}

static bool is_rigid(const struct typer *t, lift_type var)
{
    return t->rhs && var->count < t->rigid;
}

/* True if a variable may be bound to a type. A vector must have a scalar type that the
 * variable allows. */
static bool allows(struct typer *t, lift_type var, lift_type a)
{
    int heads = ty_heads(t, a), wanted = ty_heads(t, var);

    if (a->kind == LIFT_TYPE_VECTOR)
        return (wanted & HEAD_VECTOR) && (heads & wanted & ~HEAD_VECTOR);
    return (heads & wanted) != 0;
}

/* Binds 'a', a variable that is not rigid; false if the types do not match. */
static bool bind_var(struct typer *t, lift_type a, lift_type b)
{
    struct ty_var *var = &t->vars[a->count];

    if (!allows(t, a, b) || occurs(t, a, b))
        return false;
    if (b->kind == LIFT_TYPE_META && is_rigid(t, b) && (ty_heads(t, b) & ~var->heads))
        return false;
    if (b->kind == LIFT_TYPE_META && !is_rigid(t, b))
        t->vars[b->count].heads &= var->heads;
    var->link = b;
    return true;
}

static bool clash(struct typer *t)
{
    t->shapes_differ = true;
    return false;
}

/* The right-hand side may require one type of open literals. If so, binds the type. */
static bool settle_real(struct typer *t, lift_type a, lift_type b)
{
    return t->rhs && a == ty_find(t, t->real) && a->kind == LIFT_TYPE_META &&
           b->kind == LIFT_TYPE_SCALAR && bind_var(t, a, b);
}

static bool unify_vars(struct typer *t, lift_type a, lift_type b)
{
    if (settle_real(t, a, b) || settle_real(t, b, a))
        return true;
    if (a->kind == LIFT_TYPE_META && !is_rigid(t, a) && bind_var(t, a, b))
        return true;
    return (b->kind == LIFT_TYPE_META && !is_rigid(t, b) && bind_var(t, b, a)) ||
           clash(t);
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

/* Unifies two tuples. A tuple that the left-hand side left open may have any further
 * members. */
static bool unify_tuples(struct typer *t, lift_type a, lift_type b)
{
    lift_type more[2] = {rest_of(t, a), rest_of(t, b)};
    int counts[2] = {a->count - !!more[0], b->count - !!more[1]};
    int common = counts[0] < counts[1] ? counts[0] : counts[1];
    bool ok = true;

    if ((counts[0] < counts[1] && !more[0]) || (counts[1] < counts[0] && !more[1]))
        return clash(t);
    for (int i = 0; i < common; i++)
        ok = ty_unify(t, a->parts[i], b->parts[i]) && ok;
    for (int i = 0; ok && i < 2;
         i++) { /* the shorter tuple gets the members of the longer */
        lift_type other = i ? a : b;

        if (!more[i] || more[i] == more[!i] || is_rigid(t, more[i]) ||
            counts[i] > counts[!i])
            continue;
        t->vars[more[i]->count].link =
            more[!i] && counts[!i] == common
                ? more[!i]
                : lift_type_tuple(t->r->ir, other->parts + common, other->count - common);
        break;
    }
    return ok;
}

bool ty_unify(void *typer, lift_type a, lift_type b)
{
    struct typer *t = typer;
    bool same;

    a = ty_find(t, a);
    b = ty_find(t, b);
    if (a == b)
        return true;
    if (a->kind == LIFT_TYPE_META || b->kind == LIFT_TYPE_META)
        return unify_vars(t, a, b);
    if (a->kind != b->kind)
        return clash(t);
    switch (a->kind) {
    case LIFT_TYPE_SCALAR:
        return a->scalar == b->scalar || clash(t);
    case LIFT_TYPE_TUPLE:
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

/* Prints a type variable: a, b, ... in order of use, skipping sizes of the rule; then t.
 */
static void print_var(struct typer *t, struct ty_var *a, struct lift_str *out)
{
    if (a->heads == HEADS_REST) {
        lift_str_add(out, "...");
        return;
    }
    while (!a->letter && (t->letters < 'a' || is_size(t, t->letters)))
        t->letters = t->letters ? (char)(t->letters + 1) : 'a';
    if (!a->letter) {
        a->letter = t->letters;
        t->letters += t->letters < 't';
    }
    lift_str_addc(out, a->letter);
}

void ty_print(struct typer *t, lift_type a, struct lift_str *out)
{
    a = ty_find(t, a);
    switch (a->kind) {
    case LIFT_TYPE_META:
        print_var(t, &t->vars[a->count], out);
        return;
    case LIFT_TYPE_TUPLE:
        lift_str_addc(out, '(');
        for (int i = 0; i < a->count; i++) {
            lift_str_add(out, i ? ", " : "");
            ty_print(t, a->parts[i], out);
        }
        lift_str_addc(out, ')');
        return;
    case LIFT_TYPE_VECTOR:
        ty_print(t, a->elem, out);
        lift_str_addc(out, '<');
        size_print(&t->sizes, a->len, 0, out);
        lift_str_addc(out, '>');
        return;
    case LIFT_TYPE_ARRAY:
        lift_str_addc(out, '[');
        ty_print(t, a->elem, out);
        lift_str_addc(out, ']');
        size_print(&t->sizes, a->len, 1, out);
        return;
    default:
        lift_type_print(a, out);
        return;
    }
}
