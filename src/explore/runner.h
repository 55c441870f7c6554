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
    int launches; /* number of launches so far */
};

/* The inputs of code generation. */
struct runner_request {
    const struct explore_problem *problem;
    lift_expr term;
    const struct lift_nat_env *numbers; /* sizes and tunables */
    enum lift_dialect dialect;
    int local[3];   /* block size; 0 means 1 */
    int index_bits; /* as in lift_codegen_options, like the next three */
    int resident, warp;
    int64_t most_straight, most_code;
    const char *comment;  /* may be NULL */
    const char *beside;   /* as in lift_codegen_options; also part of kernel names */
    bool local_functions; /* as in lift_codegen_options */
};

/* Generates the source of a term with all numbers given. Returns false and the reason on
 * failure. The caller releases 'out' with runner_unload in any case. */
bool runner_generate(const struct runner_request *request, struct runner_module *out,
                     struct lift_str *why);
bool runner_build(struct lift_device *device, struct runner_module *m, const char *flags,
                  struct lift_str *log, struct lift_error *error);
void runner_unload(struct lift_device *device, struct runner_module *m);

/* Computes the place of a bind's grid in its buffer, for these values of the parameters.
 * Returns false and the reason if the halo has no value. */
bool runner_place(const struct explore_problem *p, const double *param_values,
                  const struct lift_bind *bind, struct place *out, struct lift_str *why);

/* Buffers of one problem size, in the layout of the last module. '{0}' is a valid empty
 * value. */
struct runner_data {
    const struct explore_problem *problem;
    uint64_t seed;
    struct explore_leaf inputs[EXPLORE_MAX_LEAVES], outputs[EXPLORE_MAX_LEAVES];
    int input_count, output_count;
    struct lift_buffer *in[EXPLORE_MAX_LEAVES], *out[EXPLORE_MAX_LEAVES];
    struct place in_at[EXPLORE_MAX_LEAVES], out_at[EXPLORE_MAX_LEAVES];
    bool spent[EXPLORE_MAX_LEAVES];       /* inputs that a launch may have overwritten */
    int used;                             /* launches since the inputs were written */
    bool turned;                          /* the last launch was one of runner_steps */
    uint64_t digests[EXPLORE_MAX_LEAVES]; /* hashes of the inputs, as last written */
    int stored_in[EXPLORE_MAX_LEAVES]; /* outputs: the input that contains the output, or
                                          -1 */
    uint64_t out_digests[EXPLORE_MAX_LEAVES]; /* hashes of outputs, by runner_remember */
    struct lift_buffer *temps[EXPLORE_MAX_LEAVES];
    int temp_count;
    bool remote; /* the device has separate memory: see device_grids.h */
    /* Device with separate memory: the inputs without a layout, of the first seed and of
     * another one. */
    struct master {
        struct lift_buffer *buffer; /* NULL: none */
        uint64_t seed;
    } masters[2][EXPLORE_MAX_LEAVES];
};

/* Prepares inputs (random, see explore_datum) and outputs; buffers are allocated for the
 * first module that needs them. Returns false and a failure. */
bool runner_data_create(const struct explore_problem *p, struct lift_device *device,
                        const struct lift_nat_env *sizes, uint64_t seed,
                        struct runner_data *out, struct lift_error *error);
/* Prepares the data for a problem with another number of time steps, at its sizes. Equal
 * inputs stay. Returns false and a failure. */
bool runner_data_turn(const struct explore_problem *p, struct lift_device *device,
                      struct runner_data *data, struct lift_error *error);
void runner_data_destroy(struct lift_device *device, struct runner_data *data);
/* Selects inputs of another seed, written by the next runner_fit. */
void runner_reseed(struct runner_data *data, uint64_t seed);
/* Fills all outputs with NaN, except outputs that overwrite inputs. */
bool runner_poison(struct lift_device *device, struct runner_data *data,
                   struct lift_error *error);
/* Prepares the data for a module before outputs are poisoned: layouts of buffers, inputs
 * overwritten by earlier launches, temporaries. Returns false and a failure. */
bool runner_fit(struct lift_device *device, const struct runner_module *m,
                struct runner_data *data, struct lift_error *error);
/* Like runner_fit, for launches whose results are not compared: inputs that have the
 * right layout keep the values of earlier launches. Poisons outputs with a new layout. */
bool runner_refit(struct lift_device *device, const struct runner_module *m,
                  struct runner_data *data, struct lift_error *error);
/* True if runner_fit would change no buffer, and launches change no inputs. */
bool runner_fits(const struct runner_module *m, const struct runner_data *data);
/* Launches all kernels 'count' times on the same buffers; 'seconds' (may be NULL)
 * receives the device's time for all launches. */
bool runner_launch(struct lift_device *device, struct runner_module *m,
                   struct runner_data *data, int count, double *seconds,
                   struct lift_error *error);
/* True if runner_steps can launch the program: it has a time loop that passes no array to
 * two inputs. */
bool runner_rotates(const struct runner_data *data);
/* True if runner_steps passes the output to an input. */
bool runner_passes(const struct runner_data *data, int output);
/* Like runner_launch, as in the program's time loop: between two launches, outputs become
 * inputs. So the inputs change, except arrays that no step changes, and short arrays of
 * integers. These may count steps or index other arrays, and stay in range. The first
 * launch after inputs were written has these inputs. */
bool runner_steps(struct lift_device *device, struct runner_module *m,
                  struct runner_data *data, int count, double *seconds,
                  struct lift_error *error);
/* Computes the outputs of the data's problem, by one launch for each step if the module
 * is of the problem's sweep: outputs become inputs as the time loop says. The data are
 * fitted to the module. Inputs that change are lost until the next runner_fit. Waits.
 * Returns false and a failure. */
bool runner_chain(struct lift_device *device, struct runner_module *m,
                  struct runner_data *data, struct lift_error *error);
/* True if the module to which the data are fitted stores a result in an input. */
bool runner_overwrites(const struct runner_data *data);
/* Rewrites the inputs that launches have changed. Without 'exact', on the host, the
 * inputs and their halos repeat a short part of the right values, which is faster. */
bool runner_refill(struct lift_device *device, struct runner_data *data, bool exact,
                   struct lift_error *error);
/* Bytes of all buffers. */
size_t runner_data_bytes(const struct runner_data *data);
/* Checks that the kernels wrote only inside their buffers and, with 'inputs', changed no
 * input. Returns false and a failure: OVERFLOW. */
bool runner_inspect(struct lift_device *device, const struct runner_data *data,
                    bool inputs, struct lift_error *error);
/* Launches all kernels of a module once, without waiting; 'arg' returns the argument of
 * each bind. */
typedef struct lift_arg runner_arg(const void *user, int bind);
bool runner_call(struct lift_device *device, const struct runner_module *m,
                 runner_arg *arg, const void *user, struct lift_error *error);
/* A parameter with this value. */
struct lift_arg runner_param(const struct lift_bind *bind, double value);
/* 'remember' records the outputs; the other function checks that they are unchanged.
 * Return false and a failure. */
bool runner_remember(struct lift_device *device, struct runner_data *data,
                     struct lift_error *error);
bool runner_recall(struct lift_device *device, const struct runner_data *data, bool *same,
                   struct lift_error *error);
/* Compares an output with a row-major buffer of the same device, like explore_compare. */
bool runner_compare(struct lift_device *device, const struct runner_data *data,
                    int output, struct lift_buffer *want, struct explore_verdict *verdict,
                    struct lift_error *error);
/* Reads an output's grid, for runner_result. Also returns false if the kernel wrote
 * around the grid. */
bool runner_read(struct lift_device *device, struct runner_data *data, int output,
                 struct lift_error *error);
/* The last grid read, row-major; valid until the next call. */
const void *runner_result(void);

/* Time limits that a worker process announces, in seconds; see lift_worker_allow. All
 * zero: no announcement. */
struct runner_limits {
    double launch; /* a launch of all kernels */
    double first;  /* additional time for a module's first launch, in which drivers may
                      compile */
    double rest;   /* seconds between launches */
};
void runner_limit(struct runner_limits limits);

#endif
