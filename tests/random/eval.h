/* The value of a program, element by element: an element of a grid is found by following
 * its coordinates inwards through the expression, down to the inputs. No array is ever
 * made. */
#ifndef RANDOM_EVAL_H
#define RANDOM_EVAL_H

#include "num.h"

/* Values of a type in row-major order, members of tuples interleaved. */
struct rp_data {
    int64_t count;
    struct rp_num *num;
};

struct rp_run {
    const struct rp_program *program;
    double param[RP_PARAMS];           /* rounded to their types */
    struct rp_data in[RP_INPUTS], out; /* of the type of the body */
    int64_t steps, limit;
    const char *bad; /* why there is no value: an i32 overflows, too many steps, ... */
};

/* Random inputs by the seed; outputs are empty. Both end with rp_run_fini. */
void rp_run_init(struct rp_run *run, const struct rp_program *p, uint64_t seed);
void rp_run_fini(struct rp_run *run);
/* One step of the program: fills the output. False if 'bad' says why not. */
bool rp_run_step(struct rp_run *run);
/* The inputs of the next step of the time loop, from the results of the last step. */
void rp_run_advance(struct rp_run *run);
/* Programs of which a larger share is unknown are of no use. */
double rp_most_unknown(const struct rp_program *p);
/* The share of elements of the outputs that are not known. */
double rp_run_unknown(const struct rp_run *run);

#endif
