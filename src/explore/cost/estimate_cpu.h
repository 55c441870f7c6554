/* Estimates for processors: one nest of loops in their final order. Private to
 * estimate_cpu.c and estimate_cycles.c. */
#ifndef EXPLORE_ESTIMATE_CPU_H
#define EXPLORE_ESTIMATE_CPU_H

#include "explore/cost/estimate_t.h"

struct cpu_nest {
    struct order order;
    double entries;        /* executions of the innermost loop in one thread */
    double turns;          /* iterations each time the loop is entered */
    int vector_loop;       /* the loop whose iterations may be lanes; -1: none */
    bool masked;           /* some lanes are outside their loop */
    double threads, share; /* busy threads; the busiest one's share */
    double overhead;
    double gathers; /* cycles in each iteration for vectors with elements loaded one by
                       one */
    bool tests;     /* predicates that prevent vectors cost time */
};

/* Iterations that the term itself makes lanes of a vector; 0: compilers choose. */
double cpu_own_lanes(const struct sketch_loop *l);
/* True if a loop's iterations can be lanes. */
bool cpu_is_of_vectors(const struct explore_estimator *e, const struct sketch_loop *l);
double cpu_loads_of(const struct body *b);
/* Cycles of all iterations of the innermost loop in one thread. */
double cpu_cycles_of(struct explore_estimator *e, const struct cpu_nest *n);

#endif
