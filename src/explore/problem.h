/* A problem: one program at given sizes. Rewriting keeps sizes symbolic, so one low-level
 * expression serves all sizes. Sizes become numbers when a kernel is generated. */
#ifndef EXPLORE_PROBLEM_H
#define EXPLORE_PROBLEM_H

#include "ir/constraint.h"
#include "ir/value.h"
#include "lift/program.h"
#include "tuner/functions.h"

enum {
    EXPLORE_MAX_SIZES = 32,
    EXPLORE_MAX_INPUTS = 24,
    EXPLORE_MAX_PARAMS = 32,
    EXPLORE_MAX_LEAVES = 32,
};

/* How far some of the second inputs of a small check go, to lie on both sides of what the
 * program compares values with (thresholds.c); 0: no further than the others. */
struct explore_reach {
    double high, low; /* the largest magnitude; positive problems: about the least */
    double integers;
};

struct explore_problem {
    struct lift_ir *ir; /* sizes are variables here; belongs to the problem */
    const struct lift_program *program;
    const char *name, *text, *file; /* 'file' names the source */
    lift_expr root;
    lift_expr inputs[EXPLORE_MAX_INPUTS];
    int input_count;
    lift_expr params[EXPLORE_MAX_PARAMS];
    double param_values[EXPLORE_MAX_PARAMS];
    int param_count;
    const char *const *outputs;
    int output_count;
    struct lift_nat_env sizes;
    const struct lift_side_condition *conditions; /* of sizes at which it has a meaning */
    int condition_count;
    bool relaxed; /* reassociation and fast-math flags are allowed */
    const char *sizes_json, *params_json;
    const char *dtype; /* as in struct lift_db_problem */
    int64_t
        points; /* grid points that a launch updates: elements of its largest output */
    /* Compulsory traffic: each input and each output once; and the inputs' share. Of an
     * input that is indexed by a number of the step, the rows of a launch. */
    int64_t bytes, read;
    bool positive; /* inputs stay away from zero: there is a division, a root or the like
                    */
    double ops;    /* scalar operations a point, see explore/explore.h on bounds */
    /* Of each output: the epsilon of the coarsest arithmetic that it comes from, and the
     * deviation of single precision from double, at a small size. */
    double epsilon[EXPLORE_MAX_LEAVES], rounding[EXPLORE_MAX_LEAVES];
    /* Of each output: how far values about 1 may be apart because numbers on the way were
     * stored as f16 or bf16, and rounded to the next of these; 0: none were. */
    double stored[EXPLORE_MAX_LEAVES];
    /* Of each output: does a comparison or a conversion to integers of rounded values
     * decide about it, and for which share of its points did single precision decide
     * otherwise than double there. */
    bool decided[EXPLORE_MAX_LEAVES];
    double ties[EXPLORE_MAX_LEAVES];
    struct explore_reach reach;
    double far_rounding[EXPLORE_MAX_LEAVES]; /* 'rounding', of far inputs */
    struct lift_functions *functions; /* in C, that the program carries; NULL: none */
    double steps; /* of the interpreter, for an operation; 0: unknown */
    bool ready;   /* for checks: see explore_problem_ready */
    const struct explore_problem
        *whole; /* what it is a slab of (slab.h); NULL: of none */
};

/* One flat buffer: arrays of tuples are passed as one buffer a member. */
struct explore_leaf {
    enum lift_scalar scalar;
    int64_t count;
    int offset, stride; /* its place among the scalars of an element */
    int member;         /* of a tuple of arrays */
};

static inline size_t explore_leaf_bytes(const struct explore_leaf *leaf)
{
    return (size_t)leaf->count * (size_t)lift_scalar_bytes(leaf->scalar);
}

/* The buffers of a value of type 't', in the order of code generation; -1 if a size has
 * no value or there are too many. */
int explore_leaves(lift_type t, const struct lift_nat_env *sizes,
                   struct explore_leaf out[EXPLORE_MAX_LEAVES]);
/* Those of all inputs, one after the other. */
int explore_input_leaves(const struct explore_problem *p,
                         const struct lift_nat_env *sizes,
                         struct explore_leaf out[EXPLORE_MAX_LEAVES]);
int explore_output_leaves(const struct explore_problem *p,
                          const struct lift_nat_env *sizes,
                          struct explore_leaf out[EXPLORE_MAX_LEAVES]);

/* Loads a program at its sizes, the ones given included; NULL and a diagnostic. The
 * problem and all that belongs to it are ended by explore_problem_destroy (NULL is
 * legal). C functions that the program carries are neither compiled nor run. */
struct explore_problem *explore_problem_load(const struct lift_source *source,
                                             const struct lift_size_setting *sizes,
                                             int size_count, struct lift_error *errors);
/* The same of the text of a database: functions in C are refused. */
struct explore_problem *explore_problem_load_stored(const struct lift_source *source,
                                                    const struct lift_size_setting *sizes,
                                                    int size_count,
                                                    struct lift_error *errors);
void explore_problem_destroy(struct explore_problem *p);
/* arithmetic_chains.c: 'epsilon', 'stored' and 'decided' of each output. */
void explore_find_chains(struct explore_problem *p, const struct explore_leaf *outputs,
                         int count);
/* thresholds.c: 'reach', by the literals and parameters that values are compared with. */
void explore_find_reach(struct explore_problem *p);
/* Before kernels are checked: compiles the program's C functions, and evaluates it at a
 * small size, for 'rounding'. Does nothing the second time, or where there are no such
 * functions. Returns false and an error: PROGRAM for a mistake of the program, otherwise
 * KERNEL. If there are functions, this process must not have other threads. */
bool explore_problem_ready(struct explore_problem *p, const struct lift_source *source,
                           struct lift_error *errors);
/* The first half, in any process: nothing is run. */
bool explore_problem_compile(const struct explore_problem *p,
                             const struct lift_source *source, struct lift_error *errors);

/* For candidates that are only built: false and a diagnostic if the host's compiler
 * rejects a C function. Without a host compiler, the device's compiler checks them. */
bool explore_problem_sound(const struct explore_problem *p,
                           const struct lift_source *source, struct lift_error *errors);

/* Points, bytes, operations and kind of inputs from the rest. False and a reason if the
 * sizes give no sensible problem. */
bool explore_problem_measure(struct explore_problem *p, struct lift_str *why);

/* A term of the problem in another context, with sizes and tunables as numbers. */
struct explore_special {
    lift_expr body;
    lift_expr inputs[EXPLORE_MAX_INPUTS];
    lift_expr params[EXPLORE_MAX_PARAMS];
};
bool explore_specialise(const struct explore_problem *p, lift_expr term,
                        const struct lift_nat_env *numbers, struct lift_ir *into,
                        struct explore_special *out, struct lift_str *why);

#endif
