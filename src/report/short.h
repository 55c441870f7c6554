/* Short forms of tunables, derivations and best kernels. */
#ifndef REPORT_SHORT_H
#define REPORT_SHORT_H

#include "tuner/db_report.h"

/* Appends tunables, given as JSON, in the form "tile_x=384 block_x=64 compiler=gcc". */
void report_tunables_short(const char *json, struct lift_str *out);
/* Returns the tunables with current names as an object, which the caller releases.
 * Malformed JSON becomes a string. */
json_t *report_tunables_json(const char *json);
/* Adds "registers", "spill_bytes" and "local_bytes" of a kernel, as its compiler reported
 * them, and the "occupancy" of its block on its device: "share" of the warps, "blocks"
 * and "warps" of a multiprocessor, and the "limit". null: unknown. */
void report_add_resources(json_t *kernel, const struct lift_db_kernel_row *row);
/* Appends the derivation of an expression: its macros, and the rules outside macros,
 * separated by 'between'; nothing for a root. Returns false after an error of the
 * database. */
bool report_how_short(struct lift_db *db, struct lift_hash expr, const char *between,
                      struct lift_str *out);

/* The best candidates of a problem on a device, each once. Candidates of later
 * sessions that clearly beat the newest final benchmark come first. Then come the
 * candidates of that benchmark in its order, then the others by their times. */
struct report_top {
    int most; /* maximum number of rows */
    struct report_top_row {
        struct lift_hash expr;
        char trial[LIFT_HASH_HEX], candidate[LIFT_HASH_HEX];
        char *tunables;                        /* malloc'd */
        double seconds, gpts, gbs, copy_share; /* as in struct lift_db_best */
        bool in_cache;                         /* likewise */
        double low, high; /* interval of 'seconds' in the final benchmark, or 0 */
        bool tied; /* samples cannot distinguish the candidate from the previous one */
        bool confirmed; /* in the final benchmark */
    } * rows;
    int count;
};
/* Loads the rows; false after an error of the database. The caller calls
 * report_top_fini in any case. */
bool report_top_load(struct report_top *top, struct lift_db *db, struct lift_hash problem,
                     struct lift_hash device);
void report_top_fini(struct report_top *top);

#endif
