/* Internal declarations for making references: their kernels and their memory. */
#ifndef EXPLORE_TRIAL_REFERENCE_MAKE_H
#define EXPLORE_TRIAL_REFERENCE_MAKE_H

#include "explore/reference.h"
#include "explore/trial/interpret.h"

enum { REFERENCE_KERNELS = 64, REFERENCE_TRUTHS = 16 };

/* The kernels of the device (EXPLORE_NAIVE, EXPLORE_WITNESS), and the naive kernel of the
 * host. */
enum { REFERENCE_HOST = EXPLORE_OWN };

/* A kernel at sizes given as numbers. */
struct reference_kernel {
    int kind;
    const struct explore_problem *problem; /* of the kernel */
    int64_t sizes[EXPLORE_MAX_SIZES];
    struct runner_module module;
    bool witnessed; /* it agreed with the witness */
};

struct reference_entry {
    const struct explore_bench *bench; /* NULL: empty */
    int which;
    struct explore_truth truth;
    struct explore_leaf leaves[EXPLORE_MAX_LEAVES];
    int count;
    uint64_t used; /* time of last use, counted in uses */
};

struct references {
    struct lift_worker *interpreter; /* of this problem; NULL: not needed */
    const struct explore_problem *interpreted;
    struct lift_device *host; /* opened on demand */
    struct reference_kernel kernels[REFERENCE_KERNELS];
    int kernel_count;
    bool checked[REFERENCE_HOST + 1]; /* kinds that passed the check at a small size */
    struct reference_entry entries[REFERENCE_TRUTHS];
    uint64_t clock;
    struct lift_str why_here; /* why the device makes no references; or empty */
};

/* One reference in the making. */
struct making {
    struct references *r;
    const struct explore_bench *bench;
    const struct explore_problem *step; /* of the kernels */
    struct lift_device *device;
    struct runner_data *data; /* on the device */
    struct reference_entry *entry;
    struct lift_error *error;
};

/* reference_kernels.c: builds a kernel at the sizes of the bench. On the first call in
 * this process for a kind, the kernel is checked at a small size, except the witness.
 * Returns NULL and a failure. */
struct reference_kernel *reference_kernel(const struct making *m, int kind);
/* Computes the outputs of 'data' on the inputs of a seed. */
bool reference_compute(struct lift_device *device, struct runner_module *module,
                       uint64_t seed, struct runner_data *data, struct lift_error *error);
/* Releases the kernel with this index; 'device' is not the host. */
void reference_unload(struct references *r, struct lift_device *device, int index);

#endif
