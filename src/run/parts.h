/* The devices that run the time loop of a program: the one session of plans on several
 * devices and of 'lift run'. One device has all of the grid. Of several, each has a part
 * of the planes (ir/cut.h), or some rows of some planes, its own thread, and ghost planes
 * and rows, which are fetched from its neighbours after some launches: those of planes
 * first, of which those of rows have the corners. */
#ifndef RUN_PARTS_H
#define RUN_PARTS_H

#include "ir/cut.h"
#include "lift/plan.h"
#include "run/planes.h"
#include <pthread.h>

/* The two sides of a dimension. Ends are the sides of all dimensions, those of the first
 * one first: end / PARTS_SIDES is the dimension. */
enum { PARTS_BEFORE, PARTS_AFTER, PARTS_SIDES };
enum { PARTS_DIMS = PLANES_DIMS, PARTS_ENDS = PARTS_DIMS * PARTS_SIDES };

/* A set of sides along the planes. */
#define PARTS_OPEN(side) (1u << (side))
enum { PARTS_CLOSED = 0, PARTS_ALL_OPEN = (1 << PARTS_SIDES) - 1 };

enum { PARTS_PATIENCE = 600 /* seconds */ };
enum { PARTS_MOST = 4096, PARTS_MESSAGES = 2 * PARTS_SIDES * EXPLORE_MAX_LEAVES };
enum { PARTS_TAGS = PARTS_ENDS * EXPLORE_MAX_LEAVES };

/* How planes go from part to part: through memory of this process; by copies from device
 * to device; by messages between processes; by NCCL, between devices of any process. */
enum parts_way { PARTS_HOST, PARTS_PEER, PARTS_MESSAGE, PARTS_NCCL };

/* Memory for a message. */
struct parts_memory {
    void *data;
    size_t bytes;
};

/* What a part has along a dimension that is cut. */
struct part_along {
    int64_t first, own;    /* elements of the grid that are its own */
    int64_t begin, length; /* with ghosts; in a ring, 'begin' may be below 0 */
};

struct part {
    const char *device;
    struct lift_hash kind; /* of the device: see lift_device_hash; the caller's */
    double weight;         /* of its planes, as against other parts */
    struct part_along along[PARTS_DIMS];
    int beside[PARTS_ENDS]; /* the part at each end; -1: none */
    struct lift_plan *plan;
    struct plan_state state;
    struct lift_error error;
    /* Messages received and sent, by their tags, where they go through the host. */
    struct parts_memory staged[2][PARTS_TAGS];
    void *nccl; /* its communicator; NULL: none yet */
    struct parts *all;
    pthread_t thread;
    int64_t launches;        /* of the current call */
    double exchange;         /* seconds in exchanges, with the wait for others */
    struct overlap *overlap; /* run/devices/overlap.h; NULL: the exchange comes after */
    /* Of its thread, under the mutex: launches that are made, when it made its last step,
     * whether it waits for others, whether it is done. */
    int64_t launched;
    double since;
    bool waits, done;
};

/* The program that is cut, at sizes of the whole grid. */
struct parts_program {
    const struct lift_source *source;
    const char *file;      /* that 'source' was loaded from; NULL: from none */
    const char *precision; /* to which it was converted then; NULL: to none */
    const struct explore_problem *problem;
};

/* 'team' outlives the parts, the rest the call of parts_make. */
struct parts_options {
    struct parts_program program;
    /* "host,cuda:1=2.5": numbers are weights, 1 if not given. Of several processes, each
     * has one. */
    const char *devices;
    int cut[PARTS_DIMS]; /* parts along each dimension; 0: planes alone are cut */
    int64_t every;       /* launches between two exchanges; 0: 1 */
    enum lift_exchange exchange;
    enum lift_overlap overlap;
    double patience;   /* seconds for a launch and its exchange; 0: PARTS_PATIENCE */
    bool graphs;       /* launches that come again are one, where a device has graphs */
    bool own_only;     /* the caller's arrays have the part's own elements only */
    struct team *team; /* of several processes, each has the part of its rank */
};

struct parts {
    struct parts_options options;
    const char *devices; /* of all processes */
    struct lift_arena *arena;
    struct lift_ir *ir;
    struct lift_cut cut[PARTS_DIMS];    /* without a size: this dimension is whole */
    const struct lift_program *program; /* of a part */
    /* The same, where the grid continues in memory outside the window: by open ends
     * (PARTS_OPEN). */
    const struct lift_program *opened[1 << PARTS_SIDES];
    struct part *part;            /* those of the same planes side by side */
    int count, along[PARTS_DIMS]; /* all of them; along each dimension */
    struct part *own;             /* the parts of this process */
    int own_count;
    struct team *team;          /* of several processes, each has the part of its rank */
    int64_t length[PARTS_DIMS]; /* of the grid, where it is cut */
    int64_t every;              /* launches between two exchanges */
    int64_t width[PARTS_ENDS][LIFT_MAX_ARGS]; /* planes of an input that are fetched */
    enum parts_way way;
    bool near;   /* planes lie alike at neighbours */
    bool direct; /* messages are in memory of devices */
    struct nccl *nccl;
    struct nccl_id *id;
    bool overlaps;   /* all parts have windows of boundary planes */
    double patience; /* seconds for a launch and its exchange */
    int64_t step;    /* the caller's: before the current launches ... */
    int at_once;     /* ... and steps of a launch */
    struct lift_str words;
    /* Why exchanges do not overlap with the computation although that was requested; the
     * exchange method that is not used, and why; or empty. */
    struct lift_str sequential, detour;
    pthread_mutex_t mutex; /* of the following: all parts meet */
    pthread_cond_t met;
    int arrived, meeting;
    bool failed, stop, off;
    bool hung; /* threads are left behind: nothing of theirs may be released */
};

/* parts.c: cuts the program over the devices of the options, and chooses how they are to
 * exchange. NULL, and the error. Nothing is opened. All processes call this, and the next
 * one. */
struct parts *parts_create(const struct parts_options *options, struct lift_error *error);
/* devices/parts_alike.c: plans of all parts of this process that have none, and how they
 * exchange. False, and the error. */
bool parts_make(struct parts *parts, struct lift_planner *planner,
                struct lift_error *error);
/* The number of devices in such a list. */
int parts_count(const char *devices);
/* Plans, too. */
void parts_destroy(struct parts *parts);
/* devices/parts_plan.c */

/* A program that asks where planes lie is given as text; any other is the one of the
 * file, of which kernels may be known. To be released. */
struct lift_source parts_source(const struct parts *parts);
/* Sides where a part has neighbours. */
unsigned parts_neighbours(const struct part *part);
/* Some planes from one of the grid on, and rows of them; those of a part, with ghosts. */
struct parts_range {
    int64_t first[PARTS_DIMS], count[PARTS_DIMS];
    unsigned open;                  /* ends outside which the grid continues in memory */
    const struct plan_layout *like; /* of its arrays; NULL: as they may lie */
};
struct parts_range parts_range_of(const struct part *part,
                                  const struct plan_layout *like);
/* Sizes at so many planes and rows, "nx=5,nz=7". */
void parts_sizes(const struct parts *parts, const struct parts_range *range,
                 struct lift_str *out);
/* A plan for them, on the device of a part. NULL, and the error, which names the device.
 */
struct lift_plan *parts_make_plan(const struct part *part, struct parts_range range,
                                  struct lift_planner *planner, struct lift_error *error);

/* Which one of the parts along a dimension it is. */
int parts_index(const struct parts *parts, int part, int dim);
/* Whether a dimension is cut, and of an input or an output. */
bool parts_are_along(const struct parts *parts, int dim);
bool parts_cuts(const struct parts *parts, int dim, const struct explore_shape *shape,
                bool input);
/* Once all plans are there, of one process: whether planes lie alike. */
bool parts_are_near(const struct parts *parts);
/* How the planes are shared out, and how they are exchanged. */
void parts_describe(struct parts *parts);

/* Of all plans, before elements are loaded. */
bool parts_set_param(struct parts *parts, const char *name, double value,
                     struct lift_error *error);

/* devices/parts_exchange.c: how parts exchange, before there are plans, and after that;
 * all processes come to the same. */
bool parts_choose_exchange(struct parts *parts, struct lift_error *error);
bool parts_settle_exchange(struct parts *parts, struct lift_planner *planner,
                           struct lift_error *error);
/* devices/parts_alike.c: plans of the windows. False, and why, if there is none, or
 * planes do not lie alike. */
bool parts_make_windows(struct parts *parts, struct lift_planner *planner,
                        struct lift_str *why);
/* Whether there are other processes. */
bool parts_are_shared(const struct parts *parts);

/* Elements of a part's array along a dimension, and where they are in the grid, or in the
 * array that the caller has of it. */
struct part_range {
    int64_t at, grid, count;
};
enum { PARTS_RANGES = 3 };
/* Those that are the part's own, or its ghosts, too: 1 to PARTS_RANGES, in a ring. */
int parts_ranges(const struct part *part, int dim, const struct explore_shape *shape,
                 bool input, bool ghosts, struct part_range out[PARTS_RANGES]);

/* devices/parts_run.c. Arrays are those of the whole grid, or of the planes that are
 * held, in the order of the plans' inputs. False, and the error of the first part that
 * failed, with its device. With planes that are not held, other processes load at the
 * same time. 'single': of one device, the launches are of single steps from now on. */
bool parts_load(struct parts *parts, void *const *arrays, bool single,
                struct lift_error *error);
bool parts_launch(struct parts *parts, int64_t launches, struct lift_error *error);
/* An input, or an output (after a launch), to the array of the whole grid. */
bool parts_fetch(struct parts *parts, int index, bool input, void *array,
                 struct lift_error *error);
/* Seconds of the slowest part in exchanges so far, with its wait for the others. */
double parts_exchange_seconds(const struct parts *parts);
/* The plan of most launches of a part. */
struct lift_plan *parts_main_plan(struct part *part);

/* Planes of an input at one end: ghost planes, or the part's boundary planes, which are
 * ghost planes of its neighbour. */
struct planes parts_planes_at(const struct part *part, int input, int end, bool ghosts);
/* The same of an array that becomes the input. */
struct planes parts_planes_of(const struct part *part, struct planes all, int input,
                              int end, bool ghosts);
/* The other end of the same dimension. */
static inline int parts_opposite(int end)
{
    return end ^ 1;
}

#endif
