/* Overlapped tiling of the outer m of d dimensions. The other dimensions are not tiled.
 *
 *     map_d(f, X) = untile_m(map_m(fun(t => map_d(f, t)), tile_m(k, X)))        if k
 * divides
 *
 * If k need not divide the lengths, there are two methods. Predicated tiles round X up
 * to multiples of k, and take_m drops the surplus of the result. Rounding up passes
 * through zip_d to each member, and through slide_d to its array, where s more elements
 * give one more window. With a remainder, the points after the last multiple of k, at
 * least one point, form a separate region. */
#include "rules/native/tile.h"
#include "rules/native/natives.h"
#include "rules/native/regions/regions.h"
#include "rules/nd.h"

struct tiling {
    struct lift_ir *ir;
    struct rule_numbers of;
    lift_expr f; /* the function of map_d */
    lift_nat k[LIFT_MAX_DIMS];
    lift_nat len[LIFT_MAX_DIMS];
};

/* ---- rounding up */

static lift_expr pad_end(struct lift_ir *ir, int d, const lift_nat *extra, lift_expr xs)
{
    lift_nat none[LIFT_MAX_DIMS];

    for (int i = 0; i < d; i++)
        none[i] = lift_nat_const(lift_ir_nats(ir), 0);
    return lift_pad_n(ir, d, none, extra, LIFT_PAD_ANY, xs);
}

/* Appends 'extra' elements of arbitrary value to each tiled dimension of 'xs'. */
static lift_expr round_up(struct lift_ir *ir, struct rule_numbers of,
                          const lift_nat *extra, lift_expr xs)
{
    lift_expr members[LIFT_MAX_ARGS], y;
    lift_nat wider[LIFT_MAX_DIMS];
    struct nd_window w;
    int count = nd_is_zip(ir, of.dims, xs, members);

    for (int i = 0; i < count; i++)
        members[i] = round_up(ir, of, extra, members[i]);
    if (count)
        return lift_zip_n(ir, of.dims, members, count);
    if (!nd_is_slide(ir, of.dims, xs, &w, &y))
        return pad_end(ir, of.first, extra, xs);
    for (int i = 0; i < of.first; i++)
        wider[i] = lift_nat_mul(w.step[i], extra[i]);
    return lift_slide_n(ir, of.dims, w.size, w.step, pad_end(ir, of.first, wider, y));
}

/* ---- tiles */

/* Builds map_m(fun(t => map_d(f, t)), tiles). */
static lift_expr map_tiles(struct tiling *x, lift_expr tiles)
{
    lift_expr t;

    if (!tiles)
        return NULL;
    t = lift_fresh(x->ir, "t", nd_under(tiles->type, x->of.first));
    return lift_map_n(x->ir, x->of.first,
                      lift_fun(x->ir, lift_map_n(x->ir, x->of.dims, x->f, t), t), tiles);
}

/* Tiles an array whose lengths the tiles divide. */
static lift_expr tiled(struct tiling *x, lift_expr xs)
{
    int m = x->of.first;
    lift_expr tiles = xs ? lift_tile_n(x->ir, m, x->k, xs) : NULL;

    return lift_untile_n(x->ir, m, map_tiles(x, tiles));
}

/* Arrays have at most INT32_MAX elements. */
int64_t tile_longest(lift_nat len)
{
    int64_t hi = lift_nat_hi(len);

    return hi > INT32_MAX ? INT32_MAX : hi;
}

/* Chooses a tile size for each dimension, from 1 to its length. In one dimension, a tile
 * has at least two elements. */
static bool choose_tiles(struct rule_redex *redex, struct tiling *x)
{
    for (int i = 0; i < x->of.first; i++) {
        int64_t hi = tile_longest(x->len[i]);
        int64_t lo = x->of.dims == 1 ? 2 : 1;

        if (hi < lo)
            return false;
        x->k[i] = redex_tunable(
            redex, x->of.first < x->of.dims && x->of.first == 1 ? "slab" : "tile", i, lo,
            hi);
    }
    return true;
}

static bool find_map(struct rule_redex *redex, struct tiling *x, lift_expr *xs)
{
    *x = (struct tiling){.ir = redex->ir, .of = redex->numbers};
    return nd_is_map(redex->ir, x->of.dims, redex->at, &x->f, xs) &&
           nd_lengths((*xs)->type, x->of.dims, x->len);
}

static bool begin_tiling(struct rule_redex *redex, struct tiling *x, lift_expr *xs)
{
    return find_map(redex, x, xs) && choose_tiles(redex, x);
}

/* Tiles the input after rounding it up to whole tiles. */
static void emit_rounded(struct rule_redex *redex, struct tiling *x, lift_expr xs)
{
    lift_nat extra[LIFT_MAX_DIMS], up;

    for (int i = 0; i < x->of.first; i++) {
        up = lift_nat_mul(x->k[i], lift_nat_ceil_div(x->len[i], x->k[i]));
        extra[i] = lift_nat_sub(up, x->len[i]);
    }
    xs = tiled(x, round_up(redex->ir, x->of, extra, xs));
    redex_emit(redex, lift_take_n(redex->ir, x->of.first, x->len, xs));
}

void rule_tile(struct rule_redex *redex)
{
    struct tiling x;
    lift_expr xs;

    if (begin_tiling(redex, &x, &xs))
        emit_rounded(redex, &x, xs);
}

/* All nests that this rule tiles share tunables, so that parts of a result share tile
 * shapes. */
void rule_tile_alike(struct rule_redex *redex)
{
    enum { LONGEST = 64 };
    lift_nat k[LIFT_MAX_DIMS];

    for (int i = 0; i < redex->numbers.dims; i++) {
        k[i] = redex_same_tunable(redex, "face_tile", i, redex->numbers.dims == 1 ? 2 : 1,
                                  LONGEST);
        if (!k[i])
            return;
    }
    rule_tile_by(redex, k);
}

void rule_tile_by(struct rule_redex *redex, const lift_nat *k)
{
    struct tiling x;
    lift_expr xs;

    if (!find_map(redex, &x, &xs))
        return;
    for (int i = 0; i < x.of.first; i++)
        x.k[i] = k[i];
    emit_rounded(redex, &x, xs);
}

/* ---- separate remainders */

/* Separates the remainder of dimension 'dim' and of all later dimensions, and tiles the
 * main part. */
static lift_expr cut_rest(struct tiling *x, int dim, lift_expr xs)
{
    struct region main = {dim, lift_nat_const(lift_ir_nats(x->ir), 0), NULL}, rest;
    lift_expr parts[2];

    if (!xs || dim == x->of.first)
        return tiled(x, xs);
    main.count = lift_nat_mul(
        x->k[dim], lift_nat_div(lift_nat_add_const(x->len[dim], -1), x->k[dim]));
    rest = (struct region){dim, main.count, lift_nat_sub(x->len[dim], main.count)};
    parts[0] = cut_rest(x, dim + 1, region_of(x->ir, xs, main));
    parts[1] = lift_map_n(x->ir, x->of.dims, x->f, region_of(x->ir, xs, rest));
    return region_concat(x->ir, dim, parts, 2);
}

void rule_tile_remainder(struct rule_redex *redex)
{
    struct tiling x;
    lift_expr xs;

    if (!begin_tiling(redex, &x, &xs))
        return;
    for (int i = 0; i < x.of.first; i++)
        if (!redex_require(redex, LIFT_SIDE_LE, lift_nat_add_const(x.k[i], 1), x.len[i],
                           "a tile and a remainder"))
            return;
    redex_emit(redex, cut_rest(&x, 0, xs));
}
