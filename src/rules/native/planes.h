/* Streams of planes, as rule streamPlanes makes them, taken apart:
 *
 *     mapSeqSlide(fun(W => map_n(d-1, f, zip_n(d-1, part, ...))), n, 1, xs)
 *
 * where part i is made of member i of the stream: the windows of n_i planes from 'offset'
 * on, or the plane at 'offset'. */
#ifndef RULES_NATIVE_PLANES_H
#define RULES_NATIVE_PLANES_H

#include "rules/native/native.h"
#include "rules/nd.h"

struct plane_part {
    bool window;        /* false: one point of the plane at 'offset' */
    struct nd_window w; /* the outermost dimension is that of the stream */
    int64_t size, offset;
};

struct planes {
    struct lift_ir *ir;
    lift_expr e;
    int d;
    bool zipped;
    int count;
    struct plane_part parts[LIFT_MAX_ARGS];
    lift_expr f;  /* of a point's parts */
    lift_expr xs; /* the stream; member i by planes_member */
    lift_expr W;  /* the free variable that stands for the window in what was read */
};

/* False if the redex has another form. */
bool planes_parse(struct lift_ir *ir, int d, lift_expr e, struct planes *p);
/* Member 'i' of the stream, or the stream itself. */
lift_expr planes_member(const struct planes *p, int i);
/* Part 'i' as an array of points, from the planes of its member that the window holds,
 * counted from its offset. */
lift_expr planes_points(const struct planes *p, int i, lift_expr planes);
/* 'from' replaced where it is data, not in functions: it may have loose variables. */
lift_expr planes_replace(struct lift_ir *ir, lift_expr e, lift_expr from, lift_expr to);
/* map(fun(p => storage(copy of p)), xs); a ring is one in local memory. */
lift_expr planes_copied(struct lift_ir *ir, enum lift_op storage, lift_expr xs);
lift_expr planes_ring(struct lift_ir *ir, lift_expr xs);

/* Which planes of part 'i' f reads at another point than the one in the middle, a bit
 * each; all if that cannot be told. */
uint64_t planes_beside(const struct planes *p, int i);

#endif
