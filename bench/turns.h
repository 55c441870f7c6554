/* Kernels for one program on one device: ours, those written by hand, and the ceilings of
 * the memory. The harness checks all of them, and then times them alternately. Figures
 * and ratios are of samples that were taken in one state of the machine (base/states.h).
 */
#ifndef BENCH_TURNS_H
#define BENCH_TURNS_H

#include "base/states.h"
#include "explore/trial.h"
#include "reference.h"
#include "run/chosen.h"

enum { TURNS_WAY = 32, TURNS_TEXT = 240, TURNS_NOTES = 4000, TURNS_ROUNDS = 101 };

/* How plain loop nests are compiled for the host. */
struct turns_way {
    char name[TURNS_WAY]; /* "gcc, 256 bits" */
    const char *compiler; /* as in LIFT_CC */
    const char *flags;
};

/* Set up by a process that opens no device. */
struct turns_request {
    const struct lift_chosen *chosen; /* our kernel */
    struct bench_reference references[REFERENCE_MOST];
    int reference_count;
    struct explore_bench bench; /* the device, and the expected results */
    int rounds;
    /* Only our kernel, the fastest reference and the driver's copy take part in the
     * rounds, in one state of the machine. Otherwise all kernels and the ceilings of the
     * host take part, and states are distinguished. */
    bool fastest;
    bool note;                    /* the time of each reference becomes a note */
    const struct turns_way *ways; /* plain references are compiled in each of these; */
    int way_count;                /* 0: as ours is */
    const char *flags;            /* of the other references; NULL: as ours */
};

enum turns_kind { TURNS_OURS, TURNS_PLAIN, TURNS_HAND, TURNS_CEILING, TURNS_KINDS };

struct turn {
    double seconds; /* of one launch */
    double at;      /* when it was taken, in seconds of some clock */
    int state;      /* as lift_states_find says, of all samples of all entries */
    struct lift_trip trip;
};

struct turns_entry {
    char name[REFERENCE_NAME + TURNS_WAY];
    enum turns_kind kind;
    double bytes; /* that a launch moves, of a ceiling */
    int count;    /* samples: fewer than rounds if it failed later */
    struct turn turns[TURNS_ROUNDS];
};

enum { TURNS_CEILINGS = 4, TURNS_MOST = 3 * REFERENCE_MOST + 1 + TURNS_CEILINGS };

struct turns_result {
    char failure[TURNS_TEXT];               /* of our kernel; "": there is none */
    struct turns_entry entries[TURNS_MOST]; /* ours first */
    int count;
    int states;                      /* of the machine, by rising round trip */
    struct lift_resources resources; /* of our kernel that has the most registers */
    double error, bound;             /* of its largest deviation */
    double copy;                     /* GB/s of the kernel that copies; 0: unknown */
    int refused;                     /* references that failed or are wrong */
    char notes[TURNS_NOTES];         /* of these, one line each */
};

/* Runs in a separate process, which opens the device. */
void turns_hold(struct turns_request *request, struct turns_result *out);

struct figure {
    double median, low, high; /* low and high: the quartiles */
};

/* Finds the states of all samples. */
void turns_find_states(struct turns_result *r);
/* The median round trip of a state in seconds; 0: unknown. */
double turns_round_trip(const struct turns_result *r, int state);
/* The state with the most samples; -1: no samples. */
int turns_most(const struct turns_result *r);
/* Half the distance of the quartiles, in percent of the median. */
double turns_spread(struct figure f);
/* Samples that were disturbed. */
int turns_disturbed(const struct turns_entry *e);
/* Statistics of the samples in a state, with their number. All zero without samples. */
int turns_figure(const struct turns_entry *e, int state, struct figure *out);
/* Speedup of 'a' over 'b': each sample of 'a' in the state (negative: in any state)
 * divided by the nearest in time of 'b' in the same state; with the number of samples. */
int turns_ratio(const struct turns_entry *a, const struct turns_entry *b, int state,
                struct figure *out);
/* The fastest entry of a kind in a state (negative: in the state with the most samples),
 * by its median; for ceilings by bytes a second. NULL: no entry. */
const struct turns_entry *turns_best(const struct turns_result *r, enum turns_kind kind,
                                     int state);

#endif
