/* A program's results on random inputs, by the interpreter. */
#ifndef EXPLORE_TRIAL_INTERPRET_H
#define EXPLORE_TRIAL_INTERPRET_H

#include "explore/input_data.h"
#include "tuner/worker.h"

/* Most steps of one evaluation (about ten seconds), and of one at very small sizes. */
enum { INTERPRET_STEPS = 1000000000, INTERPRET_PROBE = 200000000 };

/* A program's results at some sizes: one array of numbers for each leaf of the output. */
struct explore_answer {
    struct explore_leaf leaves[EXPLORE_MAX_LEAVES];
    double *data[EXPLORE_MAX_LEAVES]; /* malloc'd */
    int count;
    uint64_t steps; /* number of interpreter steps */
};
void explore_answer_fini(struct explore_answer *answer);
/* The inputs of an evaluation. */
struct explore_question {
    const struct explore_problem *problem;
    lift_expr term;
    const struct lift_nat_env *numbers; /* sizes and tunables */
    uint64_t seed;                      /* seed of the inputs */
    bool round_f32; /* compute in single precision where the term does */
    bool probes;    /* INTERPRET_PROBE is the limit */
    /* Worker for this problem and its own term; NULL: made on demand. */
    struct lift_worker *interpreter;
};
/* Evaluates the term. Returns false and the reason if the program has no value, or a C
 * function crashed. */
bool explore_interpret(const struct explore_question *question,
                       struct explore_answer *out, struct lift_str *why);
/* Makes a worker for many evaluations of a problem; call before devices are opened.
 * Returns NULL if the problem has no C functions, and needs no worker. */
struct lift_worker *explore_interpreter(const struct explore_problem *p);

#endif
