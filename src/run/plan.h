/* The inside of a plan, shared by the files plan*.c. */
#ifndef RUN_PLAN_H
#define RUN_PLAN_H

#include "base/sized.h"
#include "explore/buffer_layout.h"
#include "explore/program_arrays.h"
#include "explore/rotation.h"
#include "lift/plan.h"
#include "run/chosen.h"
#include "run/depth.h"
#include "tuner/worker.h"
#include <stdatomic.h>
#include <sys/types.h>

enum { PLAN_MAX_BINDS = 96 };

/* The process that may use a planner or plan, with one thread at a time. */
struct plan_owner {
    pid_t process;
    atomic_bool busy;
};

struct lift_planner {
    struct plan_owner owner;
    struct lift_rules *rules;
    struct lift_str rule_files; /* names and texts, alternately, each with a NUL */
    struct lift_db *db;         /* NULL: none, or not yet */
    char *path;                 /* of the database; NULL: none */
};

/* The memory of an array on the device. */
struct plan_buffer {
    struct lift_buffer *buffer; /* NULL: not allocated yet */
};

/* An array of the caller, and its layout in the kernel. */
struct plan_array {
    struct explore_shape shape;
    struct place place;
    size_t bytes; /* of the caller's array */
    /* Inputs: the output that overwrites this input; outputs: the overwritten input; -1:
     * none. */
    int shared_with;
    enum lift_next next; /* inputs: kind of the array that replaces the input ... */
    int next_index;      /* ... and its index among inputs or outputs */
};

/* Buffers of arrays, kept from call to call. */
struct plan_pool {
    struct rotation_pool turn;
    struct plan_buffer buffers[ROTATION_BUFFERS];
    int count; /* buffers with memory */
};
_Static_assert(ROTATION_ARRAYS == 2 * EXPLORE_MAX_LEAVES, "inputs and outputs");

/* Launches of a time loop that begin with its inputs in certain buffers. */
struct plan_graph {
    struct rotation_array before[ROTATION_ARRAYS];
    struct rotation_array after[ROTATION_ARRAYS]; /* with outputs of the last launch */
    int64_t launches;
    struct lift_graph *graph; /* NULL: these launches occurred once so far */
};

/* 24: buffer rotations with a period of 2, 3 or 4 launches end as they began. */
enum { PLAN_GRAPHS = 16, PLAN_GRAPH_LAUNCHES = 24 };
struct plan_graphs {
    bool wanted;
    struct plan_graph list[PLAN_GRAPHS];
    int count;
    unsigned next;       /* the entry to search for room first */
    int64_t longest;     /* most launches of a used graph; 0: no graph was used */
    struct lift_str why; /* why wanted graphs are not used; or empty */
};

/* Arguments of lift_plan_watch, and the progress of the last call. */
struct plan_watch {
    lift_plan_go_on *go_on; /* NULL: no callback */
    void *user;
    int64_t advanced; /* steps */
};

struct lift_plan {
    struct plan_owner owner;
    struct plan_watch watch;
    struct lift_chosen *chosen;
    struct lift_device *device;
    struct plan_array in[EXPLORE_MAX_LEAVES], out[EXPLORE_MAX_LEAVES];
    int input_count, output_count;
    struct lift_buffer *temps[PLAN_MAX_BINDS]; /* by bind */
    struct lift_buffer *bound[PLAN_MAX_BINDS]; /* of the current launch, by bind */
    double params[EXPLORE_MAX_PARAMS];
    struct plan_pool pool;
    struct lift_buffer *between; /* planes without gaps, for transfers to the host */
    size_t between_bytes;
    struct plan_graphs graphs; /* launches on the pool's buffers */
    /* Plans of the same program with other numbers of time steps a launch. They are
     * owned, and share the device of this plan. */
    struct lift_plan *others[DEPTH_KERNELS];
    int other_count;
    struct depth_speeds speeds; /* of this plan and the others */
    struct depth_speeds known;  /* of all kernels that the database has */
    const char *dropped; /* why a faster kernel of several steps is not used; or NULL */
    bool borrows;        /* the device belongs to another plan */
    struct lift_plan_facts facts;
    struct lift_str unkept; /* why the measurements are not in the database; or empty */
    bool iterates;
    void *stream; /* the caller's; NULL: none */
};

/* The memory layout of a plan's arrays, without lengths of the outermost dimension and
 * without offsets; and which results overwrite which inputs. */
struct plan_layout {
    struct lift_hash places, shared;
    const char *tunables; /* of a kernel with this layout, owned by its plan; or NULL */
};
/* The wanted kernel: the layout of its arrays (NULL: any), its program in the database
 * (NULL: this program), its plan_kernel_hash (NULL: any). */
struct plan_wanted {
    const struct plan_layout *like;
    const struct lift_hash *known_as;
    const struct lift_hash *kernel;
    /* The runs for which the plan chooses kernels of several time steps a launch. NULL:
     * the plan has no other kernels. */
    const struct depth_run *runs;
    int run_count;
    /* The plan gets another kernel of so many time steps a launch, without 'runs'; 0: no.
     * 'dropped' gives the reason if there is none. */
    int also;
};
/* Hashes the candidate's expression and tunables. */
struct lift_hash plan_kernel_hash(const struct chosen_candidate *candidate);
/* Makes a plan with ESTIMATE and the wanted kernel. */
struct lift_plan *plan_create_like(struct lift_planner *planner,
                                   const struct lift_plan_options *options,
                                   const struct plan_wanted *wanted,
                                   struct lift_error *error);

/* Returns the caller's error, emptied, or the call's own error if the caller gives NULL.
 */
struct lift_error *plan_begin(struct lift_error *given, struct lift_error *own);

/* Reads the program of the options, with their precision and steps a launch. The caller
 * releases 'out'. */
bool plan_read_source(const struct lift_plan_options *options, struct lift_source *out,
                      struct lift_error *error);

/* Returns the plan, or one of its others, with this number of time steps a launch; NULL:
 * none. */
struct lift_plan *plan_at(struct lift_plan *plan, int at_once);

/* Unloads the compiled kernel, if any. */
void plan_forget_binary(struct lift_plan *plan);

/* plan_compile.c: takes the first wanted candidate that compiles. If the wanted kernel is
 * not found, 'gpts' becomes 0, and the plan takes any kernel. */
bool plan_take_kernel(struct lift_plan *plan, const char *device,
                      const struct plan_wanted *wanted, double *gpts,
                      struct lift_error *error);

/* plan_describe.c: fills in all that follows from the kernel. 'gpts' is the speed of a
 * new measurement, or 0. */
bool plan_describe(struct lift_plan *plan, double gpts, struct lift_error *error);
/* Adds the kernels of several time steps a launch to the facts. */
void plan_describe_depths(struct lift_plan *plan);
/* Needs only the module. */
bool plan_set_arrays(struct lift_plan *plan, struct lift_error *error);
struct plan_layout plan_layout_of(const struct lift_plan *plan);
/* Checks the types that the caller expects (struct lift_plan_options). */
bool plan_check_types(const struct explore_problem *p, const char *types,
                      struct lift_error *error);

/* plan_check.c: checks of the caller's arguments. */
bool plan_check_planner(const struct lift_planner_options *options,
                        struct lift_error *error);
bool plan_check_options(const struct lift_plan_options *options,
                        struct lift_error *error);
/* 'what' is the word before the name in messages: "parameter". */
bool plan_check_value(const char *what, const char *name, enum lift_scalar scalar,
                      double value, struct lift_error *error);

void plan_owner_init(struct plan_owner *owner);
/* Returns false in a child of the process that made the plan or planner. */
bool plan_owner_here(const struct plan_owner *owner);
/* Returns true if the caller may continue; the caller then ends with plan_leave. 'owner'
 * is NULL if the user's pointer is NULL; 'what' names this pointer. */
bool plan_enter(struct plan_owner *owner, const char *what, struct lift_error *error);
void plan_leave(struct plan_owner *owner);

/* The arrays of one call. */
struct plan_memory {
    const void *const *inputs;
    void *const *outputs;
    /* The call computes many steps: the inputs receive the new state, and outputs are
     * optional. */
    bool steps;
    bool on_device; /* device memory; plan_memory_on_device sets this and 'handles' */
    bool handles;   /* the pointers are handles, not addresses */
};
/* Returns false if the plan cannot work on this memory. */
bool plan_memory_on_device(const struct lift_plan *plan, struct plan_memory *memory,
                           struct lift_error *error);
bool plan_check_memory(const struct lift_plan *plan, const struct plan_memory *memory,
                       struct lift_error *error);

/* plan_copy.c: the plan's own buffers. */

/* Allocates buffers and fills halos. */
bool plan_allocate(struct lift_plan *plan, const struct plan_array *array,
                   struct plan_buffer *out, struct lift_error *error);
/* Allocates the memory of an intermediate and fills its halo. */
bool plan_allocate_temp(struct lift_plan *plan, const struct lift_bind *bind,
                        struct lift_buffer **out, struct lift_error *error);
void plan_release(struct lift_plan *plan, struct plan_buffer *buffer);
bool plan_put(struct lift_plan *plan, const struct plan_array *array,
              const struct plan_buffer *to, const void *grid, struct lift_error *error);
bool plan_get(struct lift_plan *plan, const struct plan_array *array,
              const struct plan_buffer *from, void *grid, struct lift_error *error);
void plan_release_all(struct lift_plan *plan);
/* Recomputes the layout of the arrays for the current parameters. Releases buffers whose
 * layout changes. */
bool plan_place_arrays(struct lift_plan *plan, struct lift_error *error);

/* plan_device.c: the caller's stream and memory on a device other than the host. The
 * functions only enqueue copies, except for arrays with a halo or gaps. */
bool plan_adopt(struct lift_plan *plan, void *stream, struct lift_error *error);
/* Wraps the caller's device memory. The caller releases the buffer. */
struct lift_buffer *plan_borrow(struct lift_plan *plan, const void *memory, size_t bytes,
                                struct lift_error *error);
bool plan_put_device(struct lift_plan *plan, const struct plan_array *array,
                     const struct plan_buffer *to, const void *memory,
                     struct lift_error *error);
bool plan_get_device(struct lift_plan *plan, const struct plan_array *array,
                     const struct plan_buffer *from, void *memory,
                     struct lift_error *error);
bool plan_copy_device(struct lift_plan *plan, void *to, const void *from, size_t bytes,
                      struct lift_error *error);

/* Returns the steps of the time loop that a launch computes. */
static inline int plan_launch_steps(const struct explore_problem *p)
{
    return p->program->steps > 1 ? p->program->steps : 1;
}

/* plan_run.c: enqueues all kernels on the bound buffers. */
bool plan_launch(struct lift_plan *plan, struct lift_error *error);
bool plan_wait(struct lift_plan *plan, struct lift_error *error);
/* Returns the bind of a buffer by kind and index; -1: none. */
int plan_bind(const struct lift_plan *plan, enum lift_bind_kind kind, int index);

/* steps/plan_steps.c: the state of a time loop on the device, in buffers of the plan's
 * pool. The caller initialises the state by '{.plan, .error}'. */
struct plan_state {
    struct lift_plan *plan;
    struct rotation turn;
    struct lift_error *error;
    bool on_device; /* the caller's arrays are on the device */
    bool copied;    /* this process copied an input that shared a buffer */
    const struct plan_watch *watch; /* NULL: launches are not interrupted */
    int64_t launched; /* by plan_state_launch: fewer than wanted if 'watch' stopped it */
};
/* Begins a state that is not loaded: no array has a buffer. */
void plan_state_begin(struct plan_state *s);
/* Takes a buffer that no earlier array has. The order of arrays is inputs, then outputs.
 */
bool plan_state_take(struct plan_state *s, bool input, int index);
/* Returns the buffer of an input or output. */
const struct plan_buffer *plan_state_buffer(const struct plan_state *s, bool input,
                                            int index);
/* Loads all inputs; the caller has checked the memory. */
bool plan_state_load(struct plan_state *s, void *const *arrays);
/* Loads all inputs from the state of another plan on the same device, without the host,
 * and releases the buffers of the other plan. Returns false, without an error and with
 * the other state unchanged, if the device cannot copy, or has too little memory for
 * both. */
bool plan_state_take_over(struct plan_state *s, const struct plan_state *from);
/* A launch in three parts: buffers for its outputs, 'plan_launch', and the rotation of
 * outputs to inputs. */
bool plan_state_bind(struct plan_state *s);
bool plan_state_rotate(struct plan_state *s);
/* Copies the current state, and the outputs of the last launch. A NULL array is skipped.
 */
bool plan_state_fetch(struct plan_state *s, void *const *arrays, void *const *outputs);

/* steps/plan_graphs.c */

/* Enqueues launches; repeats launches as graphs if the caller wants graphs. */
bool plan_state_enqueue(struct plan_state *s, int64_t launches);
/* Launches that are enqueued between two waits. */
enum { PLAN_STEPS_AT_ONCE = 3 * PLAN_GRAPH_LAUNCHES };
/* Returns the number of launches that take about 'seconds', from 1 to 'most'. Returns 1
 * if the time of a launch is unknown (0). */
int64_t plan_batch(double launch, double seconds, int64_t most);
/* Launches and waits for the device. Also returns true if 'watch' stopped the launches.
 */
bool plan_state_launch(struct plan_state *s, int64_t launches);
/* Enables CUDA graphs if 'wanted' and if the device has them. */
void plan_want_graphs(struct lift_plan *plan, bool wanted);
/* Drops all graphs. Callers call this before they change buffers or parameters. */
void plan_graphs_drop(struct lift_plan *plan);
/* Appends "as graphs of 24 launches" or the reason against graphs. Appends nothing if the
 * device has no graphs. */
void plan_graphs_describe(const struct lift_plan *plan, struct lift_str *out);

/* The work of lift's program for a plan, in a process of one thread. With MEASURE the
 * program times the first candidates; with PATIENT the program explores. The options
 * sizes, types, device and seconds apply. */
struct plan_job {
    enum lift_plan_effort effort;
    const struct lift_plan_options *options;
    struct lift_source source;
    const struct lift_rules *rules;
    const char *database; /* to read and write; NULL: none */
};
struct plan_measured {
    struct lift_hash kernel; /* plan_kernel_hash of the fastest kernel */
    double gpts;
    struct lift_str unkept; /* why the measurements could not be stored; or empty */
};

/* plan_worker.c: starts lift's program for the job and waits. 'job' needs no rules. 'out'
 * is NULL for PATIENT. */
bool plan_ask(const struct lift_planner *planner, const struct plan_job *job,
              struct plan_measured *out, struct lift_error *error);
/* The service of 'lift worker'. */
lift_worker_serve plan_serve;

/* plan_measure.c: does the job in this process, which forks others. */
bool plan_measure(const struct plan_job *job, struct plan_measured *out,
                  struct lift_error *error);
bool plan_explore(const struct plan_job *job, struct lift_error *error);
/* Opens the program at its sizes, for a device. Returns NULL with diagnostics if the
 * program is malformed or has other types. */
struct lift_chosen *plan_open_choice(const struct plan_job *job,
                                     const struct lift_device_info *device,
                                     struct lift_db *db, struct lift_error *error);

#endif
