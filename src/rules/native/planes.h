/* Parses streams of planes, the results of rule streamPlanes:
 *
 *     mapSeqSlide(fun(W => map_n(d-1, f, zip_n(d-1, part, ...))), n, 1, xs)
 *
 * Part i consists of windows of n_i planes of stream member i, starting at plane
 * 'offset', or of the plane at 'offset'. */
#ifndef RULES_NATIVE_PLANES_H
#define RULES_NATIVE_PLANES_H

#include "rules/native/native.h"
#include "rules/nd.h"

struct plane_part {
    bool window;        /* false: one point of the plane at 'offset' */
    struct nd_window w; /* the outermost dimension is the dimension of the stream */
    int64_t size, offset;
};

struct planes {
    struct lift_ir *ir;
    lift_expr e;
    int d;
    bool zipped;
    int count;
    struct plane_part parts[LIFT_MAX_ARGS];
    lift_expr f;  /* maps the parts of a point to its value */
    lift_expr xs; /* the stream; planes_member returns member i */
    lift_expr W;  /* a free variable that replaces the window parameter in the parts */
};

/* Returns false if the redex has another form. */
bool planes_parse(struct lift_ir *ir, int d, lift_expr e, struct planes *p);
/* Returns member 'i' of the stream, or the stream itself if it is no zip. */
lift_expr planes_member(const struct planes *p, int i);
/* Builds part 'i' as an array of points. 'planes' are the planes of the part's member in
 * the window, starting at the part's offset. */
lift_expr planes_points(const struct planes *p, int i, lift_expr planes);
/* Replaces 'from' in data, but not in functions. 'from' may have loose variables. */
lift_expr planes_replace(struct lift_ir *ir, lift_expr e, lift_expr from, lift_expr to);
/* Builds map(fun(p => storage(copy of p)), xs). planes_ring uses local memory: a circular
 * buffer. */
lift_expr planes_copied(struct lift_ir *ir, enum lift_op storage, lift_expr xs);
lift_expr planes_ring(struct lift_ir *ir, lift_expr xs);

/* Returns the planes of part 'i' that f reads at points other than the centre, one bit
 * each; all bits if the analysis fails. */
uint64_t planes_beside(const struct planes *p, int i);

#endif
