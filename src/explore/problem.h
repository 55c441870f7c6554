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

/* Magnitude of some of the second inputs of a small check, on both sides of the numbers
 * with which the program compares values (thresholds.c). 0: the usual range. */
struct explore_reach {
    double high, low; /* largest magnitude; positive problems: about the least */
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
    const struct lift_side_condition *conditions; /* conditions on the sizes */
    int condition_count;
    bool relaxed; /* reassociation and fast-math flags are allowed */
    const char *sizes_json, *params_json;
    const char *dtype; /* as in struct lift_db_problem */
    int64_t
        points; /* grid points that a launch updates: elements of its largest output */
    /* Compulsory traffic: each input and each output once; and the inputs' share. If a
     * step number indexes an input, only the rows of a launch count. */
    int64_t bytes, read;
    bool positive; /* inputs stay away from zero, for divisions, roots etc. */
    double ops;    /* scalar operations a point, for bounds (explore/explore.h) */
    /* For each output: the epsilon of the coarsest arithmetic behind it, and the
     * deviation of single precision from double at a small size. */
    double epsilon[EXPLORE_MAX_LEAVES], rounding[EXPLORE_MAX_LEAVES];
    /* For each output: how much values of about 1 may differ because intermediate numbers
     * are rounded to f16 or bf16; 0: no such rounding. */
    double stored[EXPLORE_MAX_LEAVES];
    /* For each output: whether a comparison or a conversion to integers of rounded values
     * decides about it. 'ties' is the share of points where single precision took another
     * branch than double. */
    bool decided[EXPLORE_MAX_LEAVES];
    double ties[EXPLORE_MAX_LEAVES];
    struct explore_reach reach;
    double far_rounding[EXPLORE_MAX_LEAVES]; /* 'rounding' for far inputs */
    struct lift_functions *functions;        /* the program's C functions; NULL: none */
    double steps; /* interpreter steps of an operation; 0: unknown */
    bool ready;   /* for checks, by explore_problem_ready */
    const struct explore_problem
        *whole; /* the problem of which this one is a slab (slab.h); NULL: no slab */
    const struct explore_problem
        *sweep; /* the problem of one step of the time loop; NULL: this problem has one
                   step, or its steps are not known separately */
};

/* One flat buffer: an array of tuples has one buffer for each member. */
struct explore_leaf {
    enum lift_scalar scalar;
    int64_t count;
    int offset, stride; /* position among the scalars of an element */
    int member;         /* index in a tuple of arrays */
};

static inline size_t explore_leaf_bytes(const struct explore_leaf *leaf)
{
    return (size_t)leaf->count * (size_t)lift_scalar_bytes(leaf->scalar);
}

/* Lists the buffers of a value of type 't', in the order of code generation. Returns
 * their number; -1 if a size has no value or there are too many. */
int explore_leaves(lift_type t, const struct lift_nat_env *sizes,
                   struct explore_leaf out[EXPLORE_MAX_LEAVES]);
/* Likewise for all inputs, one after the other. */
int explore_input_leaves(const struct explore_problem *p,
                         const struct lift_nat_env *sizes,
                         struct explore_leaf out[EXPLORE_MAX_LEAVES]);
int explore_output_leaves(const struct explore_problem *p,
                          const struct lift_nat_env *sizes,
                          struct explore_leaf out[EXPLORE_MAX_LEAVES]);

/* Loads a program at its sizes, changed by 'sizes'. Returns NULL and a diagnostic on
 * failure. The caller releases the problem with explore_problem_destroy, which accepts
 * NULL. The program's C functions are neither compiled nor run. */
struct explore_problem *explore_problem_load(const struct lift_source *source,
                                             const struct lift_size_setting *sizes,
                                             int size_count, struct lift_error *errors);
/* Likewise, the problem of 'steps' steps a launch at the sizes of 'sweep', the problem of
 * one step, which must outlive the result. 'sweep' has a time loop if 'steps' exceeds 1.
 */
struct explore_problem *explore_problem_of_steps(const struct explore_problem *sweep,
                                                 int steps, struct lift_error *errors);
/* Likewise for a text from a database: C functions are rejected. */
struct explore_problem *explore_problem_load_stored(const struct lift_source *source,
                                                    const struct lift_size_setting *sizes,
                                                    int size_count,
                                                    struct lift_error *errors);
void explore_problem_destroy(struct explore_problem *p);
/* arithmetic_chains.c: computes 'epsilon', 'stored' and 'decided' of each output. */
void explore_find_chains(struct explore_problem *p, const struct explore_leaf *outputs,
                         int count);
/* thresholds.c: computes 'reach' from the literals and parameters with which the program
 * compares values. */
void explore_find_reach(struct explore_problem *p);
/* Call before checks of kernels: compiles the program's C functions, and evaluates the
 * program at a small size for 'rounding'. A second call does nothing. Returns false and
 * an error: PROGRAM for a mistake of the program, otherwise KERNEL. If the program has
 * functions, this process must not have other threads. */
bool explore_problem_ready(struct explore_problem *p, const struct lift_source *source,
                           struct lift_error *errors);
/* The compilation alone, in any process: runs nothing. */
bool explore_problem_compile(const struct explore_problem *p,
                             const struct lift_source *source, struct lift_error *errors);

/* For candidates that are only built: returns false and a diagnostic if the host's
 * compiler rejects a C function. Without a host compiler, the device's compiler checks
 * the functions. */
bool explore_problem_sound(const struct explore_problem *p,
                           const struct lift_source *source, struct lift_error *errors);

/* Computes the number of grid points, bytes, operations and kind of inputs from the other
 * members. Returns false and a reason if the sizes give no sensible problem. */
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
