/* The inside of a plan, shared by the files plan*.c. */
#ifndef RUN_PLAN_H
#define RUN_PLAN_H

#include "base/sized.h"
#include "explore/buffer_layout.h"
#include "explore/program_arrays.h"
#include "lift/plan.h"
#include "run/chosen.h"
#include "run/rotation.h"
#include "tuner/worker.h"
#include <stdatomic.h>
#include <sys/types.h>

enum { PLAN_MAX_BINDS = 96 };

/* Who may use a planner or a plan: the process that made it, one thread at a time. */
struct plan_owner {
    pid_t process;
    atomic_bool busy;
};

struct lift_planner {
    struct plan_owner owner;
    struct lift_rules *rules;
    struct lift_str rule_files; /* name and text of each, with a NUL behind each */
    struct lift_db *db;         /* NULL: none, or not yet */
    char *path;                 /* of the database; NULL: none */
};

/* Where the elements of an array are on the device. */
struct plan_buffer {
    struct lift_buffer *buffer; /* NULL: not allocated yet */
    void *whole; /* on the host, the memory of an array that is laid out, halo included */
};

/* An array of the caller and what the kernel makes of it. */
struct plan_array {
    struct explore_shape shape;
    struct place place;
    size_t bytes; /* of the caller's array */
    /* Inputs: the output that is stored in it; outputs: the input where it is; or -1. */
    int shared_with;
    enum lift_next next; /* inputs: of the time loop ... */
    int next_index;      /* ... the array, among inputs or outputs */
};

/* Buffers of arrays, kept from call to call. */
struct plan_pool {
    struct rotation_pool turn;
    struct plan_buffer buffers[ROTATION_BUFFERS];
    int count; /* that have memory */
};
_Static_assert(ROTATION_ARRAYS == 2 * EXPLORE_MAX_LEAVES, "inputs and outputs");

/* Launches of a time loop that begin with its inputs in certain buffers. */
struct plan_graph {
    struct rotation_array before[ROTATION_ARRAYS];
    struct rotation_array after[ROTATION_ARRAYS]; /* outputs are of the last launch */
    int64_t launches;
    struct lift_graph *graph; /* NULL: they came once */
};

/* 24: buffer rotations with a period of 2, 3 or 4 launches end as they began. */
enum { PLAN_GRAPHS = 16, PLAN_GRAPH_LAUNCHES = 24 };
struct plan_graphs {
    bool wanted;
    struct plan_graph list[PLAN_GRAPHS];
    int count;
    unsigned next;       /* where room is looked for */
    int64_t longest;     /* launches of a graph that was used; 0: none was */
    struct lift_str why; /* they are not used, though they were wanted; or empty */
};

/* Of lift_plan_watch, and how far the last call came. */
struct plan_watch {
    lift_plan_go_on *go_on; /* NULL: nothing is called */
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
    struct lift_buffer *between; /* of planes without gaps: on their way to the host */
    size_t between_bytes;
    struct plan_graphs graphs; /* of the pool's buffers */
    struct lift_plan *single;  /* of one step, if this one computes several; or NULL */
    struct lift_plan_facts facts;
    struct lift_str unkept; /* why the measurements are not in the database; or empty */
    bool iterates;
    void *stream; /* the caller's; NULL: none */
};

/* How the arrays of a plan lie in memory, whatever the number of their outermost
 * elements, and wherever they begin; and which results are stored in which inputs. */
struct plan_layout {
    struct lift_hash places, shared;
    const char *tunables; /* of such a kernel, the plan's; or NULL */
};
/* The kernel that is wanted: the layout of its arrays, or NULL: any; the program that has
 * it, or NULL: this program; its plan_kernel_hash, or NULL: any. */
struct plan_wanted {
    const struct plan_layout *like;
    const struct lift_hash *known_as;
    const struct lift_hash *kernel;
};
/* Of its expression and tunables. */
struct lift_hash plan_kernel_hash(const struct chosen_candidate *candidate);
/* A plan with ESTIMATE, by such a kernel. */
struct lift_plan *plan_create_like(struct lift_planner *planner,
                                   const struct lift_plan_options *options,
                                   const struct plan_wanted *wanted,
                                   struct lift_error *error);

/* The error of a call that may be given none: emptied, or the call's own. */
struct lift_error *plan_begin(struct lift_error *given, struct lift_error *own);

/* The program of the options, in their precision and of their steps. To be released. */
bool plan_read_source(const struct lift_plan_options *options, struct lift_source *out,
                      struct lift_error *error);

/* Unloads the compiled kernel, if there is one. */
void plan_forget_binary(struct lift_plan *plan);

/* plan_compile.c: the first candidate that compiles and is as wanted. Where none is the
 * wanted kernel, 'gpts' becomes 0, and any kernel is taken. */
bool plan_take_kernel(struct lift_plan *plan, const char *device,
                      const struct plan_wanted *wanted, double *gpts,
                      struct lift_error *error);

/* plan_describe.c: everything that follows from the kernel; 'gpts' as it was measured
 * just now, or 0. */
bool plan_describe(struct lift_plan *plan, double gpts, struct lift_error *error);
/* Needs only the module. */
bool plan_set_arrays(struct lift_plan *plan, struct lift_error *error);
struct plan_layout plan_layout_of(const struct lift_plan *plan);
/* The types that the caller expects (struct lift_plan_options). */
bool plan_check_types(const struct explore_problem *p, const char *types,
                      struct lift_error *error);

/* plan_check.c: what a caller may pass. */
bool plan_check_planner(const struct lift_planner_options *options,
                        struct lift_error *error);
bool plan_check_options(const struct lift_plan_options *options,
                        struct lift_error *error);
/* 'what' has the name: "parameter". */
bool plan_check_value(const char *what, const char *name, enum lift_scalar scalar,
                      double value, struct lift_error *error);

void plan_owner_init(struct plan_owner *owner);
/* False in a child of the process that made it. */
bool plan_owner_here(const struct plan_owner *owner);
/* True if the caller may continue; it then calls plan_leave at the end. 'owner' is NULL
 * if the caller's pointer is NULL; 'what' names that pointer. */
bool plan_enter(struct plan_owner *owner, const char *what, struct lift_error *error);
void plan_leave(struct plan_owner *owner);

/* The arrays of one call. */
struct plan_memory {
    const void *const *inputs;
    void *const *outputs;
    /* Compute many steps. The inputs then hold the new state; outputs are optional. */
    bool steps;
    bool on_device; /* it is the device's, not this process's; set by the following */
    bool handles;   /* pointers are no addresses */
};
/* False if the plan cannot work on such memory. */
bool plan_memory_on_device(const struct lift_plan *plan, struct plan_memory *memory,
                           struct lift_error *error);
bool plan_check_memory(const struct lift_plan *plan, const struct plan_memory *memory,
                       struct lift_error *error);

/* plan_copy.c: buffers of the plan's own. */

/* Allocates buffers and fills halos. */
bool plan_allocate(struct lift_plan *plan, const struct plan_array *array,
                   struct plan_buffer *out, struct lift_error *error);
/* Memory of a stage, and what kernels read around it. */
bool plan_allocate_temp(struct lift_plan *plan, const struct lift_bind *bind,
                        struct lift_buffer **out, struct lift_error *error);
void plan_release(struct lift_plan *plan, struct plan_buffer *buffer);
bool plan_put(struct lift_plan *plan, const struct plan_array *array,
              const struct plan_buffer *to, const void *grid, struct lift_error *error);
bool plan_get(struct lift_plan *plan, const struct plan_array *array,
              const struct plan_buffer *from, void *grid, struct lift_error *error);
void plan_release_all(struct lift_plan *plan);
/* Where the arrays lie, at these values of the parameters: buffers that lie otherwise are
 * released. */
bool plan_place_arrays(struct lift_plan *plan, struct lift_error *error);

/* plan_device.c: of memory on the device, and where that is not the host's. Enqueued
 * only, but for arrays that are laid out. */
bool plan_adopt(struct lift_plan *plan, void *stream, struct lift_error *error);
/* To be released. */
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

/* Of the time loop that a launch computes. */
static inline int plan_launch_steps(const struct explore_problem *p)
{
    return p->program->steps > 1 ? p->program->steps : 1;
}

/* plan_run.c: enqueues all kernels on the buffers that are bound. */
bool plan_launch(struct lift_plan *plan, struct lift_error *error);
bool plan_wait(struct lift_plan *plan, struct lift_error *error);
/* The bind of a buffer by kind and index; -1: there is none. */
int plan_bind(const struct lift_plan *plan, enum lift_bind_kind kind, int index);

/* steps/plan_steps.c: the state of a time loop on the device, in buffers of the plan's
 * pool. '{.plan, .error}' begins. */
struct plan_state {
    struct lift_plan *plan;
    struct rotation turn;
    struct lift_error *error;
    bool on_device;                 /* the caller's arrays are */
    bool copied;                    /* an input that others had, too: by this process */
    const struct plan_watch *watch; /* NULL: launches are not interrupted */
    int64_t launched; /* by plan_state_launch: fewer than wanted if 'watch' ended it */
};
/* Where all arrays are nowhere yet: a state that is not loaded begins so. */
void plan_state_begin(struct plan_state *s);
/* A buffer for an array that is none of those before it: inputs, then outputs. */
bool plan_state_take(struct plan_state *s, bool input, int index);
/* The buffer of an input or output. */
const struct plan_buffer *plan_state_buffer(const struct plan_state *s, bool input,
                                            int index);
/* Of all inputs; the caller has checked the memory. */
bool plan_state_load(struct plan_state *s, void *const *arrays);
/* A launch in three parts: buffers for its outputs, 'plan_launch', and the rotation of
 * outputs to inputs. */
bool plan_state_bind(struct plan_state *s);
bool plan_state_rotate(struct plan_state *s);
/* The current state, and the outputs of the last launch; NULL: not wanted. */
bool plan_state_fetch(struct plan_state *s, void *const *arrays, void *const *outputs);

/* steps/plan_graphs.c */

/* Enqueues launches: as graphs, where these are wanted and launches come again. */
bool plan_state_enqueue(struct plan_state *s, int64_t launches);
/* Launches that are queued before they are waited for. */
enum { PLAN_STEPS_AT_ONCE = 3 * PLAN_GRAPH_LAUNCHES };
/* So many launches that they take about 'seconds', at most 'most', but at least one. One,
 * if it is not known how long a launch takes (0). */
int64_t plan_batch(double launch, double seconds, int64_t most);
/* Returns when the device is ready. True, too, if 'watch' ended it. */
bool plan_state_launch(struct plan_state *s, int64_t launches);
/* Enables CUDA graphs if 'wanted' and if the device has them. */
void plan_want_graphs(struct lift_plan *plan, bool wanted);
/* Whatever they depend on changes: buffers or parameters. */
void plan_graphs_drop(struct lift_plan *plan);
/* "as graphs of 24 launches", or why not; nothing where the device has none. */
void plan_graphs_describe(const struct lift_plan *plan, struct lift_str *out);

/* What lift's program does for a plan, in a process of one thread: with MEASURE it times
 * the first candidates, with PATIENT it explores. Of the options sizes, types, device and
 * seconds count. */
struct plan_job {
    enum lift_plan_effort effort;
    const struct lift_plan_options *options;
    struct lift_source source;
    const struct lift_rules *rules;
    const char *database; /* that is read and written; NULL: none */
};
struct plan_measured {
    struct lift_hash kernel; /* the fastest: plan_kernel_hash */
    double gpts;
    struct lift_str unkept; /* why it could not be stored; or empty */
};

/* plan_worker.c: starts that program and waits for it. 'job' needs no rules, 'out' is
 * NULL where nothing is measured. */
bool plan_ask(const struct lift_planner *planner, const struct plan_job *job,
              struct plan_measured *out, struct lift_error *error);
/* What 'lift worker' serves. */
lift_worker_serve plan_serve;

/* plan_measure.c: the job, done by this process, which forks others. */
bool plan_measure(const struct plan_job *job, struct plan_measured *out,
                  struct lift_error *error);
bool plan_explore(const struct plan_job *job, struct lift_error *error);
/* The program at its sizes, for a device: NULL and diagnostics if it is malformed, or of
 * other types. */
struct lift_chosen *plan_open_choice(const struct plan_job *job,
                                     const struct lift_device_info *device,
                                     struct lift_db *db, struct lift_error *error);

#endif
