/* Samples of all kernels of the host in turn, and what can be said of them: figures and
 * ratios of those that were taken in one state of the machine (base/states.h). */
#ifndef BENCH_TURNS_H
#define BENCH_TURNS_H

#include "base/states.h"
#include "contest.h"

enum turns_kind { TURNS_OURS, TURNS_PLAIN, TURNS_HAND, TURNS_CEILING, TURNS_KINDS };

struct turn {
    double seconds; /* of one launch */
    double at;      /* when it was taken, in seconds of some clock */
    int state;      /* as lift_states_find says, of all samples of all entries */
};

struct turns_entry {
    char name[REFERENCE_NAME + CONTEST_WAY];
    enum turns_kind kind;
    double bytes; /* that a launch moves, of a ceiling */
    int count;    /* samples: fewer than rounds if it failed later */
    struct turn turns[CONTEST_ROUNDS];
    struct lift_trip trips[CONTEST_ROUNDS]; /* of the samples */
};

enum { TURNS_CEILINGS = 4, TURNS_MOST = 3 * REFERENCE_MOST + 1 + TURNS_CEILINGS };

struct turns_result {
    struct contest_result contest;          /* failure, refused, notes */
    struct turns_entry entries[TURNS_MOST]; /* ours first */
    int count;
    int states; /* of the machine, by rising round trip */
};

/* In a process of its own, which opens the host. */
void turns_hold(struct contest *contest, struct turns_result *out);

/* Finds the states of all samples. */
void turns_find_states(struct turns_result *r);
/* The median round trip of a state in seconds; 0: unknown. */
double turns_round_trip(const struct turns_result *r, int state);
/* Samples that were disturbed. */
int turns_disturbed(const struct turns_entry *e);
/* Of the samples in a state; how many these are. All zero if there are none. */
int turns_figure(const struct turns_entry *e, int state, struct figure *out);
/* How many times as fast 'a' is as 'b': each sample of 'a' in that state (negative: in
 * any) by the nearest in time of those of 'b' that are in the same state; how many. */
int turns_ratio(const struct turns_entry *a, const struct turns_entry *b, int state,
                struct figure *out);
/* The fastest entry of a kind in a state (negative: in that of most samples), by its
 * median; for ceilings by bytes a second. NULL: there is none. */
const struct turns_entry *turns_best(const struct turns_result *r, enum turns_kind kind,
                                     int state);

#endif
