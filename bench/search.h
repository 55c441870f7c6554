/* Running techniques on recorded spaces: those of the library, and those that only this
 * benchmark has. */
#ifndef BENCH_SEARCH_H
#define BENCH_SEARCH_H

#include "replay.h"

enum { SEARCH_TRIES = 200, SEARCH_MOST = 16 };

extern const struct lift_technique search_bandit, search_genetic, search_annealing;

struct search_space {
    char *name;
    struct lift_replay *replay;
};

/* A run: optimum / best found after 1, 2, ... tries, 0 as long as nothing was good. */
struct search_result {
    double found[SEARCH_TRIES];
    double seconds; /* that the technique itself took */
};

struct search_bench {
    struct search_space *spaces;
    int space_count;
    const struct lift_technique *const *techniques;
    int technique_count, seeds;
    uint64_t first;                /* seed */
    struct search_result *results; /* [technique][space][seed], shared by processes */
};

/* Fills 'results', in this number of processes. */
void search_run(struct search_bench *bench, int jobs);
void search_free(struct search_bench *bench);
void search_print(const struct search_bench *bench, FILE *out);
void search_print_csv(const struct search_bench *bench, FILE *out);

#endif
