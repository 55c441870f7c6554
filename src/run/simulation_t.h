/* The inside of a simulation, shared by the files simulation*.c. */
#ifndef RUN_SIMULATION_T_H
#define RUN_SIMULATION_T_H

#include "explore/explore.h"
#include "run/grid_file.h"
#include "run/npy.h"
#include "run/parts.h"
#include "run/plan.h"
#include "run/ranks/team.h"
#include "run/simulation.h"
#include "tuner/db_query.h"
#include <pthread.h>

/* The meaning of a word of the options. */
enum sim_kind { SIM_NUMBER, SIM_FUNCTION, SIM_NPY, SIM_RAW, SIM_POINTS };

struct sim_value {
    const struct sim_word *word;
    enum sim_kind kind;
    double number;
    struct grid_pages pages; /* of a file */
    struct npy npy;
    const struct sim_points *points;
};

/* The message of each rank to the others before a launch. */
struct sim_turn {
    int stop; /* a signal; 0: none */
    bool look;
    double launch_seconds;
};

/* The last search for NaN and infinities. */
struct sim_look {
    double seconds; /* of the search; before the first search: of a copy of the state */
    double kernels; /* seconds of kernels before the search */
};

/* One array of an input. */
struct sim_array {
    struct explore_shape shape;
    size_t bytes;
    struct lift_hash hash;   /* of an unchanging array, if there are checkpoints */
    bool changes;            /* the time loop changes the array */
    struct sim_value *value; /* NULL: the checkpoint has the array */
    struct grid_pages own;
    void *data; /* in 'own' or in pages of a file */
};

/* An array to write: an input, or an output that becomes no input. */
struct sim_field {
    int in, out; /* one of them is -1 */
};

/* An array recorded after each launch. */
struct sim_record {
    int64_t first; /* the step before the first row */
    struct grid_pages pages;
};

/* Writes one snapshot while kernels run. */
struct sim_writer {
    pthread_t thread;
    bool runs, good;
    char *path;
    struct grid_pages pages;
    struct lift_str header, why;
    struct grid_part parts[2];
};

struct sim {
    struct sim_options options;
    struct sim_result result;
    struct lift_arena *arena;
    struct lift_source source;
    struct lift_size_setting *sizes;
    const char **size_from; /* the source of each size, for messages */
    int size_count;
    struct explore_problem *problem;
    struct sim_value *values;
    int value_count;
    struct sim_array in[EXPLORE_MAX_LEAVES];
    struct explore_shape out[EXPLORE_MAX_LEAVES];
    int in_count, out_count;
    struct grid_pages from; /* the checkpoint from which the run resumes */
    double copy_gbs;        /* 0: unknown */
    bool in_cache;          /* copy_gbs is that of the last-level cache */
    struct lift_planner *planner;
    struct parts *parts;
    struct lift_plan *plan;               /* of most launches of the first part */
    struct depth_split todo;              /* launches until the next stop */
    int64_t launches[LIFT_MAX_STEPS + 1]; /* so far, by their steps; of one device */
    double launch_seconds;                /* of the current plan; 0: unknown */
    struct sim_writer writer;
    struct sim_record *records; /* of each --record */
    struct team team;           /* this process and others */
    struct ranks *ranks;        /* NULL: one process */
    struct sim_turn turn;
    struct sim_look look;
    int64_t step;
    int64_t fetched; /* the step of the state in the host arrays */
    double since;    /* the end of the last lap */
    double began;    /* the first step */
};

/* Returns false; the result gets the end and the reason. */
bool sim_fail(struct sim *s, enum sim_end end, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns false and sets the end by the code of the result's error. */
bool sim_fail_by_code(struct sim *s);
/* Returns false and sets the end. The result's error gets the prefix "WHAT: ", unless
 * 'what' is NULL. */
bool sim_fail_as(struct sim *s, enum sim_end end, const char *what);
/* Adds the time since the last lap to a stage. */
void sim_lap(struct sim *s, enum sim_stage stage);
/* Appends a type such as "f32 [3][4]". */
void sim_add_shape(struct lift_str *out, const struct explore_shape *shape);

/* simulation_inputs.c: makes the problem with the sizes of options and files, and its
 * arrays with values. */
bool sim_read_inputs(struct sim *s);
void sim_free_inputs(struct sim *s);
/* simulation_fill.c: fills the elements of all arrays. This call may start threads, so
 * the plan must exist. */
bool sim_fill_inputs(struct sim *s);

/* points/simulation_points.c: reads the two inputs of one --points. */
bool sim_read_points(struct sim *s, const struct sim_word *word, struct sim_value out[2]);
bool sim_check_points(struct sim *s, const struct sim_array *a);
void sim_fill_points(const struct sim *s, const struct sim_array *a);

/* simulation_plan.c: the kernels that the database has for a problem on a kind of device.
 */
struct sim_found {
    struct sim *s;
    const struct explore_problem *problem;
    struct lift_hash device;
    double gpts[LIFT_MAX_STEPS + 1]; /* by the steps of a launch; 0: none */
};
bool sim_find(struct sim_found *found);
/* Makes the plans of one device: of single steps, and of several steps a launch if these
 * take less time. The plan of most steps becomes 's->plan'. */
bool sim_make_plan(struct sim *s);
/* Lists the runs of steps between the steps whose state is needed. Of a long simulation,
 * the first ones. Returns their number. */
enum { SIM_RUNS = 64 };
int sim_list_runs(const struct sim *s, struct depth_run out[SIM_RUNS]);
/* simulation_depth.c: chooses temporal blocking for several devices by the figures of the
 * database, before plans exist. All processes call this function. */
bool sim_deepen(struct sim *s);
/* simulation_parts.c: makes the parts of the grid with their plans. */
bool sim_make_parts(struct sim *s);
/* Hashes the kernels of all processes of the run. */
bool sim_kernel(struct sim *s, struct lift_hash *out);

/* simulation_output.c: finds an array of the program by name; the name must exist. */
struct sim_field sim_field_of(const struct sim *s, const char *name);
const struct explore_shape *sim_shape_of(const struct sim *s, struct sim_field f);
size_t sim_bytes_of(const struct explore_shape *shape);
/* Copies an array from the device, as the last launch left it. */
bool sim_fetch_field(struct sim *s, struct sim_field f, void *grid);
/* Appends the header of a .npy file; nothing for files of raw elements. */
void sim_add_header(struct lift_str *out, const char *path,
                    const struct explore_shape *shape);
/* Returns true if the program has an array of this name. */
bool sim_check_name(struct sim *s, const char *name);
/* Checks the names of arrays in the options, and the paths of files. */
bool sim_check_outputs(struct sim *s);
bool sim_write_snapshots(struct sim *s);
/* Waits for the snapshot in progress. */
bool sim_end_writer(struct sim *s);
/* Writes all files of --out, and searches for NaN and infinities. */
bool sim_write_outputs(struct sim *s);

/* steps/simulation_finite.c: searches an array for NaN and infinities; the result reports
 * the first one. Returns false if other processes are lost. */
bool sim_check_finite(struct sim *s, struct sim_field f, const void *data);
/* Likewise for all arrays that the time loop changes; the caller has fetched them. */
bool sim_check_state(struct sim *s);
/* Returns true if this process would search the state after the next launch. */
bool sim_is_look_due(const struct sim *s);
/* Searches the state after a launch, if the search is due. Returns false if the search
 * fails or finds an element that is not finite. */
bool sim_look(struct sim *s);

/* Returns the steps of each launch while there are records; other launches compute a
 * multiple of this number. */
static inline int sim_launch_steps(const struct sim *s)
{
    return plan_launch_steps(s->problem);
}
/* checkpoints/simulation_records.c: stores a row of each record after a launch. */
bool sim_record(struct sim *s);
/* Returns the number of rows of a record so far. */
int64_t sim_record_rows(const struct sim *s, const struct sim_record *r);
/* Copies rows from a checkpoint; the last row is of the current step. */
bool sim_take_rows(struct sim *s, int record, const void *rows, int64_t count);
/* Returns true if an earlier option records the same array. */
bool sim_record_again(const struct sim *s, int record);
/* Writes the files of records, after the last launch. */
bool sim_write_records(struct sim *s);
void sim_free_records(struct sim *s);

/* checkpoints/checkpoint.c and checkpoint_read.c: checks that the file of --resume is a
 * checkpoint of this program at these sizes, before any compilation. */
bool sim_open_checkpoint(struct sim *s);
/* Writes the arrays that the time loop changes, after the current step, with a text head
 * that identifies the run. */
bool sim_save_checkpoint(struct sim *s);
/* Hashes the inputs that do not change, if there are checkpoints. */
bool sim_hash_inputs(struct sim *s);
/* Points the arrays into the file, and sets the step. */
bool sim_load_checkpoint(struct sim *s);

/* simulation_steps.c: copies the state from the device to the arrays. */
bool sim_fetch_state(struct sim *s);
/* Returns the next step after 'step' after which the run writes or checks arrays. */
int64_t sim_next_stop(const struct sim *s, int64_t step);

#endif
