/* What a program says: the interpreter's value of it on random inputs. */
#ifndef EXPLORE_TRIAL_INTERPRET_H
#define EXPLORE_TRIAL_INTERPRET_H

#include "explore/input_data.h"
#include "tuner/worker.h"

/* The most steps of one evaluation, some ten seconds, and of one at very small sizes. */
enum { INTERPRET_STEPS = 1000000000, INTERPRET_PROBE = 200000000 };

/* What the program says at some sizes, by the interpreter: one array of numbers a leaf of
 * the output. */
struct explore_answer {
    struct explore_leaf leaves[EXPLORE_MAX_LEAVES];
    double *data[EXPLORE_MAX_LEAVES]; /* malloc'd */
    int count;
    uint64_t steps; /* of the interpreter */
};
void explore_answer_fini(struct explore_answer *answer);
/* What the interpreter is asked. */
struct explore_question {
    const struct explore_problem *problem;
    lift_expr term;
    const struct lift_nat_env *numbers; /* sizes and tunables */
    uint64_t seed;                      /* of the inputs */
    bool round_f32; /* compute in single precision where the term does */
    bool probes;    /* INTERPRET_PROBE is the limit */
    /* Of this problem, for its own term; NULL: one is made if need be. */
    struct lift_worker *interpreter;
};
/* False and why the program has no value there, or that a C function was lost. */
bool explore_interpret(const struct explore_question *question,
                       struct explore_answer *out, struct lift_str *why);
/* A worker for many questions about a problem, to be asked once before devices are
 * opened; NULL if the problem carries no C functions, and none is needed. */
struct lift_worker *explore_interpreter(const struct explore_problem *p);

#endif
