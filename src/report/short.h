/* Long things in few words. */
#ifndef REPORT_SHORT_H
#define REPORT_SHORT_H

#include "tuner/db_report.h"

/* Tunables as JSON: "tile_x=384 block_x=64 compiler=gcc". */
void report_tunables_short(const char *json, struct lift_str *out);
/* The same as an object, which the caller releases. Another text becomes a string. */
json_t *report_tunables_json(const char *json);
/* How an expression was made: its macros, and the rules outside of any, with 'between'
 * between them; nothing for a root. False if the database says no. */
bool report_how_short(struct lift_db *db, struct lift_hash expr, const char *between,
                      struct lift_str *out);

/* The best candidates of a problem on a device, each once: those of the newest final
 * benchmark benchmark in its order, the others by their times; before these only those of
 * later sessions that beat it beyond doubt. */
struct report_top {
    int most; /* so many at most */
    struct report_top_row {
        struct lift_hash expr;
        char trial[LIFT_HASH_HEX], candidate[LIFT_HASH_HEX];
        char *tunables;                        /* malloc'd */
        double seconds, gpts, gbs, copy_share; /* as in struct lift_db_best */
        double low, high; /* interval of 'seconds' in the final benchmark, or 0 */
        bool tied;        /* cannot be told from the one before it */
        bool confirmed;   /* in the final benchmark */
    } * rows;
    int count;
};
/* False if the database says no; released with report_top_fini in any case. */
bool report_top_load(struct report_top *top, struct lift_db *db, struct lift_hash problem,
                     struct lift_hash device);
void report_top_fini(struct report_top *top);

#endif
