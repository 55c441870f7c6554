/* Describes a kernel's schedule in words: "tile 6x12x512, block 2x1 points a thread,
 * 8-wide vectors, aligned rows, in place". */
#ifndef REPORT_SCHEDULE_H
#define REPORT_SCHEDULE_H

#include "base/str.h"
#include "rules/rule.h"
#include "tuner/db_query.h"

/* Appends the words of a configuration: 'options' as the database stores them
 * (lift_db_configuration_of), 'tunables' as a JSON object. With 'rules' (may be
 * NULL), former names of options are read as current names. An option or tunable
 * without words is printed as "name=value". An empty schedule is "default schedule". */
void report_schedule(const struct lift_rules *rules, const char *options,
                     const char *tunables, struct lift_str *out);

/* Appends the schedule of a stored expression. Returns false if the database cannot
 * be read. */
bool report_schedule_of(struct lift_db *db, const struct lift_rules *rules,
                        struct lift_hash expr, const char *tunables,
                        struct lift_str *out);

/* Returns the words of one option in 'words', which is cleared first; NULL: the
 * option needs none, or is unknown. */
const char *report_option_words(const char *decision, const char *option,
                                struct lift_str *words);
/* True if the tables have words for a decision or tunable. */
bool report_has_words(const char *name);

#endif
