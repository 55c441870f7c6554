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

/* What a word of the options stands for. */
enum sim_kind { SIM_NUMBER, SIM_FUNCTION, SIM_NPY, SIM_RAW, SIM_POINTS };

struct sim_value {
    const struct sim_word *word;
    enum sim_kind kind;
    double number;
    struct grid_pages pages; /* of a file */
    struct npy npy;
    const struct sim_points *points;
};

/* What ranks tell one another before a launch. */
struct sim_turn {
    int stop; /* a signal; 0: none */
    bool look;
    double launch_seconds;
};

/* The last look for NaN and infinities. */
struct sim_look {
    double seconds; /* that it took; before the first one, those of a copy of the state */
    double kernels; /* seconds of kernels before it */
};

/* One array of an input. */
struct sim_array {
    struct explore_shape shape;
    size_t bytes;
    struct lift_hash hash;   /* of one that does not change, if there are checkpoints */
    bool changes;            /* by the time loop */
    struct sim_value *value; /* NULL: it is in the checkpoint */
    struct grid_pages own;
    void *data; /* in 'own' or in pages of a file */
};

/* An array to be written: an input's, or an output that becomes none. */
struct sim_field {
    int in, out; /* one of them is -1 */
};

/* An array as it is after each launch. */
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
    const char **size_from; /* who says so */
    int size_count;
    struct explore_problem *problem;
    struct sim_value *values;
    int value_count;
    struct sim_array in[EXPLORE_MAX_LEAVES];
    struct explore_shape out[EXPLORE_MAX_LEAVES];
    int in_count, out_count;
    struct grid_pages from; /* the checkpoint from which the run resumes */
    double copy_gbs;        /* 0: unknown */
    struct lift_planner *planner;
    struct parts *parts;
    struct lift_plan *plan; /* of most launches of the first part */
    double launch_seconds;  /* of the plan that is on the device; 0: unknown */
    struct sim_writer writer;
    struct sim_record *records; /* of each --record */
    struct team team;           /* this process and others */
    struct ranks *ranks;        /* NULL: there is one process */
    struct sim_turn turn;
    struct sim_look look;
    int64_t step;
    int64_t fetched; /* the step whose state the arrays have */
    double since;    /* the end of the last lap */
    double began;    /* the first step */
};

/* False; the result gets the end and the reason. */
bool sim_fail(struct sim *s, enum sim_end end, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* False; the result's error describes why already, and its code says which end it is. */
bool sim_fail_by_code(struct sim *s);
/* False; the result's error describes why already, and gets "WHAT: " unless that is NULL.
 */
bool sim_fail_as(struct sim *s, enum sim_end end, const char *what);
/* What passed since the last lap is of this stage. */
void sim_lap(struct sim *s, enum sim_stage stage);
/* "f32 [3][4]" */
void sim_add_shape(struct lift_str *out, const struct explore_shape *shape);

/* simulation_inputs.c: makes the problem with the sizes of options and files, and its
 * arrays with values. */
bool sim_read_inputs(struct sim *s);
void sim_free_inputs(struct sim *s);
/* simulation_fill.c: the elements of all arrays. Threads may be started: once there is a
 * plan. */
bool sim_fill_inputs(struct sim *s);

/* points/simulation_points.c: two inputs of one --points. */
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
/* The steps of a launch with which the run takes least time; 0: there is no kernel. */
int sim_best_steps(const struct sim_found *found);
/* The plan of one device, of 'at_once' steps a launch if it can be. */
bool sim_make_plan(struct sim *s, int at_once);
/* simulation_parts.c: the parts of the grid, with their plans. */
bool sim_make_parts(struct sim *s);
/* Names the kernels of a run, of all processes. */
bool sim_kernel(struct sim *s, struct lift_hash *out);

/* simulation_output.c: an array of the program by its name, which it has. */
struct sim_field sim_field_of(const struct sim *s, const char *name);
const struct explore_shape *sim_shape_of(const struct sim *s, struct sim_field f);
size_t sim_bytes_of(const struct explore_shape *shape);
/* The array as the last launch left it on the device. */
bool sim_fetch_field(struct sim *s, struct sim_field f, void *grid);
/* The header of a .npy file; nothing for files of raw elements. */
void sim_add_header(struct lift_str *out, const char *path,
                    const struct explore_shape *shape);
/* Whether there is one of this name. */
bool sim_check_name(struct sim *s, const char *name);
/* Whether there are arrays of these names, and places for files. */
bool sim_check_outputs(struct sim *s);
bool sim_write_snapshots(struct sim *s);
/* Waits for what is being written. */
bool sim_end_writer(struct sim *s);
/* All of --out; looks for NaN and infinities. */
bool sim_write_outputs(struct sim *s);

/* steps/simulation_finite.c: whether all elements are finite; if not, the result says so.
 * False if other processes are lost. */
bool sim_check_finite(struct sim *s, struct sim_field f, const void *data);
/* The same of all arrays that the time loop changes, which are fetched. */
bool sim_check_state(struct sim *s);
/* Whether this process would look after the next launch. */
bool sim_is_look_due(const struct sim *s);
/* After a launch: looks at the state if it is time to. False if it failed, or if the
 * result says that an element is not finite. */
bool sim_look(struct sim *s);

/* The steps of each launch while there are records; other launches compute a multiple of
 * them. */
static inline int sim_launch_steps(const struct sim *s)
{
    return plan_launch_steps(s->problem);
}
/* checkpoints/simulation_records.c: stores a row of each record after a launch. */
bool sim_record(struct sim *s);
/* Rows of a record so far. */
int64_t sim_record_rows(const struct sim *s, const struct sim_record *r);
/* Takes rows that end with the current step, from a checkpoint. */
bool sim_take_rows(struct sim *s, int record, const void *rows, int64_t count);
/* Whether an option before this one records the same array. */
bool sim_record_again(const struct sim *s, int record);
/* Writes the files, after the last launch. */
bool sim_write_records(struct sim *s);
void sim_free_records(struct sim *s);

/* checkpoints/checkpoint.c and checkpoint_read.c: whether the file of --resume is a
 * checkpoint of this program and these sizes: looked at before anything is compiled. */
bool sim_open_checkpoint(struct sim *s);
/* The arrays that the time loop changes, as they were after some step, with
 * a head of text that says of what run they are. */
bool sim_save_checkpoint(struct sim *s);
/* Of the inputs that do not change, if there are checkpoints. */
bool sim_hash_inputs(struct sim *s);
/* Points the arrays into the file, and sets the step. */
bool sim_load_checkpoint(struct sim *s);

/* simulation_steps.c: the state on the device to the arrays. */
bool sim_fetch_state(struct sim *s);

#endif
