/* 'lift show --decisions': results of the options of decisions in a database's
 * trials, and the rules that the trials used. */
#ifndef CLI_SHOW_DECISIONS_H
#define CLI_SHOW_DECISIONS_H

#include "cli/cli.h"
#include "rules/decision.h"

/* A selected problem on a device. */
struct cli_subject_results {
    struct lift_hash problem, device;
    struct lift_db_explored explored;
    int64_t points, trials; /* expressions that are configurations, and their trials */
    bool has_best;          /* a verified kernel exists */
    const char *best;       /* its options that are not the default; NULL: not stored */
    struct lift_hash best_expr;
};

/* An option: built-in, or only in the database. */
struct cli_option_results {
    const char *decision, *option;
    const struct lift_option *known; /* NULL: not built-in */
    int64_t exprs, trials, verified;
    double share;     /* greatest fraction of a best kernel's speed; 0: unknown */
    int best;         /* number of best kernels with the option */
    int last_subject; /* the last counted subject */
    int subjects;     /* number of subjects that tried the option */
};

struct cli_decisions {
    struct lift_arena *arena;
    struct lift_rules *rules; /* the built-in rules */
    struct cli_subject_results *subjects;
    int subject_count;
    struct cli_option_results *options; /* options of a decision are adjacent */
    int option_count;
    bool *fired; /* by rule index: a derivation uses the rule */
    const char **foreign;
    int foreign_count; /* number of rules in derivations that are not built-in */
};

/* Reads the results; false after an error of the database. The caller releases the
 * struct in any case. */
bool cli_decisions_load(struct cli_decisions *d, struct lift_db *db,
                        const struct report_wanted *wanted);
void cli_decisions_fini(struct cli_decisions *d);
/* True for a rule that is not a macro and occurs in no derivation. */
bool cli_decisions_unused(const struct cli_decisions *d, const struct lift_rule *rule);

/* Prints all results; returns the exit status. */
int cli_show_decisions(struct lift_db *db, const struct report_wanted *wanted, bool json);

#endif
