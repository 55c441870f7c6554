/* Random programs that can be cut along their planes: one field or a row of it around
 * each point, all boundaries, coefficients, places in the grid, a second stage, a border
 * that is kept; or along their rows, too. */
#ifndef LIFT_TESTS_RANDOM_CUT_H
#define LIFT_TESTS_RANDOM_CUT_H

#include "base/rng.h"
#include "base/str.h"
#include <stdbool.h>
#include <stdio.h>

static inline int64_t below(struct lift_rng *rng, int64_t n)
{
    return (int64_t)lift_rng_below(rng, (uint64_t)n);
}

/* Parameters of a random program. 'rows' 0: a row of a plane has four elements, of which
 * few neighbours are read. */
struct random_cut {
    struct lift_rng *rng;
    int64_t planes, rows;
    int dims;
    bool wrap;
};

/* How far a field is read before and behind a point, along planes and rows. */
struct random_reach {
    int64_t before[2], after[2];
};

/* A field of the state around a point: u[l + d] along the planes. */
static inline struct random_reach add_field(struct lift_str *out,
                                            const struct random_cut *c, const char *name)
{
    static const char *const pads[] = {"clamp", "mirror", "constant 0.5", "wrap"};
    int64_t l = below(c->rng, 3), r = below(c->rng, 3);
    struct random_reach at = {{l, 1}, {r, 0}};
    const char *pad = pads[c->wrap ? 3 : below(c->rng, 3)];

    if (c->rows) {
        at.before[1] = below(c->rng, 3);
        at.after[1] = below(c->rng, 3);
    }
    if (c->dims == 1)
        lift_str_addf(out, "slide(%d, 1, pad(%d, %d, %s, %s))", (int)(l + r + 1), (int)l,
                      (int)r, pad, name);
    else
        lift_str_addf(out, "slide2((%d, %d), 1, pad2((%d, %d), (%d, %d), %s, %s))",
                      (int)(l + r + 1), (int)(at.before[1] + at.after[1] + 1), (int)l,
                      (int)at.before[1], (int)r, (int)at.after[1], pad, name);
    return at;
}

static inline void add_point(struct lift_str *out, const struct random_cut *c,
                             const struct random_reach *at, const char *name)
{
    char row[16] = "", last[16] = "";
    const char *corner = c->dims == 1 ? "" : "[0]";

    if (c->dims > 1)
        snprintf(row, sizeof row, "[%d]", (int)at->before[1]);
    if (c->dims > 1)
        snprintf(last, sizeof last, "[%d]", (int)(at->before[1] + at->after[1]));
    lift_str_addf(out, "0.5 * %s[%d]%s + 0.25 * %s[%d]%s - 0.125 * %s[%d]%s", name,
                  (int)at->before[0], row, name, 0, corner, name,
                  (int)below(c->rng, at->before[0] + at->after[0] + 1), last);
}

/* Adds a coefficient, a mask of places, both or none to a point. */
static inline void add_rest(struct lift_str *out, const struct random_cut *c)
{
    const char *mask = below(c->rng, 2) ? "z > nz - 3" : "z == 2";

    if (c->rows && below(c->rng, 2))
        mask = "y > nx - 4";
    lift_str_add(out, below(c->rng, 2) ? " * c" : " + c");
    if (below(c->rng, 2))
        lift_str_addf(out, " + (if %s then 0.25 else f32(%s) * 0.0625)", mask,
                      c->dims == 1 ? "z" : "z + y");
}

/* The second stage, of the grid 'first'. */
static inline void add_stage(struct lift_str *out, const struct random_cut *c)
{
    struct lift_str field = {0};
    struct random_reach at = add_field(&field, c, "first");

    lift_str_addf(out, "val second = map%s(fun((w, c) => ", c->dims == 1 ? "" : "2");
    add_point(out, c, &at, "w");
    lift_str_addf(out, " + c), zip%s(%s, u))\n", c->dims == 1 ? "" : "2",
                  lift_str_get(&field));
    lift_str_fini(&field);
}

static inline void add_first(struct lift_str *out, const struct random_cut *c)
{
    struct lift_str field = {0};
    struct random_reach at = add_field(&field, c, "u");

    lift_str_addf(out, "val first = map%s(fun((w, s, c, %s) => s * 0.5 + ",
                  c->dims == 1 ? "" : "2", c->dims == 1 ? "z" : "(z, y)");
    add_point(out, c, &at, "w");
    add_rest(out, c);
    lift_str_addf(
        out, "), zip%s(%s, v, k, %s))\n", c->dims == 1 ? "" : "2", lift_str_get(&field),
        c->dims == 1 ? "array(nz, z => z)" : "array2(nz, nx, fun(z, y => (z, y)))");
    lift_str_fini(&field);
}

/* The border of the field is kept, of planes or of rows. */
static inline void add_kept(struct lift_str *out, const struct random_cut *c,
                            const char *last)
{
    if (c->rows && below(c->rng, 2))
        lift_str_addf(out,
                      "return map(fun((a, b) => inset(2, 1, a, take(nx - 3, drop(2, "
                      "b)))), zip(u, %s))\n",
                      last);
    else
        lift_str_addf(out, "return inset(1, 2, u, take(nz - 3, drop(1, %s)))\n", last);
}

/* With rows, of two dimensions, both of which can be cut. */
static inline void random_cut(struct lift_str *out, struct lift_rng *rng, int64_t planes,
                              int64_t rows)
{
    struct random_cut c = {rng, planes, rows, 1 + (int)below(rng, 2), below(rng, 3) == 0};
    bool kept = !c.wrap && below(rng, 3) == 0;
    bool stages = below(rng, 2);
    const char *last = stages ? "second" : "first";

    c.dims = rows ? 2 : c.dims;
    lift_str_addf(out, "size nx = %d, nz = %d\ntype g = %s\n", rows ? (int)rows : 4,
                  (int)planes, c.dims == 1 ? "[f32]nz" : "[[f32]nx]nz");
    lift_str_addf(out, "stencil random(u: g, v: g, k: g) -> next {\n");
    add_first(out, &c);
    if (stages)
        add_stage(out, &c);
    if (kept)
        add_kept(out, &c, last);
    else
        lift_str_addf(out, "return %s\n", last);
    lift_str_add(out, "}\ntime (u, v) <- (next, u)\n");
}

#endif
