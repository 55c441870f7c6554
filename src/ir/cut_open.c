/* The program of a part with open ends. An end is open if the neighbour's planes follow
 * the part's planes in memory. To compute elements beyond an open end, the walk extends
 * each subterm by the planes needed, down to the inputs. padStored reads an input beyond
 * its end:
 *
 *     map(f, slide(3, 1, pad(1, 1, clamp, x)))  at both ends is
 *     map(f, slide(3, 1, padStored(1, 1, 0, x)))
 *
 * This removes the boundary at open ends, and redundant computation of intermediates. */
#include "base/memory.h"
#include "ir/cut_t.h"
#include "ir/halo.h"
#include <stdlib.h>
#include <string.h>

enum { SIDES = 2 };

/* The number of additional planes before and after. */
struct more {
    int64_t side[SIDES];
};

/* A term extended by 'more' planes. For a let variable, 'to' is a placeholder until all
 * extensions of the variable are known. */
struct opened {
    lift_expr from, to;
    struct more more;
};

struct opening {
    struct lift_ir *ir;
    const struct lift_program *program;
    lift_nat var; /* the length of the grids */
    const bool *open;
    struct opened *done;
    int count, cap;
    lift_expr fill[LIFT_SCALARS]; /* the padding of inputs, taken from boundaries */
    struct lift_str *why;
};

static lift_expr extend(struct opening *o, lift_expr e, struct more more);

static lift_expr refuse(struct opening *o, const char *what)
{
    if (!o->why->len)
        lift_str_addf(o->why, "'%s' is along the planes, whose ends cannot be left out",
                      what);
    return NULL;
}

static bool along(const struct opening *o, lift_type t)
{
    return t->kind == LIFT_TYPE_ARRAY && lift_nat_has(t->len, o->var);
}

static lift_nat number(const struct opening *o, int64_t n)
{
    return lift_nat_const(o->ir->nats, n);
}

static bool is_input(const struct opening *o, lift_expr e)
{
    for (int i = 0; i < o->program->input_count; i++)
        if (o->program->inputs[i].var == e)
            return true;
    return false;
}

/* ---- the ends */

/* Splits the 'width' boundary planes at both ends of 'e': 'kept' planes remain, and 'in'
 * is the extension of the argument that they surround. */
static bool share(struct opening *o, lift_expr e, const lift_nat *width,
                  const struct more *more, lift_nat *kept, struct more *in)
{
    for (int s = 0; s < SIDES; s++) {
        int64_t n;

        if (!lift_nat_is_const(width[s], &n))
            return refuse(o, lift_prim_info(e->op)->name);
        in->side[s] = more->side[s] + (o->open[s] ? n : 0);
        kept[s] = number(o, o->open[s] ? 0 : n);
    }
    return true;
}

static void note_fill(struct opening *o, lift_expr pad)
{
    lift_expr value =
        pad->op == LIFT_PAD_VALUE ? lift_expr_arg(pad, 0)->u.lambda.body : NULL;
    lift_expr fill = value && value->loose == 0 ? lift_halo_fill(value) : NULL;

    if (fill && !o->fill[fill->type->scalar])
        o->fill[fill->type->scalar] = fill;
}

/* 'inside' is the number of the argument that the boundary planes surround. */
static lift_expr of_ends(struct opening *o, lift_expr e, struct more more, int inside)
{
    struct lift_prim_args a;
    lift_nat kept[SIDES];
    struct more in;
    lift_expr x;

    note_fill(o, e);
    if (!share(o, e, e->u.prim.nats, &more, kept, &in))
        return NULL;
    x = extend(o, lift_expr_arg(e, inside), in);
    if (!x || (lift_nat_is(kept[0], 0) && lift_nat_is(kept[1], 0)))
        return x;
    lift_expr_args(e, &a);
    a.nats[0] = kept[0];
    a.nats[1] = kept[1];
    a.args[inside] = x;
    if (e->op == LIFT_INSET)
        a.args[0] = extend(o, a.args[0], more);
    return lift_make(o->ir, e->op, &a);
}

static lift_expr of_concat(struct opening *o, lift_expr e, struct more more)
{
    lift_nat width[SIDES] = {number(o, 0), number(o, 0)}, kept[SIDES];
    struct lift_prim_args a = {.arg_count = 0};
    struct more in;
    int at = -1;

    for (int i = 0; i < e->arg_count; i++) {
        lift_type t = lift_expr_arg(e, i)->type;

        if (along(o, t) && at >= 0)
            return refuse(o, "concat");
        if (along(o, t))
            at = i;
        else
            width[at >= 0] = lift_nat_add(width[at >= 0], t->len);
    }
    if (at < 0 || !share(o, e, width, &more, kept, &in))
        return NULL;
    for (int i = 0; i < e->arg_count; i++)
        if (i == at || !o->open[i > at])
            a.args[a.arg_count++] =
                i == at ? extend(o, lift_expr_arg(e, i), in) : lift_expr_arg(e, i);
    return a.arg_count == 1 ? a.args[0] : lift_make(o->ir, LIFT_CONCAT, &a);
}

/* 'x' without the first out[0] and the last out[1] planes. */
static lift_expr some(struct opening *o, lift_expr x, const struct more *out)
{
    if (x && out->side[1])
        x = lift_call_nat(o->ir, LIFT_TAKE,
                          lift_nat_add_const(x->type->len, -out->side[1]), x);
    return x && out->side[0] ? lift_call_nat(o->ir, LIFT_DROP, number(o, out->side[0]), x)
                             : x;
}

/* The argument of take or drop: an extension first restores the dropped elements. */
static lift_expr of_some(struct opening *o, lift_expr e, struct more more)
{
    lift_expr x = lift_expr_arg(e, 0);
    int s = e->op == LIFT_TAKE;
    struct more in = more, out = {{0, 0}};
    lift_nat n = e->u.prim.nats[0];
    int64_t left;

    if (!lift_nat_is_const(s ? lift_nat_sub(x->type->len, n) : n, &left))
        return refuse(o, lift_prim_info(e->op)->name);
    in.side[s] = left < more.side[s] ? more.side[s] - left : 0;
    out.side[s] = left > more.side[s] ? left - more.side[s] : 0;
    return some(o, extend(o, x, in), &out);
}

/* ---- grids */

static bool can_store(lift_expr input)
{
    lift_type base = lift_type_base(input->type);

    return base->kind == LIFT_TYPE_SCALAR && base->scalar != LIFT_BOOL;
}

static lift_expr store(struct opening *o, lift_expr e, const struct more *more)
{
    struct lift_prim_args a = {
        .nats = {number(o, more->side[0]), number(o, more->side[1])}, .arg_count = 2};
    lift_type base = lift_type_base(e->type);

    a.args[0] = o->fill[base->scalar];
    if (!a.args[0])
        a.args[0] = base->scalar == LIFT_I32 ? lift_expr_int(o->ir, 0)
                                             : lift_expr_float(o->ir, base->scalar, 0);
    a.args[0] = ir_fill(o->ir, e->type->elem, a.args[0]);
    a.args[1] = e;
    return lift_make(o->ir, LIFT_PAD_STORED, &a);
}

static lift_expr of_input(struct opening *o, lift_expr e, const struct more *more)
{
    if (!more->side[0] && !more->side[1])
        return e;
    return can_store(e) ? store(o, e, more) : refuse(o, e->u.name);
}

/* Wraps inputs in padStored even if no ghost plane is read, so that grids have one layout
 * with and without reads beyond open ends. */
static lift_expr store_all(struct opening *o, lift_expr body)
{
    static const struct more nothing;
    lift_expr from[LIFT_MAX_ARGS], to[LIFT_MAX_ARGS];
    int n = 0;

    if (!body || lift_expr_mentions(body, LIFT_PAD_STORED))
        return body;
    for (int i = 0; i < o->program->input_count; i++) {
        from[n] = o->program->inputs[i].var;
        if (!along(o, from[n]->type) || !can_store(from[n]))
            continue;
        to[n] = store(o, from[n], &nothing);
        if (!to[n++])
            return NULL;
    }
    return lift_expr_replace(o->ir, body, from, to, n);
}

static lift_expr of_array(struct opening *o, lift_expr e, const struct more *more)
{
    lift_nat n = lift_nat_add_const(e->type->len, more->side[0] + more->side[1]);
    lift_expr x = lift_fresh(o->ir, "i", lift_type_scalar(o->ir, LIFT_I32)), at = x;

    if (more->side[0])
        at = lift_call2(o->ir, LIFT_SUB, x, lift_expr_int(o->ir, more->side[0]));
    return lift_array(
        o->ir, n, lift_fun(o->ir, lift_expr_apply(o->ir, lift_expr_arg(e, 0), &at), x));
}

/* ---- named values */

static lift_type longer(const struct opening *o, lift_type t, const struct more *more)
{
    lift_type parts[LIFT_MAX_ARGS];

    if (t->kind != LIFT_TYPE_TUPLE)
        return lift_type_array(o->ir, t->elem,
                               lift_nat_add_const(t->len, more->side[0] + more->side[1]));
    for (int i = 0; i < t->count; i++)
        parts[i] = longer(o, t->parts[i], more);
    return lift_type_tuple(o->ir, parts, t->count);
}

static lift_expr some_of(struct opening *o, lift_expr x, const struct more *out)
{
    lift_expr members[LIFT_MAX_ARGS];

    if (x->type->kind != LIFT_TYPE_TUPLE)
        return some(o, x, out);
    for (int i = 0; i < x->type->count; i++)
        members[i] = some_of(o, lift_get(o->ir, i, x), out);
    return lift_call(o->ir, LIFT_TUPLE, members, x->type->count);
}

/* 'body' with the placeholders of a variable replaced by planes of 'value'. */
static lift_expr put_back(struct opening *o, lift_expr var, lift_expr value,
                          const struct more *most, lift_expr body)
{
    lift_expr z = lift_fresh(o->ir, "stage", value->type);

    for (int i = 0; body && i < o->count; i++) {
        const struct opened *d = &o->done[i];
        struct more out;
        lift_expr to;

        if (d->from != var)
            continue;
        for (int s = 0; s < SIDES; s++)
            out.side[s] = most->side[s] - d->more.side[s];
        to = some_of(o, z, &out);
        body = to ? lift_expr_replace(o->ir, body, &d->to, &to, 1) : NULL;
    }
    return lift_let(o->ir, value, lift_fun(o->ir, body, z));
}

static lift_expr of_let(struct opening *o, lift_expr e, struct more more)
{
    lift_expr value = lift_expr_arg(e, 0), body;
    lift_expr var = lift_fresh(o->ir, "value", value->type);
    struct more most = {{0, 0}};

    body = extend(o, lift_expr_apply(o->ir, lift_expr_arg(e, 1), &var), more);
    if (!body)
        return NULL;
    if (!cut_type_has(value->type, o->var))
        return lift_let(o->ir, value, lift_fun(o->ir, body, var));
    for (int i = 0; i < o->count; i++)
        for (int s = 0; o->done[i].from == var && s < SIDES; s++)
            if (o->done[i].more.side[s] > most.side[s])
                most.side[s] = o->done[i].more.side[s];
    value = extend(o, value, most);
    return value ? put_back(o, var, value, &most, body) : NULL;
}

/* Unrolls the iteration into 'let's, since each step computes other planes. */
static lift_expr of_iterate(struct opening *o, lift_expr e, struct more more)
{
    lift_expr x = lift_expr_arg(e, 1);
    int64_t n;

    if (!lift_nat_is_const(e->u.prim.nats[0], &n))
        return refuse(o, "iterate");
    for (int64_t i = 0; x && i < n; i++)
        x = lift_let(o->ir, x, lift_expr_arg(e, 0));
    return x ? extend(o, x, more) : NULL;
}

/* ---- terms */

/* Detects grids in a function. */
struct own_grids {
    lift_nat var;
    bool any;
};

static bool look_for_grids(void *own_grids, lift_expr e)
{
    struct own_grids *own = own_grids;

    own->any |= cut_type_has(e->type, own->var) ||
                (lift_expr_is(e, LIFT_NAT) && lift_nat_has(e->u.prim.nats[0], own->var));
    return !own->any;
}

static lift_expr of_children(struct opening *o, lift_expr e, struct more more)
{
    lift_expr children[LIFT_MAX_ARGS];

    for (int i = 0; i < e->arg_count; i++) {
        lift_expr child = lift_expr_arg(e, i);
        bool fun = child->kind == LIFT_EXPR_LAMBDA;
        struct own_grids own = {.var = o->var};

        if (fun)
            lift_expr_each(child->u.lambda.body, look_for_grids, &own);
        if (own.any)
            return refuse(o, lift_prim_info(e->op)->name);
        children[i] = fun ? child : extend(o, child, more);
        if (!children[i])
            return NULL;
    }
    return lift_expr_rebuild(o->ir, e, children, NULL);
}

static lift_expr of_prim(struct opening *o, lift_expr e, struct more more)
{
    switch (e->op) {
    case LIFT_PAD:
        return of_ends(o, e, more, 0);
    case LIFT_PAD_VALUE:
    case LIFT_INSET:
        return of_ends(o, e, more, 1);
    case LIFT_CONCAT:
        return of_concat(o, e, more);
    case LIFT_TAKE:
    case LIFT_DROP:
        return of_some(o, e, more);
    case LIFT_ARRAY:
        return of_array(o, e, &more);
    case LIFT_LET:
        return of_let(o, e, more);
    case LIFT_ITERATE:
        return of_iterate(o, e, more);
    case LIFT_MAP:
    case LIFT_ZIP:
    case LIFT_UNZIP:
    case LIFT_TUPLE:
    case LIFT_GET:
    case LIFT_SLIDE:
        return of_children(o, e, more);
    default:
        return refuse(o, lift_prim_info(e->op)->name);
    }
}

/* Extends 'e' by planes at both ends. 'e' is an array of the planes, or a tuple of such
 * arrays. */
static lift_expr extend(struct opening *o, lift_expr e, struct more more)
{
    lift_expr to;

    for (int i = 0; i < o->count; i++)
        if (o->done[i].from == e && o->done[i].more.side[0] == more.side[0] &&
            o->done[i].more.side[1] == more.side[1])
            return o->done[i].to;
    if (!cut_type_has(e->type, o->var))
        return refuse(o, "a value without planes");
    if (e->kind == LIFT_EXPR_PRIM)
        to = of_prim(o, e, more);
    else if (is_input(o, e))
        to = of_input(o, e, &more);
    else
        to = lift_fresh(o->ir, "stage", longer(o, e->type, &more));
    if (!to)
        return refuse(o, "a term");
    LIFT_ROOM(o->done, o->count, o->cap);
    o->done[o->count++] = (struct opened){e, to, more};
    return to;
}

const struct lift_program *lift_cut_open(struct lift_ir *ir, const struct lift_cut *cut,
                                         const struct lift_program *part,
                                         const bool *open, struct lift_str *why)
{
    struct opening o = {.ir = ir, .program = part, .open = open, .why = why};
    struct lift_program *p = lift_arena_copy(ir->arena, part, sizeof *part);

    for (int i = 0; i < part->size_count; i++)
        if (!strcmp(part->sizes[i].name, cut->size)) {
            o.var = part->sizes[i].nat;
            p->sizes[i].lo = open[0] && open[1] ? 1 : p->sizes[i].lo;
        }
    if (cut->dim != 0 || !o.var) {
        lift_str_add(why, "only the planes of a grid have ends that are left out");
        return NULL;
    }
    p->body = store_all(&o, extend(&o, part->body, (struct more){{0, 0}}));
    free(o.done);
    if (p->body && p->body->type != part->body->type)
        p->body = refuse(&o, "the result");
    return p->body ? p : NULL;
}
