/* References: results that candidates are compared with at the problem's size. The naive
 * kernel of one time step makes them in the runner's process when a check asks for them.
 * Each step of a launch of the problem is a launch of the naive kernel.
 *
 * The host's naive kernel is compiled without fast-math, and compared with the
 * interpreter at a small odd size. A device with separate memory makes references itself:
 * its naive kernel is compared with the interpreter likewise. At the problem's size a
 * kernel of another family, the witness, must compute the same result. If these kernels
 * disagree, or memory is short, the host makes the reference. */
#ifndef EXPLORE_REFERENCE_H
#define EXPLORE_REFERENCE_H

#include "explore/runner.h"
#include "explore/trial.h"
#include "rules/rule.h"

/* The problem of the reference kernel: the sweep, unless the bench's problem has none. */
const struct explore_problem *
explore_reference_problem(const struct explore_bench *bench);
/* Lowers the program by these rules, as the reference kernels of 'bench', whose problem
 * and device are set. Returns false and the reason on failure. */
bool explore_reference_lower(struct explore_bench *bench, const struct lift_rules *rules,
                             struct lift_str *why);

/* Results for one set of inputs. */
struct explore_truth {
    uint64_t seed;                                 /* seed of the inputs */
    void *outputs[EXPLORE_MAX_LEAVES];             /* NULL: on the device only */
    struct lift_buffer *there[EXPLORE_MAX_LEAVES]; /* on the device; NULL: not there */
    double magnitude[EXPLORE_MAX_LEAVES];          /* largest value of each output */
};

/* The references of a process that runs candidates on one device. Call 'create' before
 * the process opens devices. The memory of references is limited: those used last stay,
 * others are made again. */
struct references;
struct references *references_create(const struct explore_bench *bench);
/* Releases all references, and keeps the kernels. */
void references_drop(struct references *r, struct lift_device *device);
void references_destroy(struct references *r, struct lift_device *device);
/* Builds the device's kernels for the first reference of a bench, and checks the naive
 * kernel at a small size. */
void references_prepare(struct references *r, struct lift_device *device,
                        const struct explore_bench *bench);
/* A reference of the inputs EXPLORE_FIRST, ..., if it exists; otherwise NULL. The result
 * is valid until the next call of 'make' or 'drop'. */
struct explore_truth *references_find(struct references *r,
                                      const struct explore_bench *bench, int which);
/* Likewise, made if it does not exist. 'data' are of the bench's problem on the device;
 * their content is lost. Returns NULL and a failure. */
struct explore_truth *references_make(struct references *r, struct lift_device *device,
                                      const struct explore_bench *bench, int which,
                                      struct runner_data *data, struct lift_error *error);
/* An output of a reference on the device; NULL: not enough memory. */
struct lift_buffer *references_there(struct explore_truth *truth,
                                     struct lift_device *device, int output,
                                     const struct explore_leaf *leaf);
/* Why the device makes no references; "": it does, or was not asked. */
const char *references_why_here(const struct references *r);

#endif
