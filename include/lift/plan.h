/* lift inside another program: a plan is made once for a stencil, its sizes and a device,
 * and executed many times on the caller's arrays. Programs need no
 * other header of lift.
 *
 *     struct lift_error error = {0};
 *     struct lift_planner_options where = {.database = "lift.db", .create = true};
 *     struct lift_plan_options what = {.file = "heat.lift", .sizes = "nx=256"};
 *     struct lift_planner *planner = lift_planner_create(&where, &error);
 *     struct lift_plan *plan = lift_plan_create(planner, &what, &error);
 *
 *     lift_plan_execute(plan, inputs, outputs, &error);
 *     lift_plan_destroy(plan);
 *     lift_planner_destroy(planner);
 *     lift_error_fini(&error);
 *
 * Calls that fail return NULL or false and describe the failure in 'error' (NULL: not
 * wanted), which the caller releases by lift_error_fini; lift_error_text has the text.
 * They neither print nor end the process. Each call checks its arguments first: NULL is
 * rejected unless a docstring allows it. Queries about a NULL plan return 0, false or
 * NULL.
 *
 * One thread at a time uses a planner or a plan: a call made while another thread is in
 * one is rejected. Threads may use different ones concurrently. Plans and planners are
 * destroyed in any order: a plan needs neither its planner nor the database.
 *
 * They belong to the process that made them. A child of fork is refused all calls, and
 * destroying them there does nothing. It may make its own, but run no kernels if its
 * parent did: the threads of OpenMP and of drivers are missing in it.
 *
 * Kernels run in the caller's process. Nothing of the process is changed: no handlers of
 * signals, no working directory. Of the environment, plans for the host set OMP_STACKSIZE
 * to 16M where it is absent, and limit how long waiting threads spin (GOMP_SPINCOUNT and
 * KMP_BLOCKTIME, unless the user says how threads wait). Two things outlive a plan:
 * compiled kernels of the host pin the OpenMP library, and drivers keep what they opened.
 * Compiled kernels are kept in the user's cache folder for later processes;
 * LIFT_CACHE=off keeps none.
 *
 * MEASURE and PATIENT start the program 'lift', which was installed with the library, or
 * $LIFT_PROGRAM. It compiles and times candidates in separate processes: a bad candidate
 * cannot harm the caller's process. */
#ifndef LIFT_PLAN_H
#define LIFT_PLAN_H

#include "lift/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the planner: rules and a database */

struct lift_planner;

struct lift_planner_options {
    const char *database; /* a file made by lift-explore; NULL: none */
    bool create; /* one that is absent is made by the first MEASURE or PATIENT plan */
    const char *const *rules; /* files of rules besides those that ship; NULL: none */
    int rule_count;
};

/* 'options' may be NULL: no database. Functions whose names end in _sized take the size
 * of the options that follow, sizeof in C: later versions have longer ones
 * (docs/use-a-kernel.md).
 */
LIFT_API struct lift_planner *
lift_planner_create_sized(const struct lift_planner_options *options, size_t size,
                          struct lift_error *error);
static inline struct lift_planner *
lift_planner_create(const struct lift_planner_options *options, struct lift_error *error)
{
    return lift_planner_create_sized(options, sizeof *options, error);
}
LIFT_API void lift_planner_destroy(struct lift_planner *planner); /* NULL is legal */

/* ---- making a plan */

struct lift_plan;

enum lift_plan_effort {
    /* The best kernel of the database for the device, at these sizes or the nearest;
     * otherwise a default kernel. Times nothing; takes as long as compiling one kernel.
     */
    LIFT_ESTIMATE,
    /* Checks and times the first five of these at these sizes and takes the fastest:
     * seconds. The planner's database keeps correct kernels, so the next ESTIMATE without
     * an exploration takes the same kernel. If the database cannot be written, the plan
     * is made all the same, and its facts say so. */
    LIFT_MEASURE,
    /* Explores for 'seconds', and keeps all of it in the database, if there is one. */
    LIFT_PATIENT
};

/* True to continue a long call, false to end it. 'user' is the caller's. */
typedef bool lift_plan_go_on(void *user);

struct lift_plan_options {
    const char *program; /* text of a .lift program; or NULL and */
    const char *file;    /* the name of its file */
    /* "single" or "double": as if the program were written so; NULL: as it is. */
    const char *precision;
    const char *sizes; /* "nx=256,ny=256", each at most once; NULL: the program's own */
    /* The element types of the caller's arrays, which must be those of the program:
     * "f32", or by name "u=f64,v=i32". NULL: not compared. */
    const char *types;
    const char *device; /* "host", "opencl:0", ...: see 'lift devices'; NULL: "host" */
    enum lift_plan_effort effort;
    double seconds; /* PATIENT: at most 10^9; 0: a minute */
    /* Steps of the time loop per launch (temporal blocking), from 1 to 16; 0 means 1.
     * The plan is of the program of that many steps (lift_source_steps):
     * lift_plan_execute computes all of them, and has outputs for the state after the
     * last step. */
    int steps;
    /* The caller's, to which all work of the plan goes, and which outlives the plan: a
     * CUstream (a cudaStream_t is one), a hipStream_t, or a cl_command_queue that runs in
     * order. It is of the plan's device, for CUDA and HIP of its primary context. NULL:
     * the default stream, or a queue of the plan's own. The host has none. */
    void *stream;
    /* MEASURE and PATIENT call it about every 50 ms, in the thread of the caller. If it
     * returns false, there is no plan, and LIFT_ERROR_STOPPED. The planner's database
     * keeps all trials of PATIENT until then. NULL: nothing is called. */
    lift_plan_go_on *go_on;
    void *user; /* for go_on */
};

LIFT_API struct lift_plan *lift_plan_create_sized(struct lift_planner *planner,
                                                  const struct lift_plan_options *options,
                                                  size_t size, struct lift_error *error);
static inline struct lift_plan *lift_plan_create(struct lift_planner *planner,
                                                 const struct lift_plan_options *options,
                                                 struct lift_error *error)
{
    return lift_plan_create_sized(planner, options, sizeof *options, error);
}
LIFT_API void lift_plan_destroy(struct lift_plan *plan); /* NULL is legal */

/* ---- what a plan works on */

/* F16 and BF16: the bits of floating-point numbers of 16 bits, IEEE 754 binary16 and the
 * upper half of an f32. */
enum lift_plan_type {
    LIFT_PLAN_F32,
    LIFT_PLAN_F64,
    LIFT_PLAN_I32,
    LIFT_PLAN_BOOL,
    LIFT_PLAN_F16,
    LIFT_PLAN_BF16,
};

enum { LIFT_PLAN_DIMS = 8 };

/* One array of the caller: row-major without gaps, the outermost length first. Elements
 * are float, double, int32_t, or one byte (0 or 1). Arrays of tuples are one array a
 * member; lanes of vectors are the last dimension. Texts belong to the plan. */
struct lift_plan_array {
    const char *name; /* of the program's input or output */
    enum lift_plan_type type;
    int dims;
    int64_t length[LIFT_PLAN_DIMS];
    int64_t count; /* elements */
    size_t bytes;
};

/* How many there are. */
LIFT_API int lift_plan_inputs(const struct lift_plan *plan);
LIFT_API int lift_plan_outputs(const struct lift_plan *plan);
/* False if there is none of that number. */
LIFT_API bool lift_plan_input(const struct lift_plan *plan, int index,
                              struct lift_plan_array *array);
LIFT_API bool lift_plan_output(const struct lift_plan *plan, int index,
                               struct lift_plan_array *array);

/* A scalar parameter has the program's default until it is set. False and an error if
 * there is none of that name, or 'value' is not of its type: too large for f32;
 * fractional or out of range for i32; neither 0 nor 1 for bool. Numbers of f32 are
 * rounded; infinities and NaN are legal for floats. */
LIFT_API bool lift_plan_set_param(struct lift_plan *plan, const char *name, double value,
                                  struct lift_error *error);

/* ---- running it */

/* One step of the program: reads all inputs and writes all outputs, one pointer an array.
 * When it returns, outputs are complete and inputs as they were.
 *
 * An output may be the memory of an input (the same pointer), which it replaces; inputs
 * may overlap; all other overlaps are refused. Each pointer must be aligned as its
 * element type is (4 bytes for f32 and i32, 8 for f64, 2 for f16 and bf16), and no more:
 * kernels with vectors do not ask for it either. On the host, arrays are used where they
 * are, without a copy, but for those that the kernel wants laid out in another way,
 * outputs that replace an input which the kernel still reads, and inputs that the kernel
 * overwrites. On other devices every array is copied once: for many steps, see
 * lift_plan_advance. */
LIFT_API bool lift_plan_execute(struct lift_plan *plan, const void *const *inputs,
                                void *const *outputs, struct lift_error *error);

/* Many steps of a program with a time loop ('time' in the program). 'arrays' are the
 * inputs: they hold the state before the first step, and afterwards the state before step
 * 'steps' + 1; inputs that the loop does not change are not written. 'outputs' receive
 * the results of the last step; NULL, or NULL for one of them: not wanted. The state
 * stays on the device in between: a call copies it there and back once.
 *
 * Arrays that the loop changes overlap no other. An output may be the memory of an array
 * (the same pointer) that becomes this very output, or that the loop does not change. A
 * call that fails on the device has not written the arrays, or not all of them.
 *
 * For a plan with several steps a launch, 'steps' counts single steps, too. The remainder
 * comes first, by launches of one step, in a separate call to the device. If 'steps' is
 * less than the steps of a launch, outputs that the single step lacks must be NULL. A
 * program whose own text says 'steps' has no single step: it takes multiples only. */
LIFT_API bool lift_plan_advance(struct lift_plan *plan, void *const *arrays,
                                void *const *outputs, int64_t steps,
                                struct lift_error *error);
/* The same on memory of the plan's device: device pointers of CUDA or HIP, or cl_mem of
 * the context of the plan's 'stream', which must not be NULL then, each with the whole
 * array from its beginning. On the host these are the functions above. The rule about
 * overlaps holds; of cl_mem, only equal ones are noticed.
 *
 * Kernels use the memory where it is; arrays that they want laid out in another way, or
 * that they overwrite, are copied on the device. lift_plan_advance_on_device copies the
 * state once a call, and waits for the device.
 *
 * lift_plan_execute_on_device waits, too, unless there is a 'stream': then the launch is
 * in it, behind all that the caller had put there, and waiting is his, before he reads
 * the outputs elsewhere or destroys the plan. Without one, what the arrays hold must be
 * complete before the call: default streams wait for one another, others do not. */
LIFT_API bool lift_plan_execute_on_device(struct lift_plan *plan,
                                          const void *const *inputs, void *const *outputs,
                                          struct lift_error *error);
LIFT_API bool lift_plan_advance_on_device(struct lift_plan *plan, void *const *arrays,
                                          void *const *outputs, int64_t steps,
                                          struct lift_error *error);
/* Ends long calls of the two functions above. They call 'go_on' between launches, in
 * their own thread, about every 50 ms, or after each launch that takes longer. If 'go_on'
 * returns false, the call fails with LIFT_ERROR_STOPPED. The arrays then hold the state
 * after lift_plan_advanced steps, and another call resumes from it; outputs are
 * undefined. 'go_on' must not use the plan. NULL: nothing is called, as at first. False
 * if the caller may not use the plan. */
LIFT_API bool lift_plan_watch(struct lift_plan *plan, lift_plan_go_on *go_on, void *user,
                              struct lift_error *error);
/* Steps that the last call of lift_plan_advance, or of lift_plan_advance_on_device,
 * computed: fewer than it was given if it failed. */
LIFT_API int64_t lift_plan_advanced(const struct lift_plan *plan);
/* True if the program has a time loop. */
LIFT_API bool lift_plan_iterates(const struct lift_plan *plan);

/* ---- what it is */

struct lift_plan_rewrite {
    const char *rule, *position; /* docs/rule-files.md */
};

/* Texts belong to the plan. */
struct lift_plan_facts {
    const char *program, *sizes, *device; /* sizes as JSON */
    /* "exact", "nearest size", "same architecture", "default": lift/chosen.h */
    const char *chosen;
    const char *why; /* the same in words */
    bool measured;   /* here and now; otherwise 'gpts' is an estimate from other runs */
    double gpts;     /* 10^9 grid points a second; 0: unknown */
    int64_t points;  /* that a step updates */
    size_t copied; /* bytes that lift_plan_execute copies in a call for distinct arrays */
    const char *tunables, *flags, *source;
    const struct lift_plan_rewrite *rewrites; /* none of a default kernel */
    int rewrite_count;
    /* Why the measurements are not in the planner's database, and what to do; NULL: they
     * are there, or there was nothing to keep. */
    const char *unkept;
};

LIFT_API const struct lift_plan_facts *lift_plan_facts(const struct lift_plan *plan);

/* ---- several devices, and several processes
 *
 * One grid of a program with a time loop, whose planes (elements of its outermost
 * dimension) are divided among devices. Each device has a part of them, and ghost planes,
 * which neighbours exchange between steps. The state stays on the devices from load to
 * fetch. The rules above about planners, threads, forks and errors hold. */

/* To or from the process 'peer', in memory that this process can touch. */
struct lift_message {
    void *data;
    size_t bytes; /* may be more than an int holds */
    int peer;     /* its rank */
    int tag;      /* from 0 on: messages between the same two of which it differs */
    bool send;
};

/* Processes that share a grid, each with one device. It is the caller's, and outlives the
 * parts. A process with a size of 1 is alone. */
struct lift_communicator {
    int rank, size; /* 0 <= rank < size */
    void *user;     /* for the function */
    /* Sends and receives all messages, and returns when all are complete; lift leaves
     * their memory alone meanwhile. For each message sent, another process makes a
     * matching call with the same tag and number of bytes. False: the exchange failed,
     * and lift_fail has described the failure. This function sets its own time limits.
     * The thread that calls lift calls it. */
    bool (*exchange)(void *user, const struct lift_message *messages, int count,
                     struct lift_error *error);
};

struct lift_parts;

/* How planes go between devices: as it is best; by copies from device to device, of one
 * process; through memory of the host; by the communicator; by NCCL, between GPUs of CUDA
 * of any process (docs/clusters.md). */
enum lift_exchange {
    LIFT_EXCHANGE_AUTO,
    LIFT_EXCHANGE_PEER,
    LIFT_EXCHANGE_HOST,
    LIFT_EXCHANGE_MESSAGES,
    LIFT_EXCHANGE_NCCL
};

/* Exchanges while other planes are computed: where all devices can copy meanwhile; in any
 * case, one after the other if need be; never. */
enum lift_overlap { LIFT_OVERLAP_AUTO, LIFT_OVERLAP_YES, LIFT_OVERLAP_NO };

struct lift_parts_options {
    const char *program, *file, *precision, *sizes; /* as of a plan; of the whole grid */
    /* "cuda:0,cuda:1=2": a part of the planes each, evenly or by weights. The one device
     * of this process, "cuda:0", where there is a communicator. NULL: "host". */
    const char *devices;
    /* Parts along the planes, and along the rows of each, the second dimension; so many
     * in all as there are devices, or processes. {0, 0}: planes alone are cut. */
    int cut[2];
    int64_t exchange_every; /* launches; more ghost planes, and fewer exchanges; 0: 1 */
    /* A launch with its exchange may take so long on several devices of one process; 0:
     * ten minutes. Then it fails, and only lift_parts_destroy may be called, which
     * leaves what the device may use. */
    double seconds;
    const struct lift_communicator *communicator; /* NULL: one process */
    /* A way that cannot be is an error, unless it is AUTO; lift_parts_words says which
     * way planes go. */
    enum lift_exchange exchange;
    enum lift_overlap overlap;
};

/* Kernels are chosen as LIFT_ESTIMATE does, for the planes of a part. All processes call
 * this with the same program, sizes and options but 'devices', and so the functions that
 * say 'all processes'. If one of them fails here, all do. */
LIFT_API struct lift_parts *
lift_parts_create_sized(struct lift_planner *planner,
                        const struct lift_parts_options *options, size_t size,
                        struct lift_error *error);
static inline struct lift_parts *
lift_parts_create(struct lift_planner *planner, const struct lift_parts_options *options,
                  struct lift_error *error)
{
    return lift_parts_create_sized(planner, options, sizeof *options, error);
}
LIFT_API void lift_parts_destroy(struct lift_parts *parts); /* NULL is legal */

/* The planes of this process, and the rows of each that it has where rows are cut: all of
 * the grid, if it is the only one. Where rows are not cut, their number is 0. */
LIFT_API void lift_parts_planes(const struct lift_parts *parts, int64_t *first,
                                int64_t *count);
LIFT_API void lift_parts_rows(const struct lift_parts *parts, int64_t *first,
                              int64_t *count);
/* How they are shared out and exchanged, in words, which belong to the parts. */
LIFT_API const char *lift_parts_words(const struct lift_parts *parts);
/* Arrays of this process: of those that are shared out, its planes and rows only. */
LIFT_API int lift_parts_inputs(const struct lift_parts *parts);
LIFT_API int lift_parts_outputs(const struct lift_parts *parts);
LIFT_API bool lift_parts_input(const struct lift_parts *parts, int index,
                               struct lift_plan_array *array);
LIFT_API bool lift_parts_output(const struct lift_parts *parts, int index,
                                struct lift_plan_array *array);
/* As lift_plan_set_param: the same in all processes, before lift_parts_load. */
LIFT_API bool lift_parts_set_param(struct lift_parts *parts, const char *name,
                                   double value, struct lift_error *error);

/* All processes: the inputs go to the devices. If this or lift_parts_advance fails in one
 * process, others may be left waiting in 'exchange': end them. */
LIFT_API bool lift_parts_load(struct lift_parts *parts, const void *const *inputs,
                              struct lift_error *error);
/* All processes: many steps, at best many times 'exchange_every'. */
LIFT_API bool lift_parts_advance(struct lift_parts *parts, int64_t steps,
                                 struct lift_error *error);
/* The current state, and the results of the last step; NULL, or NULL for one of them: not
 * wanted. Inputs that the time loop does not change are not written. */
LIFT_API bool lift_parts_fetch(struct lift_parts *parts, void *const *inputs,
                               void *const *outputs, struct lift_error *error);

#ifdef __cplusplus
}
#endif

#endif
