/* 'lift show --decisions': what the trials of a database say of the options of decisions,
 * and which rules they used. */
#ifndef CLI_SHOW_DECISIONS_H
#define CLI_SHOW_DECISIONS_H

#include "cli/cli.h"
#include "rules/decision.h"

/* A problem on a device that was asked for. */
struct cli_subject_results {
    struct lift_hash problem, device;
    struct lift_db_explored explored;
    int64_t points, trials; /* expressions that are points, and their trials */
    bool has_best;          /* there is a verified kernel */
    const char *best; /* its options that are not the default; NULL: none are stored */
    struct lift_hash best_expr;
};

/* An option: built in, or of the database alone. */
struct cli_option_results {
    const char *decision, *option;
    const struct lift_option *known; /* NULL: it is not built in */
    int64_t exprs, trials, verified;
    double share;     /* the most of a best kernel's speed; 0: unknown */
    int best;         /* best kernels that have it */
    int last_subject; /* the subject that was counted last */
    int subjects;     /* in which it was tried */
};

struct cli_decisions {
    struct lift_arena *arena;
    struct lift_rules *rules; /* those that are built in */
    struct cli_subject_results *subjects;
    int subject_count;
    struct cli_option_results *options; /* those of a decision together */
    int option_count;
    bool *fired; /* of the rules, by index */
    const char **foreign;
    int foreign_count; /* rules of derivations that are not built in */
};

/* Reads them; false if the database says no. Released in any case. */
bool cli_decisions_load(struct cli_decisions *d, struct lift_db *db,
                        const struct report_wanted *wanted);
void cli_decisions_fini(struct cli_decisions *d);
/* A rule that is neither a macro nor in any derivation. */
bool cli_decisions_unused(const struct cli_decisions *d, const struct lift_rule *rule);

/* The whole answer; the exit status. */
int cli_show_decisions(struct lift_db *db, const struct report_wanted *wanted, bool json);

#endif
