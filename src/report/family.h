/* Kernel families of what a database holds, and its naive kernels. */
#ifndef REPORT_FAMILY_H
#define REPORT_FAMILY_H

#include "rules/decision.h"
#include "tuner/db_report.h"

/* The families that ship. Released by close (NULL is legal). */
struct report_families;
struct report_families *report_families_open(void);
void report_families_close(struct report_families *f);
/* The rules that ship, which they are of. */
const struct lift_rules *report_families_rules(const struct report_families *f);

/* The family that is nearest to 'options', which the database stores of an expression
 * (lift_db_configuration_of): it is for such a device, and has at least half of the
 * options that the family names. Another option than the family's counts twice as much as
 * one more. '*changes' is how many decisions differ. NULL: there is none, or 'options'
 * cannot be read. */
const struct lift_family *report_family_of(const struct report_families *f,
                                           const char *options, int *changes);

/* Appends 'options' by the names that ship, or as they are if they cannot be read. */
void report_options_today(const struct report_families *f, const char *options,
                          struct lift_str *out);

/* The option that a decision has where a configuration names none; NULL: the decision is
 * unknown. */
const char *report_default_option(const struct report_families *f, const char *decision);

/* The time of a naive kernel on a device, in the newest final benchmark. If that has none
 * outside its places, the naive kernel is the first trial of a session, where its options
 * are those of a family that is marked 'explore plain': sessions begin with it. */
struct report_naive {
    char trial[LIFT_HASH_HEX];
    double seconds; /* median of the newest final benchmark, or trial if there is none */
    double low, high; /* interval of the median with 95 % confidence */
    bool confirmed;   /* timed in a final benchmark */
};
/* '*found' is false if the database has no such trial. False if it cannot be read. */
bool report_naive_find(const struct report_families *f, struct lift_db *db,
                       struct lift_hash problem, struct lift_hash device,
                       struct report_naive *out, bool *found);

#endif
