/* Streams of planes of several intermediates (streams.c), for the rules that build
 * streams. */
#ifndef RULES_NATIVE_STAGES_STREAMS_H
#define RULES_NATIVE_STAGES_STREAMS_H

#include "rules/native/stages/parts.h"

/* VECTOR: points of one load or store. AHEAD: number of steps that inputs are loaded
 * ahead. */
enum { VECTOR = 4, AHEAD = 3 };

struct streams {
    struct stages x;
    lift_nat per[LIFT_MAX_DIMS]; /* x.registers: points of a work-item in each dimension
                                    of a plane */
    int64_t planes_a_step; /* planes that each intermediate computes in a step; an element
                              of its stream */
    bool whole;            /* there is one tile, and rows of several planes are loops */
    lift_nat steps, chunk; /* steps of a tile, and planes of a tile */
    int64_t lag[MAX_STAGES +
                1]; /* pipeline skew: planes that an intermediate lags behind the first */
    int64_t n;      /* elements of a window */
    int64_t warm;   /* planes before the first plane of the result */
    lift_expr position;               /* the stream of positions */
    lift_expr planes[MAX_STAGES + 1]; /* the streams of intermediates */
};

lift_nat streams_size(const struct streams *s, int64_t value);
/* Finds the intermediates and their pipeline skew; fails like 'stages_find'. */
bool streams_begin(struct streams *s, struct rule_redex *redex);
/* Builds a tile of lengths 'k'. */
lift_expr streams_tile(struct streams *s, const lift_nat *k);

#endif
