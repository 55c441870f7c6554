/* What rules do to the best kernels: 'lift rules measure'. */
#ifndef CLI_RULES_RULES_MEASURE_H
#define CLI_RULES_RULES_MEASURE_H

#include "cli/cli.h"
#include "explore/explore.h"

enum { MEASURE_RULES = 16, MEASURE_TEXT = 256 };

/* One program, explored for the same time without the rules and with them. */
struct measured {
    char *program;       /* its file without folder and .lift */
    char *sizes, *dtype; /* as in tuner/db.h */
    uint64_t seed;
    struct measured_side {
        int64_t tries;
        double seconds, low, high; /* a launch of the best kernel, as the final with the
                                      other one found: median and its interval (95 %) */
        double gpts;
        struct lift_hash expr;
        char *tunables;
    } sides[2]; /* without, with */
    bool same;  /* one kernel is the best of both */
    bool apart; /* the times are of two finals, since one could not have both */
    const char *rules[MEASURE_RULES]; /* of those measured, in the derivation of the best
                                         kernel with them; each once */
    int rule_count;
    char failure[MEASURE_TEXT]; /* why there is no ratio; "": there is one */
};

enum { MEASURE_WITHOUT, MEASURE_WITH, MEASURE_BOTH, MEASURE_DATABASES };

struct measure_options {
    struct lift_explore_options explore; /* but for source, rules, db, seed and report */
    const struct lift_rules *rules[2];   /* without, with */
    const char *folder;                  /* of the databases, which stay */
    bool quiet;
};

/* Explores, and times both bests in one final. False after a message, with the status,
 * if the program is wrong or the session could not be held. Released by measured_fini. */
bool measure_rules(const struct measure_options *o, const struct lift_source *source,
                   uint64_t seed, struct measured *out, int *status);
void measured_fini(struct measured *m);

/* Adds where the database of a side is, or that of the final (MEASURE_BOTH). */
void measure_path(const char *folder, const char *program, uint64_t seed, int which,
                  struct lift_str *path);

/* How many times as fast as the best kernel without the rules the one with them is; the
 * interval is that of the medians, 0 if they are apart. All 0 if there is none. */
struct measured_ratio {
    double ratio, low, high;
};
struct measured_ratio measured_ratio(const struct measured *m);

/* 'lift rules measure', from that word on. The exit status. */
extern const struct cli_command cli_rules_measure;

#endif
