/* Random programs that can be cut along their planes: one field or a row of it around
 * each point, all boundaries, coefficients, places in the grid, a second stage, a border
 * that is kept. */
#ifndef LIFT_TESTS_RANDOM_CUT_H
#define LIFT_TESTS_RANDOM_CUT_H

#include "lift/rng.h"
#include "lift/str.h"
#include <stdbool.h>

static inline int64_t below(struct lift_rng *rng, int64_t n)
{
    return (int64_t)lift_rng_below(rng, (uint64_t)n);
}

/* A field of the state around a point: u[l + d] along the planes. */
static inline void add_field(struct lift_str *out, struct lift_rng *rng, int dims,
                             bool wrap, const char *name, int64_t *l, int64_t *r)
{
    static const char *const pads[] = {"clamp", "mirror", "constant 0.5", "wrap"};

    *l = below(rng, 3);
    *r = below(rng, 3);
    if (dims == 1)
        lift_str_addf(out, "slide(%d, 1, pad(%d, %d, %s, %s))", (int)(*l + *r + 1),
                      (int)*l, (int)*r, pads[wrap ? 3 : below(rng, 3)], name);
    else
        lift_str_addf(out, "slide2((%d, 2), 1, pad2((%d, 1), (%d, 0), %s, %s))",
                      (int)(*l + *r + 1), (int)*l, (int)*r,
                      pads[wrap ? 3 : below(rng, 3)], name);
}

static inline void add_point(struct lift_str *out, struct lift_rng *rng, int dims,
                             int64_t l, int64_t r, const char *name)
{
    const char *row = dims == 1 ? "" : "[1]";

    lift_str_addf(out, "0.5 * %s[%d]%s + 0.25 * %s[%d]%s - 0.125 * %s[%d]%s", name,
                  (int)l, row, name, 0, dims == 1 ? "" : "[0]", name,
                  (int)below(rng, l + r + 1), row);
}

/* What is added to a point: a coefficient, a mask of places, both or none. */
static inline void add_rest(struct lift_str *out, struct lift_rng *rng, int dims)
{
    lift_str_add(out, below(rng, 2) ? " * c" : " + c");
    if (below(rng, 2))
        lift_str_addf(out, " + (if %s then 0.25 else f32(%s) * 0.0625)",
                      below(rng, 2) ? "z > nz - 3" : "z == 2", dims == 1 ? "z" : "z + y");
}

/* The second stage, of the grid 'first'. */
static inline void add_stage(struct lift_str *out, struct lift_rng *rng, int dims,
                             bool wrap)
{
    struct lift_str field = {0};
    int64_t l, r;

    add_field(&field, rng, dims, wrap, "first", &l, &r);
    lift_str_addf(out, "val second = map%s(fun((w, c) => ", dims == 1 ? "" : "2");
    add_point(out, rng, dims, l, r, "w");
    lift_str_addf(out, " + c), zip%s(%s, u))\n", dims == 1 ? "" : "2",
                  lift_str_get(&field));
    lift_str_fini(&field);
}

static inline void add_first(struct lift_str *out, struct lift_rng *rng, int dims,
                             bool wrap)
{
    struct lift_str field = {0};
    int64_t l, r;

    add_field(&field, rng, dims, wrap, "u", &l, &r);
    lift_str_addf(out, "val first = map%s(fun((w, s, c, %s) => s * 0.5 + ",
                  dims == 1 ? "" : "2", dims == 1 ? "z" : "(z, y)");
    add_point(out, rng, dims, l, r, "w");
    add_rest(out, rng, dims);
    lift_str_addf(
        out, "), zip%s(%s, v, k, %s))\n", dims == 1 ? "" : "2", lift_str_get(&field),
        dims == 1 ? "array(nz, z => z)" : "array2(nz, nx, fun(z, y => (z, y)))");
    lift_str_fini(&field);
}

static inline void random_cut(struct lift_str *out, struct lift_rng *rng, int64_t planes)
{
    int dims = 1 + (int)below(rng, 2);
    bool wrap = below(rng, 3) == 0, kept = !wrap && below(rng, 3) == 0;
    bool stages = below(rng, 2);
    const char *last = stages ? "second" : "first";

    lift_str_addf(out, "size nx = 4, nz = %d\ntype g = %s\n", (int)planes,
                  dims == 1 ? "[f32]nz" : "[[f32]nx]nz");
    lift_str_addf(out, "stencil random(u: g, v: g, k: g) -> next {\n");
    add_first(out, rng, dims, wrap);
    if (stages)
        add_stage(out, rng, dims, wrap);
    if (kept)
        lift_str_addf(out, "return inset(1, 2, u, take(nz - 3, drop(1, %s)))\n", last);
    else
        lift_str_addf(out, "return %s\n", last);
    lift_str_add(out, "}\ntime (u, v) <- (next, u)\n");
}

#endif
