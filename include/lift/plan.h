/* lift inside another program. The caller makes a plan once for a stencil, its sizes and
 * a device, and executes the plan many times on the caller's arrays. Programs need no
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
 * Calls that fail return NULL or false and describe the failure in 'error' (NULL: no
 * error is reported). The caller releases the error by lift_error_fini; lift_error_text
 * has the text. Calls neither print nor end the process. Each call checks its arguments
 * first: NULL is rejected unless a docstring allows NULL. Queries about a NULL plan
 * return 0, false or NULL.
 *
 * One thread at a time uses a planner or a plan; lift rejects a concurrent call. Threads
 * may use different plans and planners concurrently. The caller destroys plans and
 * planners in any order: a plan needs neither its planner nor the database.
 *
 * Plans and planners belong to the process that made them. In a child of fork, lift
 * rejects all calls for them, and destroying them does nothing. The child may make its
 * own plans. If its parent ran kernels, the child cannot run kernels: the threads of
 * OpenMP and of drivers are missing.
 *
 * Kernels run in the caller's process. lift changes neither signal handlers nor the
 * working directory. Plans for the host change the environment: they set OMP_STACKSIZE
 * to 16M if unset, and limit how long waiting threads spin. For this they set
 * GOMP_SPINCOUNT and KMP_BLOCKTIME, unless the user's settings say how threads wait. Two
 * things outlive a plan: compiled kernels of the host pin the OpenMP library, and
 * drivers keep opened resources. lift keeps compiled kernels in the user's cache folder
 * for later processes; LIFT_CACHE=off keeps none.
 *
 * MEASURE and PATIENT start the installed program 'lift', or $LIFT_PROGRAM. The program
 * compiles and times candidates in separate processes: a bad candidate cannot harm the
 * caller's process. */
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
    const char *database; /* a database of explorations; NULL: none */
    bool create; /* the first MEASURE or PATIENT plan creates an absent database */
    const char *const *rules; /* additional files of rules; NULL: none */
    int rule_count;
};

/* 'options' may be NULL: no database. Functions whose names end in _sized take the size
 * of the options that follow, sizeof in C, since later versions have longer options
 * (docs/use-a-kernel.md). */
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
    /* Takes the best kernel of the database for the device, at these sizes or the
     * nearest; otherwise a default kernel. Times nothing, and compiles only one
     * kernel. */
    LIFT_ESTIMATE,
    /* Checks and times the first five such kernels at these sizes and takes the fastest,
     * within seconds. The planner's database keeps correct kernels, so the next ESTIMATE
     * without an exploration takes the same kernel. If the database cannot be written,
     * the plan is still made, and its facts have the reason. */
    LIFT_MEASURE,
    /* Explores for 'seconds', and keeps all trials in the database, if there is one. */
    LIFT_PATIENT
};

/* Returns true to continue a long call, false to end the call. 'user' belongs to the
 * caller. */
typedef bool lift_plan_go_on(void *user);

struct lift_plan_options {
    const char *program; /* text of a .lift program; or NULL and */
    const char *file;    /* the name of its file */
    /* "single" or "double": converts the program to this precision. NULL: no
     * conversion. */
    const char *precision;
    const char *sizes; /* "nx=256,ny=256", each at most once; NULL: defaults */
    /* The element types of the caller's arrays: "f32", or by name "u=f64,v=i32". They
     * must be equal to the types of the program. NULL: no check. */
    const char *types;
    const char *device; /* "host", "opencl:0", ...: see 'lift devices'; NULL: "host" */
    enum lift_plan_effort effort;
    double seconds; /* PATIENT: at most 10^9; 0: 60 seconds */
    /* Steps of the time loop per launch (temporal blocking), from 1 to 16. The plan is
     * for the program with this number of steps (lift_source_steps). lift_plan_execute
     * computes all the steps, and its outputs include the state after the last step.
     * 0: lift_plan_execute computes one step. lift_plan_advance uses the number of steps
     * per launch with the least time a step that the database has for these sizes, and
     * computes the remainder with fewer. 1: single steps only. */
    int steps;
    /* The caller's stream, which receives all work of the plan and outlives the plan. A
     * stream is a CUstream (or cudaStream_t), a hipStream_t, or an in-order
     * cl_command_queue. The stream belongs to the plan's device, for CUDA and HIP to its
     * primary context. NULL: the default stream, or a separate queue of the plan. The
     * host has no streams. */
    void *stream;
    /* MEASURE and PATIENT call this function about every 50 ms, in the caller's thread.
     * If the function returns false, no plan is made and the error is
     * LIFT_ERROR_STOPPED. The planner's database keeps the trials of PATIENT up to this
     * moment. NULL: no call. */
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

/* ---- inputs and outputs */

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
 * are float, double, int32_t, or one byte (0 or 1). An array of tuples is a separate
 * array for each member. Lanes of vectors are the last dimension. Texts belong to the
 * plan. */
struct lift_plan_array {
    const char *name; /* name of the program's input or output */
    enum lift_plan_type type;
    int dims;
    int64_t length[LIFT_PLAN_DIMS];
    int64_t count; /* elements */
    size_t bytes;
};

/* The number of inputs, or of outputs. */
LIFT_API int lift_plan_inputs(const struct lift_plan *plan);
LIFT_API int lift_plan_outputs(const struct lift_plan *plan);
/* Returns false if there is no array with this number. */
LIFT_API bool lift_plan_input(const struct lift_plan *plan, int index,
                              struct lift_plan_array *array);
LIFT_API bool lift_plan_output(const struct lift_plan *plan, int index,
                               struct lift_plan_array *array);

/* A scalar parameter has the program's default until this function sets the parameter.
 * Returns false and an error if there is no parameter called 'name', or if 'value' does
 * not fit its type. Values do not fit if they are too large for f32, fractional or out
 * of range for i32, or neither 0 nor 1 for bool. Numbers of f32 are rounded; infinities
 * and NaN are legal for floats. */
LIFT_API bool lift_plan_set_param(struct lift_plan *plan, const char *name, double value,
                                  struct lift_error *error);

/* ---- execution */

/* Computes one step of the program: reads all inputs and writes all outputs. Each array
 * is one pointer. When the call returns, outputs are complete and inputs unchanged.
 *
 * An output may be the memory of an input (the same pointer) and replaces the input.
 * Inputs may overlap; all other overlaps are rejected. Each pointer has the alignment of
 * its element type: 4 bytes for f32 and i32, 8 for f64, 2 for f16 and bf16. Kernels with
 * vectors need no stricter alignment.
 *
 * On the host, kernels use the caller's arrays without a copy. Exceptions are arrays for
 * which the kernel needs another layout, inputs that the kernel overwrites, and outputs
 * that replace an input still being read. On other devices every array is copied once:
 * for many steps, see lift_plan_advance. */
LIFT_API bool lift_plan_execute(struct lift_plan *plan, const void *const *inputs,
                                void *const *outputs, struct lift_error *error);

/* Computes many steps of a program with a time loop ('time' in the program). 'arrays'
 * are the inputs. Before the call they hold the state before the first step; afterwards,
 * the state before step 'steps' + 1. Inputs that the loop does not change are not
 * written. 'outputs' receive the results of the last step. 'outputs', or any of them,
 * may be NULL: the result is then discarded. The state stays on the device between
 * steps: a call copies the state to the device and back once.
 *
 * Arrays that the loop changes overlap no other array. An output may be the memory of an
 * array (the same pointer) that becomes this output, or that the loop does not change.
 * After a failure on the device, the arrays are unchanged or partly written.
 *
 * 'steps' counts single steps even if a launch of the plan computes several. The
 * remainder comes first, by launches of one step, in a separate call to the device. If
 * 'steps' is less than the steps of a launch, outputs that the single step lacks must be
 * NULL. A program whose own text says 'steps' has no single step and needs a multiple. */
LIFT_API bool lift_plan_advance(struct lift_plan *plan, void *const *arrays,
                                void *const *outputs, int64_t steps,
                                struct lift_error *error);
/* As the functions above, for memory of the plan's device. Pointers are device pointers
 * of CUDA or HIP, or cl_mem objects in the context of the plan's 'stream', which must
 * not be NULL then. Each pointer or object contains the whole array from its beginning.
 * On the host these are the functions above. The rule about overlaps holds; for cl_mem,
 * only equal objects are noticed.
 *
 * Kernels use the caller's memory. Arrays that the kernel overwrites, or for which the
 * kernel needs another layout, are copied on the device. Each call of
 * lift_plan_advance_on_device copies the state once, and waits for the device.
 *
 * lift_plan_execute_on_device also waits if there is no 'stream'. With a stream, the
 * launch is queued after the caller's earlier work. The caller then waits for the stream
 * before destroying the plan, or reading the outputs elsewhere. Without a stream, the
 * arrays must be complete before the call: default streams wait for one another, others
 * do not. */
LIFT_API bool lift_plan_execute_on_device(struct lift_plan *plan,
                                          const void *const *inputs, void *const *outputs,
                                          struct lift_error *error);
LIFT_API bool lift_plan_advance_on_device(struct lift_plan *plan, void *const *arrays,
                                          void *const *outputs, int64_t steps,
                                          struct lift_error *error);
/* Sets a function that may end long calls of the two functions above. They call 'go_on'
 * between launches, in their own thread, about every 50 ms, or after each longer launch.
 * If 'go_on' returns false, the call fails with LIFT_ERROR_STOPPED. The arrays then hold
 * the state after lift_plan_advanced steps, and another call resumes from this state;
 * outputs are undefined. 'go_on' must not use the plan. NULL, the initial value: no
 * call. Returns false if the caller may not use the plan. */
LIFT_API bool lift_plan_watch(struct lift_plan *plan, lift_plan_go_on *go_on, void *user,
                              struct lift_error *error);
/* The steps that the last call of lift_plan_advance or lift_plan_advance_on_device
 * computed: fewer than requested if the call failed. */
LIFT_API int64_t lift_plan_advanced(const struct lift_plan *plan);
LIFT_API bool lift_plan_iterates(const struct lift_plan *plan);

/* ---- facts about a plan */

struct lift_plan_rewrite {
    const char *rule, *position; /* docs/rule-files.md */
};

/* Texts belong to the plan. */
struct lift_plan_facts {
    const char *program, *sizes, *device; /* sizes as JSON */
    /* "exact", "nearest size", "same architecture", "default": lift/chosen.h */
    const char *chosen;
    const char *why; /* 'chosen' in words */
    bool measured;   /* on this device now; otherwise 'gpts' is an estimate from other
                        measurements */
    double gpts;     /* 10^9 grid points a second; 0: unknown */
    int64_t points;  /* grid points that a step updates */
    size_t copied; /* bytes that a call of lift_plan_execute copies for distinct arrays */
    const char *tunables, *flags, *source;
    const struct lift_plan_rewrite *rewrites; /* a default kernel has none */
    int rewrite_count;
    /* The reason why the planner's database lacks the measurements, and a remedy. NULL:
     * the database has them, or there was no measurement. */
    const char *unkept;
    /* The steps per launch that lift_plan_advance uses for long runs, and the speed of
     * this kernel: 10^9 grid points a second, every step counted; 0: unknown. */
    int advance_steps;
    double advance_gpts;
};

LIFT_API const struct lift_plan_facts *lift_plan_facts(const struct lift_plan *plan);

/* ---- several devices, and several processes
 *
 * lift divides the planes of one grid (elements of its outermost dimension) among
 * devices. The program has a time loop. Each device has a part of the planes, and ghost
 * planes, which neighbours exchange between steps. The state stays on the devices from
 * load to fetch. The rules above about planners, threads, forks and errors hold. */

/* A message to or from the process 'peer', in memory that this process can access. */
struct lift_message {
    void *data;
    size_t bytes; /* may exceed the range of int */
    int peer;     /* rank of the other process */
    int tag;      /* from 0 on; distinguishes messages between two processes */
    bool send;
};

/* Processes that share a grid, each with one device. The communicator belongs to the
 * caller and outlives the parts. With a size of 1 there is no other process. */
struct lift_communicator {
    int rank, size; /* 0 <= rank < size */
    void *user;     /* argument of the function */
    /* Sends and receives all messages, and returns when all are complete; lift does not
     * touch their memory during the call. For each message sent, another process makes a
     * matching call with the same tag and number of bytes. If the exchange fails, the
     * function returns false and describes the failure by lift_fail. The function sets
     * its own time limits. The thread that calls lift calls the function. */
    bool (*exchange)(void *user, const struct lift_message *messages, int count,
                     struct lift_error *error);
};

struct lift_parts;

/* How planes move between devices, in this order: the best available method; copies
 * between devices of one process; memory of the host; the communicator; NCCL. NCCL
 * connects CUDA GPUs of any processes (docs/clusters.md). */
enum lift_exchange {
    LIFT_EXCHANGE_AUTO,
    LIFT_EXCHANGE_PEER,
    LIFT_EXCHANGE_HOST,
    LIFT_EXCHANGE_MESSAGES,
    LIFT_EXCHANGE_NCCL
};

/* Whether exchanges overlap with the computation of other planes. AUTO: if all devices
 * can copy concurrently. YES: always, sequentially if need be. NO: never. */
enum lift_overlap { LIFT_OVERLAP_AUTO, LIFT_OVERLAP_YES, LIFT_OVERLAP_NO };

struct lift_parts_options {
    const char *program, *file, *precision, *sizes; /* as in a plan; whole grid */
    /* "cuda:0,cuda:1=2": each device gets a part of the planes, equal parts or by
     * weights. With a communicator, the one device of this process, "cuda:0". NULL:
     * "host". */
    const char *devices;
    /* The number of parts along the planes, and along the rows of each plane (the second
     * dimension). Their product is the number of devices, or of processes. {0, 0}: only
     * planes are divided. */
    int cut[2];
    int64_t exchange_every; /* launches per exchange; a larger number needs more ghost
                               planes; 0: 1 */
    /* Time limit of a launch with its exchange, for several devices in one process; 0:
     * 600 s. After the limit the call fails. Then only lift_parts_destroy may be called,
     * which does not release memory that the device may still use. */
    double seconds;
    const struct lift_communicator *communicator; /* NULL: one process */
    /* An unavailable method is an error, except for AUTO. lift_parts_words names the
     * method in use. */
    enum lift_exchange exchange;
    enum lift_overlap overlap;
};

/* Chooses kernels as LIFT_ESTIMATE does, for the planes of a part. All processes call
 * this function with the same program, sizes and options except 'devices'. All processes
 * also call the functions marked 'all processes'. A failure in one process is a failure
 * in all. */
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

/* The planes of this process, and the rows of each plane if rows are divided. A single
 * process has the whole grid. If rows are not divided, the number of rows is 0. */
LIFT_API void lift_parts_planes(const struct lift_parts *parts, int64_t *first,
                                int64_t *count);
LIFT_API void lift_parts_rows(const struct lift_parts *parts, int64_t *first,
                              int64_t *count);
/* A description of the division and the exchange; the text belongs to the parts. */
LIFT_API const char *lift_parts_words(const struct lift_parts *parts);
/* Arrays of this process; divided arrays have only the planes and rows of this
 * process. */
LIFT_API int lift_parts_inputs(const struct lift_parts *parts);
LIFT_API int lift_parts_outputs(const struct lift_parts *parts);
LIFT_API bool lift_parts_input(const struct lift_parts *parts, int index,
                               struct lift_plan_array *array);
LIFT_API bool lift_parts_output(const struct lift_parts *parts, int index,
                                struct lift_plan_array *array);
/* As lift_plan_set_param. All processes set the same value, before lift_parts_load. */
LIFT_API bool lift_parts_set_param(struct lift_parts *parts, const char *name,
                                   double value, struct lift_error *error);

/* All processes: copies the inputs to the devices. If this function or
 * lift_parts_advance fails in one process, others may wait in 'exchange' forever: end
 * these processes. */
LIFT_API bool lift_parts_load(struct lift_parts *parts, const void *const *inputs,
                              struct lift_error *error);
/* All processes: computes 'steps' steps. Large multiples of 'exchange_every' are
 * fastest. */
LIFT_API bool lift_parts_advance(struct lift_parts *parts, int64_t steps,
                                 struct lift_error *error);
/* Copies the current state and the results of the last step. 'inputs', 'outputs', and
 * any of their pointers may be NULL: nothing is copied there. Inputs that the time loop
 * does not change are not written. */
LIFT_API bool lift_parts_fetch(struct lift_parts *parts, void *const *inputs,
                               void *const *outputs, struct lift_error *error);

#ifdef __cplusplus
}
#endif

#endif
