/* What a loop over lanes computes for one of its iterations, or for the iterations of a
 * vector at once: scalar expressions of its body become expressions over vectors. Masks
 * are vectors of i32, -1 where a test holds and 0 where it does not. */
#ifndef CODEGEN_LANES_H
#define CODEGEN_LANES_H

#include "codegen/gen.h"

/* An index that the loop computes, as of a gather: a separate variable in each lane. */
struct lane_index {
    struct lane_index *next;
    lift_nat var;
    lift_nat *lanes;
};

struct lanes {
    struct gen *g;
    int width;                  /* 1: one iteration at a time */
    int lane;                   /* statements are made for this lane; -1: for all lanes */
    bool shuffles;              /* of loads that do not lie at a multiple of the width */
    bool nontemporal;           /* stores of vectors at a multiple of the width */
    bool together;              /* the current statement is of one of several points */
    lift_nat index;             /* of the loop over lanes */
    lift_nat first;             /* the iteration of the first lane */
    struct lift_ptrmap vectors; /* of names of variables: lanes_vary */
    struct lane_index *indices; /* those of them that are read as indices */
};

/* True of a variable that is a vector here. */
bool lanes_vary(const struct lanes *p, const char *name);
/* From here on the variable 'name' is a vector, or a scalar. */
void lanes_set_vary(struct lanes *p, const char *name, bool vary);
/* The variable 'name' as an index; NULL: it is none. */
const struct lane_index *lanes_index(const struct lanes *p, const char *name);
/* Whether computed indices that differ between lanes are in 'n'. */
bool lanes_gather(const struct lanes *p, lift_nat n);
/* 'n' as it is in lane 'lane'; computed indices need a lane that is a number. */
lift_nat lanes_nat(const struct lanes *p, lift_nat n, lift_nat lane);
/* True if 'e' may differ from lane to lane. */
bool lanes_differ(const struct lanes *p, kx e);
/* 'e' as it is in lane 'lane'. */
kx lanes_one(const struct lanes *p, kx e, int lane);
/* A vector of the scalars 'lanes' of that type, which become masks if they are truths. */
kx lanes_of(const struct lanes *p, lift_type type, kx *lanes);
/* 'e' of all lanes: a vector, or a scalar if they do not differ. */
kx lanes_all(struct lanes *p, kx e);
/* The same, always a vector. */
kx lanes_vector(struct lanes *p, kx e);
/* That the check 'e' of indices holds in all lanes, as a scalar: it does in the lane that
 * it is hardest for. False if that lane is not known. */
kx lanes_pass(const struct lanes *p, kx e);
/* The index of the first lane if those of the others follow it one by one, else NULL. */
lift_nat lanes_row(const struct lanes *p, lift_nat at);
/* True of memory that the kernel does not write, of which each aligned vector is there as
 * a whole or not at all. */
bool lanes_are_whole(const struct kbuffer *b, int width);

#endif
