/* Overlapped tiling in d dimensions.
 *
 *     map_n(f, X) = untile_n(map_n(fun(t => map_n(f, t)), tile_n(k, X)))        if k
 * divides
 *
 * Where k need not divide, X is first rounded up to multiples of k, and the surplus of
 * the result is dropped by take_n. Rounding up goes through zip_n to each member, and
 * through slide_n to its array, where s more elements give one more window:
 *
 *     tile_n(k, zip_n(x, y, ...)) = map_n(fun(t => zip_n(t.0, t.1, ...)),
 *                                         zip_n(tile_n(k, x), tile_n(k, y), ...))
 *     tile_n(k, slide_n(n, s, y)) = map_n(fun(t => slide_n(n, s, t)),
 *                                         slide_n(s*(k-1) + n, s*k, y))         if k
 * divides */
#include "tile.h"
#include "natives.h"
#include "nd.h"

struct tiling {
    struct lift_ir *ir;
    int d;
    lift_expr f; /* of map_n */
    lift_nat k[LIFT_MAX_DIMS];
};

static lift_expr round_up(struct lift_ir *ir, int d, const lift_nat *extra, lift_expr xs);

static lift_expr round_zip(struct lift_ir *ir, int d, const lift_nat *extra,
                           lift_expr *members, int count)
{
    for (int i = 0; i < count; i++)
        members[i] = round_up(ir, d, extra, members[i]);
    return lift_zip_n(ir, d, members, count);
}

static lift_expr pad_end(struct lift_ir *ir, int d, const lift_nat *extra, lift_expr xs)
{
    lift_nat none[LIFT_MAX_DIMS];

    for (int i = 0; i < d; i++)
        none[i] = lift_nat_const(lift_ir_nats(ir), 0);
    return lift_pad_n(ir, d, none, extra, LIFT_PAD_CLAMP, xs);
}

/* 'xs' with 'extra' more elements at the end of each of d dimensions, whatever their
 * value. */
static lift_expr round_up(struct lift_ir *ir, int d, const lift_nat *extra, lift_expr xs)
{
    lift_expr members[LIFT_MAX_ARGS], y;
    lift_nat wider[LIFT_MAX_DIMS];
    struct nd_window w;
    int count = nd_is_zip(ir, d, xs, members);

    if (count)
        return round_zip(ir, d, extra, members, count);
    if (!nd_is_slide(ir, d, xs, &w, &y))
        return pad_end(ir, d, extra, xs);
    for (int i = 0; i < d; i++)
        wider[i] = lift_nat_mul(w.step[i], extra[i]);
    return lift_slide_n(ir, d, w.size, w.step, pad_end(ir, d, wider, y));
}

static lift_expr map_inside(struct lift_ir *ir, void *user, lift_expr t)
{
    struct tiling *x = user;

    return lift_map_n(ir, x->d, x->f, t);
}

/* take_n(len, untile_n(map_n(fun(t => map_n(f, t)), tile_n(k, xs)))) */
static lift_expr tiled(struct tiling *x, const lift_nat *len, lift_expr xs)
{
    lift_expr tiles = xs ? lift_tile_n(x->ir, x->d, x->k, xs) : NULL;
    lift_type tile = tiles ? tiles->type : NULL;
    lift_expr out;

    if (!tiles)
        return NULL;
    for (int i = 0; i < x->d; i++)
        tile = tile->elem;
    out = lift_map_n(x->ir, x->d, lift_lambda(x->ir, "t", tile, map_inside, x), tiles);
    return lift_take_n(x->ir, x->d, len, lift_untile_n(x->ir, x->d, out));
}

/* One tile size for each dimension, 1 .. its length; not a single element in all. */
static bool choose_tiles(struct rule_site *site, struct tiling *x, const lift_nat *len)
{
    for (int i = 0; i < x->d; i++) {
        int64_t hi = lift_nat_hi(len[i]);
        int64_t lo = x->d == 1 ? 2 : 1;

        if (hi > INT32_MAX) /* as long as any array may be */
            hi = INT32_MAX;
        if (hi < lo)
            return false;
        x->k[i] = site_tunable(site, "k", lo, hi);
    }
    return true;
}

static bool find_map(struct rule_site *site, struct tiling *x, lift_nat *len,
                     lift_expr *xs)
{
    *x = (struct tiling){.ir = site->ir, .d = site->variant};
    return nd_is_map(site->ir, x->d, site->at, &x->f, xs) &&
           nd_lengths((*xs)->type, x->d, len);
}

static bool begin_tiling(struct rule_site *site, struct tiling *x, lift_nat *len,
                         lift_expr *xs)
{
    return find_map(site, x, len, xs) && choose_tiles(site, x, len);
}

/* The input rounded up to whole tiles. */
static void emit_rounded(struct rule_site *site, struct tiling *x, const lift_nat *len,
                         lift_expr xs)
{
    lift_nat extra[LIFT_MAX_DIMS];

    for (int i = 0; i < x->d; i++)
        extra[i] = lift_nat_sub(lift_nat_mul(x->k[i], lift_nat_ceil_div(len[i], x->k[i])),
                                len[i]);
    site_emit(site, tiled(x, len, round_up(site->ir, x->d, extra, xs)));
}

void rule_tile(struct rule_site *site)
{
    lift_nat len[LIFT_MAX_DIMS];
    struct tiling x;
    lift_expr xs;

    if (begin_tiling(site, &x, len, &xs))
        emit_rounded(site, &x, len, xs);
}

void rule_tile_by(struct rule_site *site, const lift_nat *k)
{
    lift_nat len[LIFT_MAX_DIMS];
    struct tiling x;
    lift_expr xs;

    if (!find_map(site, &x, len, &xs))
        return;
    for (int i = 0; i < x.d; i++)
        x.k[i] = k[i];
    emit_rounded(site, &x, len, xs);
}

void rule_tile_exact(struct rule_site *site)
{
    lift_nat len[LIFT_MAX_DIMS];
    struct tiling x;
    lift_expr xs;

    if (!begin_tiling(site, &x, len, &xs))
        return;
    for (int i = 0; i < x.d; i++)
        if (!site_require(site, LIFT_SIDE_DIVIDES, x.k[i], len[i],
                          "tiles without a rest"))
            return;
    site_emit(site, tiled(&x, len, xs));
}

/* ---- tiles of zips and of windows */

static lift_expr zip_members(struct lift_ir *ir, void *user, lift_expr t)
{
    lift_expr members[LIFT_MAX_ARGS];

    for (int i = 0; i < t->type->count; i++)
        members[i] = lift_get(ir, i, t);
    return lift_zip_n(ir, *(int *)user, members, t->type->count);
}

static lift_type under(lift_type t, int d)
{
    for (int i = 0; i < d; i++)
        t = t->elem;
    return t;
}

void rule_tile_zip(struct rule_site *site)
{
    lift_expr members[LIFT_MAX_ARGS], z;
    lift_nat k[LIFT_MAX_DIMS];
    int d = site->variant, count;

    if (!nd_is_tile(site->ir, d, site->at, k, &z))
        return;
    count = nd_is_zip(site->ir, d, z, members);
    if (!count)
        return;
    for (int i = 0; i < count; i++)
        members[i] = lift_tile_n(site->ir, d, k, members[i]);
    z = lift_zip_n(site->ir, d, members, count);
    if (z)
        z = lift_map_n(site->ir, d,
                       lift_lambda(site->ir, "t", under(z->type, d), zip_members, &d), z);
    site_emit(site, z);
}

struct window_use {
    int d;
    struct nd_window w;
};

static lift_expr slide_inside(struct lift_ir *ir, void *user, lift_expr t)
{
    struct window_use *u = user;

    return lift_slide_n(ir, u->d, u->w.size, u->w.step, t);
}

void rule_tile_slide(struct rule_site *site)
{
    struct window_use u = {.d = site->variant};
    struct nd_window big;
    lift_nat k[LIFT_MAX_DIMS];
    lift_expr z, y;

    if (!nd_is_tile(site->ir, u.d, site->at, k, &z) ||
        !nd_is_slide(site->ir, u.d, z, &u.w, &y))
        return;
    for (int i = 0; i < u.d; i++) {
        big.step[i] = lift_nat_mul(u.w.step[i], k[i]);
        big.size[i] = lift_nat_add(lift_nat_sub(big.step[i], u.w.step[i]), u.w.size[i]);
    }
    z = lift_slide_n(site->ir, u.d, big.size, big.step, y);
    if (z)
        z = lift_map_n(site->ir, u.d,
                       lift_lambda(site->ir, "t", under(z->type, u.d), slide_inside, &u),
                       z);
    site_emit(site, z);
}
