/* How a kernel is made, in words for people: "tile 6x12x512, block 2x1 points a thread,
 * 8-wide vectors, aligned rows, in place". */
#ifndef REPORT_SCHEDULE_H
#define REPORT_SCHEDULE_H

#include "base/str.h"
#include "rules/rule.h"
#include "tuner/db_query.h"

/* Appends the words of a configuration: 'options' as the database has them
 * (lift_db_configuration_of), 'tunables' as a JSON object. With 'rules' (else NULL)
 * former names of options are read as today's. An option or a tunable without words
 * stands as "name=value". "default schedule" if there is nothing to say. */
void report_schedule(const struct lift_rules *rules, const char *options,
                     const char *tunables, struct lift_str *out);

/* The same of an expression of the database. False if it cannot be read. */
bool report_schedule_of(struct lift_db *db, const struct lift_rules *rules,
                        struct lift_hash expr, const char *tunables,
                        struct lift_str *out);

/* The words of one option, or NULL: none are needed, or it is unknown. In 'words', which
 * is cleared. */
const char *report_option_words(const char *decision, const char *option,
                                struct lift_str *words);
/* Whether a decision, or a tunable, has words here. */
bool report_has_words(const char *name);

#endif
