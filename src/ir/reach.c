/* A walk over a term by views (ir/view.h) whose indices are intervals: the index of the
 * result along one dimension and what is added to it, or numbers alone. */
#include "ir/reach.h"
#include "base/arena.h"
#include "base/bug.h"
#include "base/number.h"
#include "ir/nat.h"
#include "ir/view.h"

enum { NUMBER = -1, UNKNOWN = -2 };

/* Element 'p + lo' to 'p + hi' where p is the index of the result along 'dim'. */
struct interval {
    int dim; /* NUMBER: p is 0; UNKNOWN: any element */
    bool wraps, repeats;
    int64_t lo, hi;
};

typedef const struct interval *interval;

/* What a variable stands for: the part of an expression at a path; 'e' is NULL for a
 * number that is computed. */
struct value {
    lift_expr e;
    const struct env *env;
    lift_access path;
    interval index; /* 'e' is NULL: an index, or NULL: another number */
};

struct env {
    struct value value;
    const struct env *next;
};

typedef const struct env *envp;

struct walk {
    struct lift_arena *arena;
    struct lift_indices indices;
    int dims;
    lift_nat len[LIFT_MAX_DIMS]; /* of the result */
    struct lift_reach *reach;
    int count;
};

static interval read(struct walk *w, lift_expr e, envp env, lift_access path);

static interval make(struct walk *w, struct interval i)
{
    return lift_arena_copy(w->arena, &i, sizeof i);
}

static interval unknown(struct walk *w)
{
    return make(w, (struct interval){.dim = UNKNOWN});
}

/* ---- arithmetic */

static const void *number(void *user, lift_nat n)
{
    int64_t value;

    if (!lift_nat_is_const(n, &value))
        return unknown(user);
    return make(user, (struct interval){NUMBER, false, false, value, value});
}

static interval sum(struct walk *w, interval a, interval b)
{
    if (a->dim == UNKNOWN || b->dim == UNKNOWN || (a->dim >= 0 && b->dim >= 0))
        return unknown(w);
    return make(w, (struct interval){a->dim >= 0 ? a->dim : b->dim, a->wraps || b->wraps,
                                     a->repeats || b->repeats, a->lo + b->lo,
                                     a->hi + b->hi});
}

static const void *add(void *user, const void *i, lift_nat n, bool minus)
{
    interval by = number(user, n);

    if (minus)
        by = make(user, (struct interval){by->dim, false, false, -by->hi, -by->lo});
    return sum(user, i, by);
}

static const void *merge(void *user, const struct lift_view *v, const void *i,
                         const void *j)
{
    interval row = i;
    int64_t n;

    if (v->whole || !lift_nat_is_const(v->n, &n) || (n != 1 && row->dim != NUMBER))
        return unknown(user);
    return sum(user,
               make(user, (struct interval){row->dim, row->wraps, row->repeats,
                                            row->lo * n, row->hi * n}),
               j);
}

static void cut(void *user, const struct lift_view *v, const void *i, const void **row,
                const void **rest)
{
    interval at = i;
    int64_t n;
    bool fits = !v->whole && lift_nat_is_const(v->n, &n) && n > 0 && at->dim == NUMBER &&
                at->lo >= 0;
    bool same = fits && at->lo / n == at->hi / n; /* row */

    *row =
        fits ? make(user, (struct interval){NUMBER, false, false, at->lo / n, at->hi / n})
             : unknown(user);
    *rest =
        fits ? make(user, (struct interval){NUMBER, false, false, same ? at->lo % n : 0,
                                            same ? at->hi % n : n - 1})
             : unknown(user);
}

static void misfit(void *user)
{
    (void)user;
    LIFT_BUG("a path that does not fit the type of what it leads into");
}

/* ---- paths */

static interval pop(lift_access *path)
{
    interval index = (*path)->index;

    *path = (*path)->next;
    return index;
}

static lift_access at(struct walk *w, interval index, lift_access next)
{
    return lift_access_index(w->arena, index, next);
}

static envp bind(struct walk *w, envp env, struct value value)
{
    struct env *e = LIFT_NEW(w->arena, struct env);

    *e = (struct env){value, env};
    return e;
}

static envp bind_index(struct walk *w, envp env, interval index)
{
    return bind(w, env, (struct value){.index = index});
}

static interval read_value(struct walk *w, const struct value *v, lift_access path)
{
    if (!v->e)
        return v->index;
    return read(w, v->e, v->env, lift_access_append(w->arena, v->path, path));
}

/* All numbers of which a value of that type consists; of an array any element. */
static void read_all(struct walk *w, lift_expr e, envp env, lift_type t, lift_access path)
{
    if (t->kind == LIFT_TYPE_ARRAY)
        read_all(w, e, env, t->elem,
                 lift_access_append(w->arena, path, at(w, unknown(w), NULL)));
    for (int i = 0; t->kind == LIFT_TYPE_TUPLE && i < t->count; i++)
        read_all(
            w, e, env, t->parts[i],
            lift_access_append(w->arena, path, lift_access_member(w->arena, i, NULL)));
    if (lift_type_is_value(t))
        read(w, e, env, path);
}

/* ---- ways to find a value, as LIFT_WALKS lists them */

static interval r_scalar(struct walk *w, lift_expr e, envp env, lift_access path)
{
    (void)path;
    for (int i = 0; i < e->arg_count; i++)
        read(w, lift_expr_arg(e, i), env, NULL);
    return NULL;
}

static interval r_nat(struct walk *w, lift_expr e, envp env, lift_access path)
{
    (void)env, (void)path;
    return number(w, e->u.prim.nats[0]);
}

static interval r_select(struct walk *w, lift_expr e, envp env, lift_access path)
{
    read(w, lift_expr_arg(e, 0), env, NULL);
    read(w, lift_expr_arg(e, 1), env, path);
    read(w, lift_expr_arg(e, 2), env, path);
    return NULL;
}

static interval r_view(struct walk *w, lift_expr e, envp env, lift_access path)
{
    int slot = lift_view_argument(e->op, path);

    return read(w, lift_expr_arg(e, slot), env,
                lift_view_read(&w->indices, e, slot, path));
}

static interval r_map(struct walk *w, lift_expr e, envp env, lift_access path)
{
    struct value x = {.e = lift_expr_arg(e, 1), .env = env};

    x.path = at(w, pop(&path), NULL);
    return read(w, lift_expr_arg(e, 0)->u.lambda.body, bind(w, env, x), path);
}

/* An accumulator is a number that is computed. */
static interval r_reduce(struct walk *w, lift_expr e, envp env, lift_access path)
{
    int64_t n;
    bool fixed = lift_nat_is_const(lift_expr_arg(e, 2)->type->len, &n);
    struct value x = {.e = lift_expr_arg(e, 2), .env = env};
    envp inner = bind_index(w, env, NULL);

    (void)path;
    x.path = at(w,
                fixed ? make(w, (struct interval){NUMBER, false, false, 0, n - 1})
                      : unknown(w),
                NULL);
    read_all(w, lift_expr_arg(e, 1), env, e->type, NULL);
    read_all(w, lift_expr_arg(e, 0)->u.lambda.body, bind(w, inner, x), e->type, NULL);
    return NULL;
}

static interval r_iterate(struct walk *w, lift_expr e, envp env, lift_access path)
{
    (void)path;
    read_all(w, lift_expr_arg(e, 1), env, e->type, NULL);
    return NULL;
}

/* A number is read once, however often it is used. */
static interval r_let(struct walk *w, lift_expr e, envp env, lift_access path)
{
    struct value v = {.e = lift_expr_arg(e, 0), .env = env};

    if (lift_type_is_value(v.e->type))
        v = (struct value){.index = read(w, v.e, env, NULL)};
    return read(w, lift_expr_arg(e, 1)->u.lambda.body, bind(w, env, v), path);
}

/* The function takes the window at 'index'. */
static interval r_windows(struct walk *w, lift_expr e, envp env, lift_access path)
{
    (void)path;
    read_all(w, lift_expr_arg(e, 1), env, lift_expr_arg(e, 1)->type, NULL);
    return NULL;
}

static interval r_devices(struct walk *w, lift_expr e, envp env, lift_access path)
{
    lift_expr xs = lift_expr_arg(e, e->arg_count - 1);

    (void)path;
    read_all(w, xs, env, xs->type, NULL);
    return NULL;
}

/* Where the index lies when it is outside of 'n' elements and something inside is read in
 * its place. An index p + d < 0, so p < -d, becomes 0 or -p-d-1; one of at least n
 * becomes n-1 or 2n-1-p-d, where p is at most 'beyond' past n. Around the ends the index
 * is one modulo n, of which nothing else can be said. */
static interval repeated(struct walk *w, enum lift_pad_kind kind, interval i, lift_nat n)
{
    struct interval x = *i;
    int64_t beyond, far = lift_max(lift_max(-x.lo, x.lo), lift_max(-x.hi, x.hi));

    if (x.dim < 0 || kind == LIFT_PAD_ANY)
        return i;
    if (!lift_nat_is_const(lift_nat_sub(w->len[x.dim], n), &beyond))
        return unknown(w);
    if (kind == LIFT_PAD_WRAP) {
        x.wraps = true;
        return beyond ? unknown(w) : make(w, x);
    }
    if (x.wraps)
        return unknown(w);
    beyond = lift_max(beyond, 0);
    x.repeats = true;
    x.lo = kind == LIFT_PAD_CLAMP ? lift_min(x.lo, -beyond) : -far - 2 * beyond;
    x.hi = kind == LIFT_PAD_CLAMP ? lift_max(x.hi, 0) : far;
    return make(w, x);
}

static interval r_pad(struct walk *w, lift_expr e, envp env, lift_access path)
{
    int slot = e->arg_count - 1;
    interval i = lift_view_index(&w->indices, e, slot, pop(&path));

    if (e->op == LIFT_PAD)
        i = repeated(w, (enum lift_pad_kind)e->u.prim.attrs[0], i,
                     lift_expr_arg(e, slot)->type->len);
    return read(w, lift_expr_arg(e, slot), env, at(w, i, path));
}

static interval r_pad_value(struct walk *w, lift_expr e, envp env, lift_access path)
{
    envp inner = bind_index(w, bind_index(w, env, unknown(w)), unknown(w));

    read(w, lift_expr_arg(e, 0)->u.lambda.body, inner, path->next);
    return r_pad(w, e, env, path);
}

static interval r_pad_stored(struct walk *w, lift_expr e, envp env, lift_access path)
{
    return r_pad(w, e, env, path);
}

static interval r_inset(struct walk *w, lift_expr e, envp env, lift_access path)
{
    read(w, lift_expr_arg(e, 0), env, path);
    return read(w, lift_expr_arg(e, 1), env, lift_view_read(&w->indices, e, 1, path));
}

static interval r_concat(struct walk *w, lift_expr e, envp env, lift_access path)
{
    interval i = pop(&path);

    for (int part = 0; part < e->arg_count; part++)
        read(w, lift_expr_arg(e, part), env,
             at(w, lift_view_index(&w->indices, e, part, i), path));
    return NULL;
}

static interval r_array(struct walk *w, lift_expr e, envp env, lift_access path)
{
    interval i = pop(&path);

    return read(w, lift_expr_arg(e, 0)->u.lambda.body, bind_index(w, env, i), path);
}

static interval r_reorder(struct walk *w, lift_expr e, envp env, lift_access path)
{
    envp inner = bind_index(w, env, pop(&path));
    interval i = read(w, lift_expr_arg(e, 0)->u.lambda.body, inner, NULL);

    return read(w, lift_expr_arg(e, 1), env, at(w, i ? i : unknown(w), path));
}

/* What is added to a few elements depends on data. */
static interval r_inject(struct walk *w, lift_expr e, envp env, lift_access path)
{
    lift_type points = lift_expr_arg(e, 1)->type;

    for (int i = 0; i < 2; i++) {
        lift_access all = NULL;

        for (int d = lift_type_rank(points->parts[i]); d > 0; d--)
            all = at(w, unknown(w), all);
        read(w, lift_expr_arg(e, 1), env, lift_access_member(w->arena, i, all));
    }
    read(w, lift_expr_arg(e, 2), env, at(w, unknown(w), NULL));
    read(w, lift_expr_arg(e, 0), env, path);
    return NULL;
}

static interval r_stored(struct walk *w, lift_expr e, envp env, lift_access path)
{
    return read(w, lift_expr_arg(e, 0), env, path);
}

static interval r_vector(struct walk *w, lift_expr e, envp env, lift_access path)
{
    (void)path;
    read_all(w, lift_expr_arg(e, 0), env, lift_expr_arg(e, 0)->type, NULL);
    return NULL;
}

static interval r_lane(struct walk *w, lift_expr e, envp env, lift_access path)
{
    return r_vector(w, e, env, path);
}

typedef interval reader(struct walk *w, lift_expr e, envp env, lift_access path);

static reader *const readers[] = {
#define WALK(word, name, view) [LIFT_WALK_##word] = r_##name,
    LIFT_WALKS(WALK)
#undef WALK
};

/* ---- what is read */

/* Indices beyond the dimensions asked for may be any; one of another dimension, or one
 * that is missing, may not. */
static void note(struct walk *w, struct lift_reach *r, lift_access path)
{
    bool first = !r->read;

    r->read = true;
    for (int d = 0; d < w->dims; d++) {
        interval i;

        while (path && !path->index)
            path = path->next;
        if (!path || ((interval)path->index)->dim != d) {
            r->known = false;
            return;
        }
        i = pop(&path);
        r->wraps[d] |= i->wraps;
        r->repeats[d] |= i->repeats;
        r->lo[d] = first ? i->lo : lift_min(r->lo[d], i->lo);
        r->hi[d] = first ? i->hi : lift_max(r->hi[d], i->hi);
    }
}

static interval read_free(struct walk *w, lift_expr e, lift_access path)
{
    for (int i = 0; i < w->count; i++)
        if (w->reach[i].array == e || !w->reach[i].array) {
            note(w, &w->reach[i], path);
            return NULL;
        }
    return NULL;
}

static interval read(struct walk *w, lift_expr e, envp env, lift_access path)
{
    switch (e->kind) {
    case LIFT_EXPR_BOUND:
        for (int i = e->u.index; env && i--;)
            env = env->next;
        LIFT_ASSERT(env);
        return read_value(w, &env->value, path);
    case LIFT_EXPR_FREE:
        return read_free(w, e, path);
    case LIFT_EXPR_LIT:
        return e->type->scalar == LIFT_I32
                   ? make(w, (struct interval){NUMBER, false, false, e->u.integer,
                                               e->u.integer})
                   : NULL;
    case LIFT_EXPR_PRIM:
        return readers[lift_walk_of(e->op)](w, e, env, path);
    case LIFT_EXPR_LAMBDA:
        break;
    }
    LIFT_BUG("a function is read");
}

/* Every number of an element of the result. */
static void read_result(struct walk *w, lift_expr term, lift_type t, lift_access path,
                        int dim)
{
    if (t->kind == LIFT_TYPE_TUPLE) {
        for (int i = 0; i < t->count; i++)
            read_result(
                w, term, t->parts[i],
                lift_access_append(w->arena, path, lift_access_member(w->arena, i, NULL)),
                dim);
    } else if (t->kind == LIFT_TYPE_ARRAY && dim < w->dims) {
        interval i = make(w, (struct interval){.dim = dim});

        read_result(w, term, t->elem, lift_access_append(w->arena, path, at(w, i, NULL)),
                    dim + 1);
    } else {
        read_all(w, term, NULL, t, path);
    }
}

void lift_reach_find(lift_expr term, int dims, struct lift_reach *reach, int count)
{
    static const struct lift_index_ops ops = {number, add, merge, cut, misfit};
    struct lift_arena *arena = lift_arena_create();
    struct walk w = {.arena = arena, .dims = dims, .reach = reach, .count = count};
    lift_type t = term->type;

    w.indices = (struct lift_indices){&ops, &w, arena};
    for (int i = 0; i < count; i++)
        reach[i] = (struct lift_reach){.array = reach[i].array, .known = true};
    for (int d = 0; d < dims; d++, t = t->elem)
        w.len[d] = t->len;
    read_result(&w, term, term->type, NULL, 0);
    lift_arena_destroy(arena);
}
