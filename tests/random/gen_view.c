/* Windows and tiles, and grids that rearrange the elements of another grid. */
#include "base/bug.h"
#include "gen.h"
#include <string.h>

/* ---- pads */

struct pad {
    int l[RP_DIMS], r[RP_DIMS];
};

/* The type with its first 'd' lengths longer. */
static rp_type padded(struct gen *g, rp_type t, const struct pad *by, int d)
{
    struct rp_len len[RP_DIMS];
    rp_type elem = t;

    for (int i = 0; i < d; i++, elem = elem->elem)
        len[i] = rp_plus(elem->len, by->l[i] + by->r[i]);
    return rp_grid(g->p, len, d, elem);
}

static bool scalars_only(rp_type t)
{
    if (t->form == RP_TUPLE)
        for (int i = 0; i < t->count; i++)
            if (!scalars_only(t->member[i]))
                return false;
    return t->form != RP_ARRAY;
}

/* A pad of the first 'd' dimensions together. */
static struct rp_expr *pad(struct gen *g, struct rp_expr *x, const struct pad *by, int d,
                           enum rp_op op, int kind)
{
    struct rp_expr *e = rp_new1(g->p, op, padded(g, x->type, by, d), x);
    rp_type elem = rp_element(x->type, d);

    e->d = d;
    e->k = kind;
    for (int i = 0; i < d; i++) {
        e->a[i] = rp_fixed(by->l[i]);
        e->b[i] = rp_fixed(by->r[i]);
    }
    if (op == RP_PAD_CONST)
        rp_add_arg(e, rp_plain(g->p, elem, rg_range(g, -2, 2)));
    if (op == RP_PAD_FUN) {
        e->param_count = 2;
        e->param[0] = rg_enter(g, rp_scalar(RP_I32), "i");
        e->param[1] = rg_enter(g, rp_scalar(RP_I32), "n");
        rp_add_arg(e, rg_element(g, elem, 2));
        rg_leave(g, 2);
    }
    e->style = (unsigned)rg_below(g, 1 << 16);
    return e;
}

/* One dimension only, below 'depth' others. */
static struct rp_expr *pad_one(struct gen *g, struct rp_expr *x, int depth,
                               const struct pad *by, enum rp_op op, int kind)
{
    struct rp_expr *e;
    int v;

    if (depth == 0)
        return pad(g, x, by, 1, op, kind);
    v = rp_new_var(g->p, x->type->elem);
    g->p->vars[v].name = rg_name(g, "p");
    e = pad_one(g, rp_var(g->p, v), depth - 1, by, op, kind);
    e = rp_new2(g->p, RP_MAP, rp_array(g->p, x->type->len, e->type), x, e);
    e->param[0] = v;
    e->param_count = 1;
    return e;
}

/* mirror and wrap reach no further than the array is long. */
static int reindexing(struct gen *g, int n, const struct pad *by, int i)
{
    if (by->l[i] > n || by->r[i] > n)
        return RP_CLAMP;
    return rg_chance(g, 40) ? RP_CLAMP : rg_chance(g, 50) ? RP_MIRROR : RP_WRAP;
}

static struct rp_expr *pad_each(struct gen *g, struct rp_expr *x, int d,
                                const struct pad *by)
{
    rp_type t = x->type, elem = rp_element(x->type, d);

    for (int i = 0; i < d; i++, t = t->elem) {
        struct pad one = {{by->l[i]}, {by->r[i]}};
        enum rp_op op = RP_PAD;

        if (by->l[i] == 0 && by->r[i] == 0)
            continue;
        if (i == d - 1 && scalars_only(elem) && rg_chance(g, 35))
            op = rg_chance(g, 40) ? RP_PAD_CONST : RP_PAD_FUN;
        x = pad_one(g, x, i, &one, op, reindexing(g, rp_len_value(g->p, t->len), by, i));
    }
    return x;
}

static struct rp_expr *pad_all(struct gen *g, struct rp_expr *x, int d,
                               const struct pad *by)
{
    rp_type t = x->type;
    int most = 0, least = 1 << 20;

    for (int i = 0; i < d; i++, t = t->elem) {
        int n = rp_len_value(g->p, t->len);

        most = by->l[i] > most ? by->l[i] : most;
        most = by->r[i] > most ? by->r[i] : most;
        least = n < least ? n : least;
    }
    if (most == 0)
        return x;
    if (rg_chance(g, 30))
        return pad_each(g, x, d, by);
    if (scalars_only(t) && rg_chance(g, 25))
        return pad(g, x, by, d, RP_PAD_CONST, 0);
    if (d == 1 && scalars_only(t) && rg_chance(g, 15))
        return pad(g, x, by, 1, RP_PAD_FUN, 0);
    return pad(g, x, by, d, RP_PAD,
               most > least       ? RP_CLAMP
               : rg_chance(g, 40) ? RP_CLAMP
               : rg_chance(g, 50) ? RP_MIRROR
                                  : RP_WRAP);
}

/* ---- windows */

struct windows {
    int size[RP_DIMS], step[RP_DIMS];
    struct pad pad;
    struct rp_len from[RP_DIMS]; /* of the grid */
};

/* One dimension: so many windows as the length says. */
static void choose_window(struct gen *g, struct windows *w, int i, struct rp_len len,
                          int d)
{
    static const int sizes[] = {3, 3, 3, 3, 2, 2, 1, 4, 5, 5, 7, 9};
    int rest = 0, total;

    w->size[i] = sizes[rg_below(g, d == 1 ? 12 : d == 2 ? 10 : d == 3 ? 7 : 6)];
    w->step[i] = rg_chance(g, 88) ? 1 : rg_range(g, 2, 3);
    if (w->step[i] > 1 && (len.size < 0 || g->p->numbers))
        rest = rg_below(g, w->step[i]);
    total = w->size[i] - 1;
    if (rg_chance(g, 15))
        total = rg_below(g, total + 3);
    if (rg_chance(g, 20))
        total = 0;
    w->pad.l[i] = rg_chance(g, 70) ? total / 2 : rg_below(g, total + 1);
    w->pad.r[i] = total - w->pad.l[i];
    w->from[i] =
        rp_plus(rp_times(rp_plus(len, -1), w->step[i]), w->size[i] + rest - total);
    /* Longer than nothing, whatever the size. */
    while (rp_len_value(g->p, w->from[i]) < 1 ||
           (w->from[i].size >= 0 && w->from[i].mul + w->from[i].add < 1)) {
        w->from[i].add++;
        if (w->pad.r[i] > 0)
            w->pad.r[i]--;
        else if (w->pad.l[i] > 0)
            w->pad.l[i]--;
        else
            w->size[i]++;
    }
}

static struct rp_expr *slide(struct gen *g, const struct rp_len *len, int d,
                             struct rp_expr *x, const struct windows *w)
{
    struct rp_len size[RP_DIMS];
    rp_type elem = rp_element(x->type, d);
    struct rp_expr *e;

    for (int i = 0; i < d; i++)
        size[i] = rp_fixed(w->size[i]);
    e = rp_new1(g->p, RP_SLIDE, rp_grid(g->p, len, d, rp_grid(g->p, size, d, elem)), x);
    e->d = d;
    for (int i = 0; i < d; i++) {
        e->a[i] = size[i];
        e->b[i] = rp_fixed(w->step[i]);
    }
    e->style = (unsigned)rg_below(g, 1 << 16);
    return e;
}

struct rp_expr *rg_windows(struct gen *g, const struct rp_len *len, int d, rp_type elem,
                           int depth)
{
    struct windows w = {.size = {0}};
    struct rp_expr *x;

    for (int i = 0; i < d; i++)
        choose_window(g, &w, i, len[i], d);
    if (depth > 0 && g->windows < 2 && rg_chance(g, 35)) {
        g->windows++;
        x = rg_grid(g, w.from, d, elem, depth - 1);
        g->windows--;
    } else {
        x = rg_leaf(g, w.from, d, elem);
    }
    return slide(g, len, d, pad_all(g, x, d, &w.pad), &w);
}

struct rp_expr *rg_neighbours(struct gen *g, const struct rp_len *len, int d,
                              struct rp_expr *x)
{
    struct windows w = {.size = {0}};

    for (int i = 0; i < d; i++) {
        w.size[i] = rg_range(g, 1, d == 1 ? 5 : 3);
        w.step[i] = 1;
        w.pad.l[i] = rg_below(g, w.size[i]);
        w.pad.r[i] = w.size[i] - 1 - w.pad.l[i];
    }
    return slide(g, len, d, pad_all(g, x, d, &w.pad), &w);
}

struct rp_expr *rg_tiles(struct gen *g, const struct rp_len *len, int d, int depth)
{
    struct rp_len from[RP_DIMS], side[RP_DIMS];
    rp_type elem = rg_element_type(g);
    struct rp_expr *e;

    for (int i = 0; i < d; i++) {
        side[i] = rp_fixed(rg_range(g, 2, d > 2 ? 2 : 4));
        from[i] = rp_times(len[i], side[i].add);
    }
    e = depth > 0 && rg_chance(g, 20) ? rg_grid(g, from, d, elem, depth - 1)
                                      : rg_leaf(g, from, d, elem);
    e = rp_new1(g->p, d == 1 ? RP_SPLIT : RP_TILE,
                rp_grid(g->p, len, d, rp_grid(g->p, side, d, elem)), e);
    e->d = d;
    memcpy(e->a, side, sizeof side);
    return e;
}

/* ---- the same elements at other places */

static struct rp_expr *transposed(struct gen *g, const struct rp_len *len, int d,
                                  rp_type elem, int depth)
{
    struct rp_len from[RP_DIMS];
    bool turn = d > 2 && rg_chance(g, 50), back = rg_chance(g, 50);
    struct rp_expr *e;

    memcpy(from, len, sizeof *len * (size_t)d);
    if (turn) /* rotate: the outermost dimension of 'from' is the innermost of 'len' */
        for (int i = 0; i < d; i++)
            from[back ? (i + d - 1) % d : (i + 1) % d] = len[i];
    else {
        from[0] = len[1];
        from[1] = len[0];
    }
    e = rp_new1(g->p, turn ? back ? RP_UNROTATE : RP_ROTATE : RP_TRANSPOSE,
                rp_grid(g->p, len, d, elem), rg_grid(g, from, d, elem, depth - 1));
    e->d = turn ? d : 1;
    return e;
}

static struct rp_expr *reordered(struct gen *g, const struct rp_len *len, int d,
                                 rp_type elem, int depth)
{
    struct rp_expr *e = rp_new1(g->p, RP_REORDER, rp_grid(g->p, len, d, elem),
                                rg_grid(g, len, d, elem, depth - 1));

    e->param[0] = rp_new_var(g->p, rp_scalar(RP_I32));
    e->param_count = 1;
    g->p->vars[e->param[0]].name = rg_name(g, "i");
    rp_add_arg(e, rg_index(g, e->param[0], len[0]));
    return e;
}

static struct rp_expr *taken(struct gen *g, const struct rp_len *len, int d, rp_type elem,
                             int depth)
{
    bool drop = rg_chance(g, 40);
    int by = rg_range(g, 1, 4);
    struct rp_len from[RP_DIMS];
    struct rp_expr *e =
        rp_new(g->p, drop ? RP_DROP : RP_TAKE, rp_grid(g->p, len, d, elem));

    memcpy(from, len, sizeof *len * (size_t)d);
    e->d = drop ? 1 : rg_range(g, 1, d);
    for (int i = 0; i < e->d; i++) {
        from[i] = rp_plus(len[i], by);
        e->a[i] = drop ? rp_fixed(by) : len[i];
    }
    rp_add_arg(e, rg_grid(g, from, d, elem, depth - 1));
    return e;
}

static struct rp_expr *concatenated(struct gen *g, const struct rp_len *len, int d,
                                    rp_type elem, int depth)
{
    int first = rg_range(g, 1, 3);
    bool end = rg_chance(g, 50);
    struct rp_len a[RP_DIMS], b[RP_DIMS];
    struct rp_expr *e;

    memcpy(a, len, sizeof *len * (size_t)d);
    memcpy(b, len, sizeof *len * (size_t)d);
    a[0] = rp_fixed(first);
    b[0] = rp_plus(len[0], -first);
    if (rp_len_value(g->p, b[0]) < 1 || (b[0].size >= 0 && b[0].mul + b[0].add < 1))
        return rg_mapped(g, len, d, elem, depth);
    e = rp_new(g->p, RP_CONCAT, rp_grid(g->p, len, d, elem));
    rp_add_arg(e, rg_grid(g, end ? b : a, d, elem, depth - 1));
    rp_add_arg(e, rg_grid(g, end ? a : b, d, elem, 0));
    return e;
}

/* An array of small arrays, one after the other. */
static struct rp_expr *joined(struct gen *g, const struct rp_len *len, int d,
                              rp_type elem, int depth)
{
    int k = rg_range(g, 2, 4);
    struct rp_len from[2];
    rp_type row = rp_grid(g->p, len + 1, d - 1, elem);

    if (!rp_divides(len[0], k) || d > 1)
        return rg_mapped(g, len, d, elem, depth);
    from[0] = rp_over(len[0], k);
    from[1] = rp_fixed(k);
    if (rg_chance(g, 50))
        return rp_new1(g->p, RP_JOIN, rp_array(g->p, len[0], row),
                       rg_mapped(g, from, 1, rp_array(g->p, from[1], elem), depth - 1));
    return rp_new1(g->p, RP_JOIN, rp_array(g->p, len[0], row),
                   rg_grid(g, from, 2, elem, depth - 1));
}

struct rp_expr *rg_moved(struct gen *g, const struct rp_len *len, int d, rp_type elem,
                         int depth)
{
    static const int weights[] = {22, 22, 24, 18, 14, -1};

    switch (rg_pick(g, weights)) {
    case 0:
        return d > 1 ? transposed(g, len, d, elem, depth)
                     : reordered(g, len, d, elem, depth);
    case 1:
        return reordered(g, len, d, elem, depth);
    case 2:
        return taken(g, len, d, elem, depth);
    case 3:
        return concatenated(g, len, d, elem, depth);
    default:
        return joined(g, len, d, elem, depth);
    }
}
