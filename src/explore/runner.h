/* A module on an open device: its buffers, launches and results. */
#ifndef EXPLORE_RUNNER_H
#define EXPLORE_RUNNER_H

#include "codegen/kernel.h"
#include "device/device.h"
#include "explore/buffer_layout.h"
#include "explore/input_data.h"

struct runner_module {
    struct lift_ir *ir; /* owns the module */
    const struct lift_module *module;
    struct lift_binary *binary;
    int launches; /* so far */
};

/* What source is made of. */
struct runner_request {
    const struct explore_problem *problem;
    lift_expr term;
    const struct lift_nat_env *numbers; /* sizes and tunables */
    enum lift_dialect dialect;
    int local[3];   /* work-group size; 0 is 1 */
    int index_bits; /* as in lift_codegen_options, also the next three */
    int resident, warp;
    int64_t most_straight, most_code;
    const char *comment;  /* may be NULL */
    const char *beside;   /* as in lift_codegen_options; names of kernels have it, too */
    bool local_functions; /* likewise */
};

/* Source of a term with all numbers given; false and the reason. 'out' is to be released
 * by runner_unload in any case. */
bool runner_generate(const struct runner_request *request, struct runner_module *out,
                     struct lift_str *why);
bool runner_build(struct lift_device *device, struct runner_module *m, const char *flags,
                  struct lift_str *log, struct lift_error *error);
void runner_unload(struct lift_device *device, struct runner_module *m);

/* The place of a bind's grid in its buffer, for these values of the parameters. False and
 * the reason if the halo has no value. */
bool runner_place(const struct explore_problem *p, const double *param_values,
                  const struct lift_bind *bind, struct place *out, struct lift_str *why);

/* Buffers of one problem size, laid out as the last module wanted them. '{0}' is a valid
 * empty one. */
struct runner_data {
    const struct explore_problem *problem;
    uint64_t seed;
    struct explore_leaf inputs[EXPLORE_MAX_LEAVES], outputs[EXPLORE_MAX_LEAVES];
    int input_count, output_count;
    struct lift_buffer *in[EXPLORE_MAX_LEAVES], *out[EXPLORE_MAX_LEAVES];
    struct place in_at[EXPLORE_MAX_LEAVES], out_at[EXPLORE_MAX_LEAVES];
    bool spent[EXPLORE_MAX_LEAVES];       /* inputs that a launch may have overwritten */
    uint64_t digests[EXPLORE_MAX_LEAVES]; /* of the inputs, as they were written */
    int stored_in[EXPLORE_MAX_LEAVES];    /* outputs: the input that holds it, or -1 */
    uint64_t out_digests[EXPLORE_MAX_LEAVES]; /* of outputs, see runner_remember */
    struct lift_buffer *temps[EXPLORE_MAX_LEAVES];
    int temp_count;
    bool remote; /* the device has separate memory: see device_grids.h */
    /* If so, the inputs as they are before they are laid out: of the first seed and of
     * another one. */
    struct master {
        struct lift_buffer *buffer; /* NULL: there is none */
        uint64_t seed;
    } masters[2][EXPLORE_MAX_LEAVES];
};

/* Inputs (random, see explore_datum) and outputs; their buffers are made when a module
 * wants them. False and a failure. */
bool runner_data_create(const struct explore_problem *p, struct lift_device *device,
                        const struct lift_nat_env *sizes, uint64_t seed,
                        struct runner_data *out, struct lift_error *error);
void runner_data_destroy(struct lift_device *device, struct runner_data *data);
/* Inputs of another seed, from the next runner_fit on. */
void runner_reseed(struct runner_data *data, uint64_t seed);
/* Fills all outputs with NaN, except those that overwrite inputs. */
bool runner_poison(struct lift_device *device, struct runner_data *data,
                   struct lift_error *error);
/* Makes the data fit a module, before outputs are poisoned: layouts of buffers, inputs
 * that the last module overwrote, temporaries. */
bool runner_fit(struct lift_device *device, const struct runner_module *m,
                struct runner_data *data, struct lift_error *error);
/* Whether that would leave all buffers as they are, and launches the inputs, too. */
bool runner_fits(const struct runner_module *m, const struct runner_data *data);
/* All kernels, 'count' times one after the other; 'seconds' (may be NULL) is the device's
 * time for all of it. */
bool runner_launch(struct lift_device *device, struct runner_module *m,
                   const struct runner_data *data, int count, double *seconds,
                   struct lift_error *error);
/* Does the module that the data were fitted to store a result in an input? */
bool runner_overwrites(const struct runner_data *data);
/* Writes such inputs anew. */
bool runner_refill(struct lift_device *device, struct runner_data *data,
                   struct lift_error *error);
/* Of all buffers. */
size_t runner_data_bytes(const struct runner_data *data);
/* Checks that the kernels wrote only inside their buffers and, with 'inputs', changed no
 * input. False and a failure: OVERFLOW. */
bool runner_inspect(struct lift_device *device, const struct runner_data *data,
                    bool inputs, struct lift_error *error);
/* Launches all kernels of a module once, without waiting; 'arg' returns the argument of
 * each bind. */
typedef struct lift_arg runner_arg(const void *user, int bind);
bool runner_call(struct lift_device *device, const struct runner_module *m,
                 runner_arg *arg, const void *user, struct lift_error *error);
/* A parameter of that value. */
struct lift_arg runner_param(const struct lift_bind *bind, double value);
/* Remembers the outputs, and checks that they are unchanged; outputs that overwrite
 * inputs are not checked. False and a failure. */
bool runner_remember(struct lift_device *device, struct runner_data *data,
                     struct lift_error *error);
bool runner_recall(struct lift_device *device, const struct runner_data *data, bool *same,
                   struct lift_error *error);
/* Compares an output with a buffer of the same device that has what it should be,
 * row-major; as explore_compare does. */
bool runner_compare(struct lift_device *device, const struct runner_data *data,
                    int output, struct lift_buffer *want, struct explore_verdict *verdict,
                    struct lift_error *error);
/* Reads an output's grid, for runner_result; false, too, if the kernel wrote around it.
 */
bool runner_read(struct lift_device *device, struct runner_data *data, int output,
                 struct lift_error *error);
/* The last grid that was read, row-major; valid until the next call. */
const void *runner_result(void);

/* For a worker process: how long it may take, in seconds; see lift_worker_allow. All
 * zero: no word of it. */
struct runner_limits {
    double launch; /* a launch of all kernels */
    double first; /* and more for the first of a module, which drivers may compile then */
    double rest;  /* seconds between launches */
};
void runner_limit(struct runner_limits limits);

#endif
