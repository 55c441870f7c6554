/* Our kernel and those written by hand for the same program, on one device: all are
 * checked, and then timed turn by turn with the driver's copy. */
#ifndef BENCH_CONTEST_H
#define BENCH_CONTEST_H

#include "explore/trial.h"
#include "reference.h"
#include "run/chosen.h"

enum { CONTEST_WAY = 32 };

/* How plain loop nests are compiled for the host. */
struct contest_way {
    char name[CONTEST_WAY]; /* "gcc, 256 bits" */
    const char *compiler;   /* as in LIFT_CC */
    const char *flags;
};

/* Set up by a process that opens no device. */
struct contest {
    const struct lift_chosen *chosen; /* our kernel */
    struct bench_reference references[REFERENCE_MOST];
    int reference_count;
    struct explore_bench bench; /* the device, and what the results should be */
    int rounds;
    bool all;                       /* what each reference takes becomes a note */
    const struct contest_way *ways; /* plain references are compiled in each of these; */
    int way_count;                  /* 0: as ours is */
    const char *flags;              /* of the other references; NULL: as ours */
};

struct figure {
    double median, low, high; /* of the rounds; low and high: the quartiles */
};

enum { CONTEST_TEXT = 240, CONTEST_NOTES = 4000, CONTEST_ROUNDS = 101 };

struct contest_result {
    char failure[CONTEST_TEXT];      /* of our kernel; "": there is none */
    struct figure seconds;           /* of one launch */
    struct lift_resources resources; /* of the kernel that has the most registers */
    double error, bound;             /* of its largest deviation */
    char reference[REFERENCE_NAME];  /* the fastest one; "": there is none */
    struct figure reference_seconds;
    struct figure ratio;             /* how many times as fast as the reference ours is */
    double copy_driver, copy_kernel; /* GB/s, read plus written; 0: unknown */
    int refused;                     /* references that failed or are wrong */
    char notes[CONTEST_NOTES];       /* of these, one line each */
};

/* Sorts the values. */
struct figure contest_figure(double *values, int count);

/* In a process of its own, which opens the device. */
void contest_hold(struct contest *contest, struct contest_result *out);

#endif
