/* Expressions of a loop over lanes, for one iteration or for the iterations of a vector:
 * scalar expressions of its body become expressions over vectors. Masks are vectors of
 * i32: -1 where a condition holds, 0 elsewhere. */
#ifndef CODEGEN_LANES_H
#define CODEGEN_LANES_H

#include "codegen/gen.h"

/* An index that the loop computes, as for a gather: a separate variable in each lane. */
struct lane_index {
    struct lane_index *next;
    lift_nat var;
    lift_nat *lanes;
};

struct lanes {
    struct gen *g;
    int width;        /* 1: one iteration at a time */
    int lane;         /* statements are emitted for this lane; -1: all lanes */
    bool shuffles;    /* two aligned loads replace an unaligned load */
    bool nontemporal; /* stores of aligned vectors are non-temporal */
    bool together;    /* the current statement belongs to one of several grid points */
    lift_nat index;   /* index of the loop over lanes */
    lift_nat first;   /* the iteration of the first lane */
    struct lift_ptrmap vectors; /* by name of variable: see lanes_vary */
    struct lane_index *indices; /* vectors that are used as indices */
};

/* True if the variable is a vector. */
bool lanes_vary(const struct lanes *p, const char *name);
/* Marks the variable 'name' as a vector or as a scalar. */
void lanes_set_vary(struct lanes *p, const char *name, bool vary);
/* The variable 'name' as an index; NULL: the variable is not used as an index. */
const struct lane_index *lanes_index(const struct lanes *p, const char *name);
/* True if 'n' contains computed indices that differ between lanes. */
bool lanes_gather(const struct lanes *p, lift_nat n);
/* 'n' in lane 'lane'; computed indices need a constant lane. */
lift_nat lanes_nat(const struct lanes *p, lift_nat n, lift_nat lane);
/* True if 'e' may differ from lane to lane. */
bool lanes_differ(const struct lanes *p, kx e);
/* 'e' in lane 'lane'. */
kx lanes_one(const struct lanes *p, kx e, int lane);
/* A vector of the scalars 'lanes'; booleans become masks. */
kx lanes_of(const struct lanes *p, lift_type type, kx *lanes);
/* 'e' in all lanes: a vector, or a scalar if all lanes are equal. */
kx lanes_all(struct lanes *p, kx e);
/* As lanes_all, but always a vector. */
kx lanes_vector(struct lanes *p, kx e);
/* A scalar condition that the boundary check 'e' holds in all lanes: its value in the
 * lane nearest to the boundary. False if this lane is unknown. */
kx lanes_pass(const struct lanes *p, kx e);
/* The index of the first lane if the lanes' indices are consecutive; otherwise NULL. */
lift_nat lanes_row(const struct lanes *p, lift_nat at);
/* True if the kernel does not write the buffer, and the buffer's length is a multiple of
 * the vector width. */
bool lanes_are_whole(const struct kbuffer *b, int width);

#endif
