/* Runs lift on a program and compares with its value: each step in a separate process, so
 * that a crash or an endless step costs that step alone. */
#ifndef RANDOM_STEPS_H
#define RANDOM_STEPS_H

#include "eval.h"

/* From the best to the worst. */
enum rp_outcome {
    RP_ABSENT, /* no such device here */
    RP_RIGHT,
    RP_REFUSED,    /* a reason for the user */
    RP_SLOW,       /* not at its end within the limit */
    RP_NO_COMPILE, /* a compiler rejects the generated source */
    RP_CRASHED,
    RP_WRONG, /* also: printed and read again it is another program */
    RP_OUTCOMES
};

const char *rp_outcome_name(enum rp_outcome outcome);

enum rp_step_kind {
    RP_FORMAT,    /* printed and read again, also by the formatter */
    RP_INTERPRET, /* the interpreter */
    RP_PLAN,      /* planned for a device, and executed */
    RP_CHECK,     /* candidates, run at small sizes and compared with the interpreter */
    RP_BUILD      /* candidates, compiled for a device or an architecture */
};

struct rp_step {
    enum rp_step_kind kind;
    const char *device;
    int candidates;
    bool stages; /* of those that store the stages of a program, or tile over them */
};

struct rp_case {
    const struct rp_program *program;
    const char *text;
    uint64_t seed;      /* of candidates */
    struct rp_run *run; /* inputs before the first step of time */
};

/* The arguments of rp_run_init for the inputs of a case. */
enum { RP_INPUTS_SEED = 1 };

/* Temporal blocking factor of the plan for a case of that seed, run after a plan of
 * single steps; 0: no such plan. */
int rp_steps_at_once(const struct rp_program *p, uint64_t seed);

struct rp_verdict {
    enum rp_outcome outcome;
    double seconds;
    int tried, without; /* candidates, and those that have no kernel at their numbers */
    char text[4000];    /* the error, or the reason of the rejection */
};

/* At most 'limit' seconds. */
void rp_do(const struct rp_step *step, const struct rp_case *c, double limit,
           struct rp_verdict *out);

/* ---- inside of the processes: the steps */

void rp_serve(const struct rp_step *step, const struct rp_case *c,
              struct rp_verdict *out);
__attribute__((format(printf, 3, 4))) void
rp_say(struct rp_verdict *out, enum rp_outcome outcome, const char *format, ...);

#endif
