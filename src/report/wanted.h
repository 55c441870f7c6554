/* Selection of rows of a database, and suggestions for an empty selection. */
#ifndef REPORT_WANTED_H
#define REPORT_WANTED_H

#include "lift/program.h"
#include "tuner/db_query.h"

/* Common options of several commands, and their only argument, a program. */
struct report_where {
    const char *db, *device, *size, *program;
    const char *precision; /* "single" or "double" */
    const char *dtype;     /* 'precision' as "f32" or "f64"; NULL: any */
    int64_t steps;         /* 0: any */
};

/* The rows that the options select: 'filter', and matching sizes. */
struct report_wanted {
    const struct report_where *where;
    struct lift_db_filter filter;
    const struct lift_size_setting *sizes;
    int size_count;
};

/* True if these sizes agree with the JSON sizes. An empty list agrees with all. */
bool report_sizes_agree(const struct lift_size_setting *sizes, int count,
                        const char *json);
/* Reads the sizes of a JSON object into 'arena'. Returns their number; 0 if the JSON
 * is no object. */
int report_sizes_of(struct lift_arena *arena, const char *json,
                    struct lift_size_setting **out);

enum report_rows { REPORT_ROWS_BEST, REPORT_ROWS_EXPLORED };
/* Appends the rows that match without some of the options, as the end of a sentence:
 * "; without --device there are: ...". Returns false if the database cannot be read. */
bool report_say_others(struct lift_db *db, enum report_rows rows,
                       const struct report_wanted *wanted, struct lift_str *out);

#endif
