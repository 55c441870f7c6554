/* Search techniques that only the benchmark has: no exploration uses them. */
#ifndef BENCH_SEARCH_H
#define BENCH_SEARCH_H

#include "replay.h"

extern const struct lift_technique search_bandit, search_genetic, search_annealing;

#endif
