/* Kernel families and naive kernels of a database. */
#ifndef REPORT_FAMILY_H
#define REPORT_FAMILY_H

#include "rules/decision.h"
#include "tuner/db_report.h"

/* The built-in families. Released by close (NULL is legal). */
struct report_families;
struct report_families *report_families_open(void);
void report_families_close(struct report_families *f);
/* The built-in rules, which define the families. */
const struct lift_rules *report_families_rules(const struct report_families *f);

/* Finds the family nearest to 'options', which the database stores of an expression
 * (lift_db_configuration_of). The family must support the device, and share at least
 * half of its named options. An option that differs from the family's counts twice as
 * much as an additional option. '*changes' is the number of different decisions.
 * Returns NULL if there is no such family, or 'options' cannot be read. */
const struct lift_family *report_family_of(const struct report_families *f,
                                           const char *options, int *changes);

/* Appends 'options' with current names, or unchanged if the options cannot be read. */
void report_options_today(const struct report_families *f, const char *options,
                          struct lift_str *out);

/* The option of a decision that a configuration does not name; NULL: unknown
 * decision. */
const char *report_default_option(const struct report_families *f, const char *decision);

/* The time of a naive kernel on a device, from the newest final benchmark. If that
 * benchmark timed none outside its places, the first trial of a session counts. Its
 * options must be those of a family marked 'explore plain', with which sessions
 * begin. */
struct report_naive {
    char trial[LIFT_HASH_HEX];
    double seconds;   /* median of the newest final benchmark, or of the trial */
    double low, high; /* 95 % interval of the median */
    bool confirmed;   /* timed in a final benchmark */
};
/* Returns false if the database cannot be read. '*found' is false if there is no such
 * trial. */
bool report_naive_find(const struct report_families *f, struct lift_db *db,
                       struct lift_hash problem, struct lift_hash device,
                       struct report_naive *out, bool *found);

#endif
