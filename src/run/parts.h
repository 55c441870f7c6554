/* The devices that run the time loop of a program, for plans on several devices and for
 * 'lift run'. A single device has the whole grid. Each of several devices has a thread
 * and a part of the planes (ir/cut.h), or some rows of some planes. A device fetches
 * ghost planes and then ghost rows from its neighbours after some launches; the ghost
 * rows include the corners. */
#ifndef RUN_PARTS_H
#define RUN_PARTS_H

#include "ir/cut.h"
#include "lift/plan.h"
#include "run/planes.h"
#include <pthread.h>

/* The two sides of a dimension. Ends number the sides of all dimensions, dimension by
 * dimension: end / PARTS_SIDES is the dimension. */
enum { PARTS_BEFORE, PARTS_AFTER, PARTS_SIDES };
enum { PARTS_DIMS = PLANES_DIMS, PARTS_ENDS = PARTS_DIMS * PARTS_SIDES };

/* A set of sides along the planes. */
#define PARTS_OPEN(side) (1u << (side))
enum { PARTS_CLOSED = 0, PARTS_ALL_OPEN = (1 << PARTS_SIDES) - 1 };

enum { PARTS_PATIENCE = 600 /* seconds */ };
enum { PARTS_MOST = 4096, PARTS_MESSAGES = 2 * PARTS_SIDES * EXPLORE_MAX_LEAVES };
enum { PARTS_TAGS = PARTS_ENDS * EXPLORE_MAX_LEAVES };

/* The transport of planes: through host memory, by copies from device to device, by
 * messages between processes, or by NCCL. */
enum parts_way { PARTS_HOST, PARTS_PEER, PARTS_MESSAGE, PARTS_NCCL };

/* Memory for a message. */
struct parts_memory {
    void *data;
    size_t bytes;
};

/* The extent of a part along a cut dimension. */
struct part_along {
    int64_t first, own;    /* elements of the grid that the part computes */
    int64_t begin, length; /* with ghosts; 'begin' may be negative on a periodic grid */
};

struct part {
    const char *device;
    struct lift_hash kind; /* of the device: see lift_device_hash; the caller's */
    double weight;         /* its number of planes is proportional to this weight */
    struct part_along along[PARTS_DIMS];
    int beside[PARTS_ENDS]; /* the part at each end; -1: none */
    struct lift_plan *plan;
    struct plan_state state;
    struct lift_error error;
    /* Host copies of received and sent messages, by tag, if messages pass the host. */
    struct parts_memory staged[2][PARTS_TAGS];
    void *nccl; /* the part's communicator; NULL: none yet */
    struct parts *all;
    pthread_t thread;
    int64_t launches; /* of the current call */
    double exchange;  /* seconds in exchanges, with the wait for others */
    struct overlap
        *overlap; /* run/devices/overlap.h; NULL: the exchange follows the launch */
    /* Progress of the part's thread, under the mutex. 'since' is the time of the last
     * progress; 'waits': the thread waits for others. */
    int64_t launched;
    double since;
    bool waits, done;
};

/* The program to cut, at sizes of the whole grid. */
struct parts_program {
    const struct lift_source *source;
    const char *file;      /* the file of 'source'; NULL: none */
    const char *precision; /* 'source' was converted to this precision; NULL: no */
    const struct explore_problem *problem;
};

/* 'team' outlives the parts; the other pointers outlive the call of parts_make. */
struct parts_options {
    struct parts_program program;
    /* "host,cuda:1=2.5": numbers are weights, 1 by default. If there are several
     * processes, each process names one device. */
    const char *devices;
    int cut[PARTS_DIMS]; /* parts along each dimension; 0: cut planes only */
    int64_t every;       /* launches between two exchanges; 0: 1 */
    enum lift_exchange exchange;
    enum lift_overlap overlap;
    double patience;   /* seconds for a launch and its exchange; 0: PARTS_PATIENCE */
    bool graphs;       /* repeat launches as graphs if the device supports graphs */
    bool own_only;     /* the caller's arrays have the part's own elements only */
    struct team *team; /* the processes; each process has the part of its rank */
};

struct parts {
    struct parts_options options;
    const char *devices; /* of all processes */
    struct lift_arena *arena;
    struct lift_ir *ir;
    struct lift_cut cut[PARTS_DIMS];    /* without a size: the dimension is not cut */
    const struct lift_program *program; /* of a part */
    /* The part's program for windows outside which the grid continues in memory. Indexed
     * by open ends (PARTS_OPEN). */
    const struct lift_program *opened[1 << PARTS_SIDES];
    struct part *part;            /* parts of equal planes are adjacent */
    int count, along[PARTS_DIMS]; /* all parts; parts along each dimension */
    struct part *own;             /* the parts of this process */
    int own_count;
    struct team *team;          /* the processes; each process has the part of its rank */
    int64_t length[PARTS_DIMS]; /* of the grid, along cut dimensions */
    /* Launches of 'base' steps between two exchanges. Launches of 'deep' steps are fewer.
     */
    int64_t every;
    int base; /* steps of a launch of the program */
    int deep; /* steps of the launches with temporal blocking; 'base': none */
    struct depth_speeds speeds;               /* of launches of 1 and of 'deep' steps */
    int64_t width[PARTS_ENDS][LIFT_MAX_ARGS]; /* ghost planes of each input */
    enum parts_way way;
    bool near;   /* neighbours have equal memory layouts */
    bool direct; /* messages are in device memory */
    struct nccl *nccl;
    struct nccl_id *id;
    bool overlaps;   /* all parts have windows of boundary planes */
    double patience; /* seconds for a launch and its exchange */
    int64_t step;    /* the caller sets the step before the current launches */
    int at_once;     /* steps of a launch */
    struct lift_str words;
    /* The reason if a requested overlap of exchanges and computation is not used; the
     * exchange method that is not used, with the reason; or empty. */
    struct lift_str sequential, detour;
    struct lift_str shallow; /* the reason if temporal blocking is not used; or empty */
    pthread_mutex_t mutex;   /* protects the following fields */
    pthread_cond_t met;
    int arrived, meeting;
    bool failed, stop, off;
    bool hung; /* some threads never ended: their memory must not be released */
};

/* parts.c: cuts the program over the devices of the options and chooses the exchange
 * method. Opens no device. Returns NULL with the error. All processes call this function
 * and parts_make. */
struct parts *parts_create(const struct parts_options *options, struct lift_error *error);
/* devices/parts_alike.c: makes the missing plans of this process's parts and settles the
 * exchange method. Returns false with the error. */
bool parts_make(struct parts *parts, struct lift_planner *planner,
                struct lift_error *error);
/* Returns the number of devices in a list such as "host,cuda:1=2.5". */
int parts_count(const char *devices);
/* Also destroys the plans. */
void parts_destroy(struct parts *parts);
/* devices/parts_plan.c */

/* Returns the text of the part's program if the program uses the position of planes.
 * Otherwise returns the source of the file, whose kernels the database may have. The
 * caller releases the source. */
struct lift_source parts_source(const struct parts *parts);
/* Returns the sides where a part has neighbours. */
unsigned parts_neighbours(const struct part *part);
/* A range of planes and of their rows; of a part: with ghosts. */
struct parts_range {
    int64_t first[PARTS_DIMS], count[PARTS_DIMS];
    unsigned open;                  /* ends outside which the grid continues in memory */
    const struct plan_layout *like; /* required layout of the arrays; NULL: any */
};
struct parts_range parts_range_of(const struct part *part,
                                  const struct plan_layout *like);
/* Appends the sizes for the planes and rows of a range: "nx=5,nz=7". */
void parts_sizes(const struct parts *parts, const struct parts_range *range,
                 struct lift_str *out);
/* Makes a plan for a range on the device of a part. Returns NULL with the error, which
 * names the device. */
struct lift_plan *parts_make_plan(const struct part *part, struct parts_range range,
                                  struct lift_planner *planner, struct lift_error *error);

/* Returns the position of a part along a dimension. */
int parts_index(const struct parts *parts, int part, int dim);
/* Return true if a dimension is cut, and if an input or output is cut along a dimension.
 */
bool parts_are_along(const struct parts *parts, int dim);
bool parts_cuts(const struct parts *parts, int dim, const struct explore_shape *shape,
                bool input);
/* Returns true if neighbours have equal memory layouts in the plans of 'at_once' steps a
 * launch. For one process with all plans. */
bool parts_are_near(const struct parts *parts, int at_once);
/* Changes the launches between two exchanges and thereby the ghost planes, before plans
 * exist. Returns false if a part has fewer planes than are exchanged; the caller then
 * changes the number again. */
bool parts_set_every(struct parts *parts, int64_t every);
/* "planes" or "rows" */
const char *parts_dim_name(int dim);
/* devices/parts_words.c: describes the distribution of the planes and the exchange method
 * in 'words'. */
void parts_describe(struct parts *parts);

/* Sets a parameter of all plans, before elements are loaded. */
bool parts_set_param(struct parts *parts, const char *name, double value,
                     struct lift_error *error);

/* devices/parts_exchange.c: choose the exchange method before the plans are made, and
 * settle the method with the plans. All processes agree on the method. */
bool parts_choose_exchange(struct parts *parts, struct lift_error *error);
bool parts_settle_exchange(struct parts *parts, struct lift_planner *planner,
                           struct lift_error *error);
/* devices/parts_alike.c: makes the plans of the windows. Returns false with the reason if
 * a plan cannot be made, or if memory layouts differ. */
bool parts_make_windows(struct parts *parts, struct lift_planner *planner,
                        struct lift_str *why);
/* Returns true if other processes have parts, too. */
bool parts_are_shared(const struct parts *parts);

/* A range of elements of a part's array along a dimension, and its position in the grid
 * or in the caller's array. */
struct part_range {
    int64_t at, grid, count;
};
enum { PARTS_RANGES = 3 };
/* Lists the part's own elements, or also its ghosts: 1 to PARTS_RANGES ranges. A periodic
 * grid may need more than one range. */
int parts_ranges(const struct part *part, int dim, const struct explore_shape *shape,
                 bool input, bool ghosts, struct part_range out[PARTS_RANGES]);

/* devices/parts_run.c: loads arrays of the whole grid, or (own_only) of this process's
 * planes, in the order of the plans' inputs. Other processes load at the same time, to
 * exchange ghost planes. Later launches compute 'at_once' steps, for which each part has
 * a plan. Returns false with the error and device of the first part that failed. */
bool parts_load(struct parts *parts, void *const *arrays, int at_once,
                struct lift_error *error);
/* Continues with launches of 'at_once' steps: the state moves to other plans. Ghost
 * planes move as well, so other processes need not take part. Returns false without an
 * error if a single device cannot copy the state; the caller then loads the state. */
bool parts_change(struct parts *parts, int at_once, struct lift_error *error);
bool parts_launch(struct parts *parts, int64_t launches, struct lift_error *error);
/* Copies an input, or an output (after a launch), to the array of the whole grid. */
bool parts_fetch(struct parts *parts, int index, bool input, void *array,
                 struct lift_error *error);
/* Returns the seconds of the slowest part in exchanges so far, waiting included. */
double parts_exchange_seconds(const struct parts *parts);
/* devices/parts_depth.c: temporal blocking. Reduces the speeds of kernels by the share of
 * ghost planes that a launch of so many steps computes twice, and removes speeds for
 * which a part has too few planes. */
void parts_weigh_depths(struct parts *parts, struct depth_speeds *speeds);
/* Prepares launches of 'deep' steps, before plans exist. Each process passes the same
 * speeds. Exchanges no longer overlap with the computation. */
void parts_deepen(struct parts *parts, int deep, const struct depth_speeds *speeds);
/* Keeps launches of 'deep' steps only if all parts of all processes have such plans, with
 * which the exchange is as direct as with single steps. Otherwise 'shallow' gets the
 * reason. Returns false with the error if a process fails. */
bool parts_settle_depth(struct parts *parts, struct lift_error *error);

/* Returns the plan that makes most launches of a part, of single steps if there are
 * launches of several steps. */
struct lift_plan *parts_main_plan(struct part *part);

/* Planes of an input at one end: ghost planes, or the part's boundary planes, which are
 * ghost planes of its neighbour. */
struct planes parts_planes_at(const struct part *part, int input, int end, bool ghosts);
/* Likewise of an array that becomes the input; 'all' has all its planes. */
struct planes parts_planes_of(const struct part *part, struct planes all, int input,
                              int end, bool ghosts);
/* Returns the other end of the dimension. */
static inline int parts_opposite(int end)
{
    return end ^ 1;
}

#endif
