/* Values that variables stand for while a sketch is made, and windows. */
#include "explore/cost/sketch_t.h"
#include <math.h>

/* The head of a path, taken off. */
sx sk_pop(struct drawer *d, lift_access *path)
{
    sx index;

    if (!*path || !(*path)->index) {
        d->failed = true;
        return sk_const(d, 0);
    }
    index = (*path)->index;
    *path = (*path)->next;
    return index;
}

/* ---- windows */

/* True if the index of an element of the window is a number when the code is written. */
static bool is_fixed(const struct drawer *d, sx index)
{
    const struct sketch_loop *l = &d->out->loops[d->loop];

    for (; l->parent >= 0; l = &d->out->loops[l->parent])
        if (l->depth < index->depth && index->by[l->depth] && l->kind != SKETCH_UNROLL &&
            l->kind != SKETCH_LANES)
            return false;
    return true;
}

static sx read_window(struct drawer *d, const struct sketch_window *w, lift_access path)
{
    sx k = sk_pop(d, &path), known;
    int kept = d->kept;

    d->kept = w->depth >= 0 && is_fixed(d, k) ? w->depth : kept;
    known = sk_read(d, w->xs, (senv)w->env,
                    sk_index(d, sk_linear(d, w->first, 1, k, 1), path));
    d->kept = kept;
    return known;
}

static void note_offset(struct drawer *d, struct sketch_ring *r, sx index)
{
    double lo, hi;

    sk_range(d, sk_linear(d, index, 1, r->window->first, -1), &lo, &hi);
    r->lo = fmin(r->lo, lo + r->before);
    r->hi = fmax(r->hi, hi + r->before);
}

static sx read_memory(struct drawer *d, const struct sketch_value *v, lift_access path)
{
    if (v->ring)
        note_offset(d, v->ring, sk_pop(d, &path));
    if (!d->failed)
        sk_access(d, v->mem, lift_access_append(d->arena, v->at, path), false);
    return NULL;
}

sx sk_read_value(struct drawer *d, const struct sketch_value *v, lift_access path)
{
    switch (v->kind) {
    case SVALUE_EXPR:
        return sk_read(d, v->expr, (senv)v->env,
                       lift_access_append(d->arena, v->at, path));
    case SVALUE_MEM:
        return read_memory(d, v, path);
    case SVALUE_WINDOW:
        return read_window(d, v->window, path);
    case SVALUE_SCALAR:
        break;
    }
    d->chance = v->chance;
    return v->known;
}

struct sketch_value sk_number_value(sx known)
{
    return (struct sketch_value){.kind = SVALUE_SCALAR, .known = known, .chance = -1};
}

/* What was read just now. */
struct sketch_value sk_scalar_value(const struct drawer *d, sx known)
{
    return (struct sketch_value){
        .kind = SVALUE_SCALAR, .known = known, .chance = d->chance};
}

static struct sketch_value read_scalar(struct drawer *d, lift_expr e, senv env)
{
    sx known = sk_read(d, e, env, NULL);

    return sk_scalar_value(d, known);
}

struct sketch_value sk_value(struct drawer *d, lift_expr e, senv env)
{
    const struct sketch_value *known;

    sk_prepare(d, e, env);
    known = sk_remembered(env, e);
    if (known)
        return *known;
    if (lift_type_is_value(e->type))
        return read_scalar(d, e, env);
    return (struct sketch_value){.kind = SVALUE_EXPR, .expr = e, .env = env};
}

struct sketch_value sk_element(struct drawer *d, lift_expr xs, senv env, sx index,
                               lift_expr lambda)
{
    struct sketch_value v = {
        .kind = SVALUE_EXPR, .expr = xs, .env = env, .at = sk_index(d, index, NULL)};

    if (!lift_type_is_value(xs->type->elem) ||
        !lift_expr_uses_bound(lambda->u.lambda.body, 0, 1))
        return v;
    index = sk_read_value(d, &v, NULL);
    return sk_scalar_value(d, index);
}
