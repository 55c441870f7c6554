/* Which rows of a database somebody asks for, and what there is if none is. */
#ifndef REPORT_WANTED_H
#define REPORT_WANTED_H

#include "lift/program.h"
#include "tuner/db_query.h"

/* Options that several commands have, and the argument of those that take a program and
 * nothing else. */
struct report_where {
    const char *db, *device, *size, *program;
    const char *precision; /* "single" or "double", and */
    const char *dtype;     /* the same as "f32" or "f64"; NULL: any */
    int64_t steps;         /* 0: any */
};

/* The rows that these options, resolved, leave: 'filter', and sizes that agree. */
struct report_wanted {
    const struct report_where *where;
    struct lift_db_filter filter;
    const struct lift_size_setting *sizes;
    int size_count;
};

/* True if these sizes agree with those of JSON; none agree with all. */
bool report_sizes_agree(const struct lift_size_setting *sizes, int count,
                        const char *json);
/* The sizes in JSON, in 'arena'; returns their number: 0 unless the JSON is an object. */
int report_sizes_of(struct lift_arena *arena, const char *json,
                    struct lift_size_setting **out);

enum report_rows { REPORT_ROWS_BEST, REPORT_ROWS_EXPLORED };
/* Appends the rows that there are without some of the options, as the end of a sentence:
 * "; without --device there are: ...". False if the database cannot be read. */
bool report_say_others(struct lift_db *db, enum report_rows rows,
                       const struct report_wanted *wanted, struct lift_str *out);

#endif
