/* Estimates for processors: one nest of loops, once these have an order. Private to
 * estimate_cpu.c and estimate_cycles.c. */
#ifndef EXPLORE_ESTIMATE_CPU_H
#define EXPLORE_ESTIMATE_CPU_H

#include "explore/cost/estimate_t.h"

struct cpu_nest {
    struct order order;
    double entries;        /* of the innermost loop, of one thread */
    double turns;          /* iterations of it each time */
    int vector_loop;       /* whose iterations are lanes if they can be; -1: none */
    bool masked;           /* some of the lanes are beyond the end of their loop */
    double threads, share; /* that have work; part of it that the busiest does */
    double overhead;
    double
        gathers; /* cycles of vectors whose numbers are loaded one by one, in each turn */
    bool tests;  /* that stand in the way of vectors cost what they look like */
};

/* Iterations that the term itself makes lanes of a vector; 0: compilers choose. */
double cpu_own_lanes(const struct sketch_loop *l);
/* Whether a loop's iterations can be lanes. */
bool cpu_is_of_vectors(const struct explore_estimator *e, const struct sketch_loop *l);
double cpu_loads_of(const struct body *b);
/* Of all iterations of the innermost loop that one thread has. */
double cpu_cycles_of(struct explore_estimator *e, const struct cpu_nest *n);

#endif
