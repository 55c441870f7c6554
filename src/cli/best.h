/* One kernel for a program, sizes and a device: shown or written down. */
#ifndef CLI_BEST_H
#define CLI_BEST_H

#include "cli/cli.h"
#include "lift/chosen.h"
#include "lift/explore.h"

enum best_emit { BEST_SHOW, BEST_SOURCE, BEST_HOST, BEST_EXPR, BEST_JSON };

/* What the command was asked, and what it found out of that. */
struct best {
    struct lift_arena *arena;
    const char *db_path, *program, *device, *precision; /* as given; NULL: not */
    bool db_given;
    const char *const *rule_files;
    int rule_count;
    bool force_rules, json;
    enum best_emit emit;
    const char *output; /* NULL: stdout */
    const struct lift_size_setting *sizes;
    int size_count;

    struct lift_db *db; /* NULL: there is none */
    struct lift_source source;
    bool stored;            /* the source is from the database */
    const char *program_id; /* in databases, or a name; NULL: all programs */
    bool here;              /* 'device' is one of this machine ... */
    struct lift_explore_device *probed;
};

/* The type of elements that was asked for; NULL: none was. */
const char *best_dtype(const struct best *b);
/* Loads the program, from a file or the database. False after a message. */
bool best_load(struct best *b, int *status);
/* The kernel for these sizes (instead of the program's own) and this device, shown or
 * written down as asked. Returns the exit status. */
int best_choose(const struct best *b, const struct lift_size_setting *sizes, int count,
                const struct lift_device_info *device);

/* best_rows.c: all kernels that the database has, or else the one that is nearest.
 * Returns the exit status. */
int best_answer(const struct best *b);

#endif
