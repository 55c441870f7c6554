/* A walk over a term by views (ir/view.h). Its indices are intervals: the index of the
 * result along one dimension plus an interval of offsets, or an interval of numbers. */
#include "ir/reach.h"
#include "base/arena.h"
#include "base/bug.h"
#include "base/number.h"
#include "ir/nat.h"
#include "ir/walk.h"

enum { NUMBER = LIFT_REACH_NUMBER, UNKNOWN = LIFT_REACH_UNKNOWN };

/* Elements 'p + lo' to 'p + hi', where p is the index of the result along 'dim'. */
struct interval {
    int dim; /* NUMBER: p is 0; UNKNOWN: any element */
    bool wraps, repeats;
    int64_t lo, hi;
};

typedef const struct interval *interval;

struct walk {
    struct lift_arena *arena;
    struct lift_walker walker;
    int dims;
    lift_nat len[LIFT_MAX_DIMS]; /* lengths of the result */
    struct lift_reach *reach;
    int count;
    lift_expr array; /* the array of 'each' */
    lift_reach_each_read *each;
    void *user;
};

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
    bool same = fits && at->lo / n == at->hi / n; /* both ends are in one row */

    *row =
        fits ? make(user, (struct interval){NUMBER, false, false, at->lo / n, at->hi / n})
             : unknown(user);
    *rest =
        fits ? make(user, (struct interval){NUMBER, false, false, same ? at->lo % n : 0,
                                            same ? at->hi % n : n - 1})
             : unknown(user);
}

static const void *misfit(void *user)
{
    (void)user;
    LIFT_BUG("a path that does not fit the type of what it leads into");
}

/* ---- values: indices; other values are NULL */

static const void *literal(void *user, lift_expr e)
{
    int64_t n = e->u.integer;

    return e->type->scalar == LIFT_I32
               ? make(user, (struct interval){NUMBER, false, false, n, n})
               : NULL;
}

static const void *scalar(void *user, lift_expr e, const void *const *args)
{
    return (void)user, (void)e, (void)args, NULL;
}

static const void *as_index(void *user, const void *value, lift_nat n)
{
    int64_t count;

    if (value)
        return value;
    return lift_nat_is_const(n, &count)
               ? make(user, (struct interval){NUMBER, false, false, 0, count - 1})
               : unknown(user);
}

/* The interval of an index that boundary handling maps from outside to inside of 'n'
 * elements. An index p + d < 0, so p < -d, becomes 0 or -p-d-1. An index of at least n
 * becomes n-1 or 2n-1-p-d, where p is at most 'beyond' past n. With a periodic boundary,
 * the index is known modulo n only. */
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

static const void *r_pad(void *user, lift_expr e, lift_env env, lift_access path)
{
    struct walk *w = user;
    int slot = e->arg_count - 1;
    interval i =
        lift_view_index(&w->walker.indices, e, slot, lift_walk_pop(&w->walker, &path));

    if (e->op == LIFT_PAD)
        i = repeated(w, e->u.prim.attrs.pad.kind, i, lift_expr_arg(e, slot)->type->len);
    return lift_walk_find(&w->walker, lift_expr_arg(e, slot), env,
                          lift_access_index(w->arena, i, path));
}

/* The first iteration may read any element of the array. */
static const void *r_iterate(void *user, lift_expr e, lift_env env, lift_access path)
{
    const struct walk *w = user;

    (void)path;
    lift_walk_all(&w->walker, lift_expr_arg(e, 1), env, e->type, NULL, NULL);
    return NULL;
}

/* ---- reads */

/* Indices beyond the requested dimensions may be arbitrary. Within these dimensions, a
 * missing index or the index of another dimension is rejected. */
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
        i = lift_walk_pop(&w->walker, &path);
        r->wraps[d] |= i->wraps;
        r->repeats[d] |= i->repeats;
        r->lo[d] = first ? i->lo : lift_min(r->lo[d], i->lo);
        r->hi[d] = first ? i->hi : lift_max(r->hi[d], i->hi);
    }
}

static void tell(const struct walk *w, lift_access path)
{
    struct lift_reach_read r = {.member_count = 0};

    for (; path; path = path->next) {
        interval i = path->index;

        if (!i && r.member_count++ < LIFT_REACH_PATH)
            r.members[r.member_count - 1] = path->member;
        if (i && r.index_count++ < LIFT_REACH_PATH)
            r.indices[r.index_count - 1] =
                (struct lift_reach_index){i->dim, i->lo, i->hi};
        r.repeats |= i && (i->repeats || i->wraps);
    }
    w->each(w->user, &r);
}

static const void *input(void *user, lift_expr e, lift_access path)
{
    struct walk *w = user;

    if (w->each && w->array == e)
        tell(w, path);

    for (int i = 0; i < w->count; i++)
        if (w->reach[i].array == e || !w->reach[i].array) {
            note(w, &w->reach[i], path);
            return NULL;
        }
    return NULL;
}

static const void *read(void *user, lift_expr e, lift_env env, lift_access path)
{
    return lift_walk_find(&((struct walk *)user)->walker, e, env, path);
}

/* Reads every scalar of one element of the result. */
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

        read_result(
            w, term, t->elem,
            lift_access_append(w->arena, path, lift_access_index(w->arena, i, NULL)),
            dim + 1);
    } else {
        lift_walk_all(&w->walker, term, NULL, t, path, NULL);
    }
}

static void walk(struct walk *w, lift_expr term)
{
    static const struct lift_index_ops indices = {number, add, merge, cut, misfit};
    static const struct lift_walk_ops ops = {
        .read = read,
        .input = input,
        .literal = literal,
        .scalar = scalar,
        .as_index = as_index,
        .own = {[LIFT_WALK_PAD] = r_pad, [LIFT_WALK_ITERATE] = r_iterate},
    };
    struct lift_arena *arena = lift_arena_create();
    lift_type t = term->type;

    w->arena = arena;
    w->walker = (struct lift_walker){&ops, {&indices, w, arena}};
    for (int d = 0; d < w->dims; d++, t = t->elem)
        w->len[d] = t->len;
    read_result(w, term, term->type, NULL, 0);
    lift_arena_destroy(arena);
}

void lift_reach_find(lift_expr term, int dims, struct lift_reach *reach, int count)
{
    struct walk w = {.dims = dims, .reach = reach, .count = count};

    for (int i = 0; i < count; i++)
        reach[i] = (struct lift_reach){.array = reach[i].array, .known = true};
    walk(&w, term);
}

void lift_reach_each(lift_expr term, int dims, lift_expr array,
                     lift_reach_each_read *each, void *user)
{
    struct walk w = {.dims = dims, .array = array, .each = each, .user = user};

    walk(&w, term);
}
