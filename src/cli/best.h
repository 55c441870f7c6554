/* One kernel for a program, sizes and a device: shown or written down. */
#ifndef CLI_BEST_H
#define CLI_BEST_H

#include "cli/cli.h"
#include "explore/explore.h"
#include "lift/chosen.h"

enum best_emit { BEST_SHOW, BEST_SOURCE, BEST_HOST, BEST_HEADER, BEST_EXPR, BEST_JSON };

/* What the command was asked, and what it found out of that. */
struct best {
    struct lift_arena *arena;
    struct report_where where; /* 'db' is set; 'program' NULL: all of them */
    bool db_given;
    const char *const *rule_files;
    int rule_count;
    bool force_rules, json;
    enum best_emit emit;
    int64_t run;        /* the kernel for a run of so many steps; 0: any */
    const char *output; /* NULL: stdout */

    struct lift_db *db;          /* NULL: there is none */
    struct report_wanted wanted; /* rows of the database */
    struct lift_source source;   /* of a file, else loaded when it is needed */
    bool stored;                 /* the source is from the database */
    const char *name;            /* of its program */
    struct lift_source
        file;  /* that of the file, while kernels for a run are looked for */
    bool here; /* the device is one of this machine ... */
    struct lift_explore_device *probed;
};

/* Opens the database if there is one, loads the program of a file, and asks for the
 * device. False after a message, with the status. */
bool best_prepare(struct best *b, int *status);
/* Loads the text of a program as lift_db_program does. */
bool best_load_stored(struct best *b, const struct lift_db_filter *which);
/* The kernel for these sizes (instead of the program's own) and this device, shown or
 * written down as asked. Returns the exit status. */
int best_choose(const struct best *b, const struct lift_size_setting *sizes, int count,
                const struct lift_device_info *device);

/* best_table.c: rows of the database, a line each; the exit status. */
int best_table(struct lift_db *db, const struct lift_db_best *rows, int count);

/* best_again.c: the device of a row becomes the one that was asked for. False after a
 * message. */
bool best_find_device(const struct best *b, struct lift_hash device);
/* The kernel of a row on that device; NULL and the reason if it cannot be made. */
struct lift_chosen *best_again(const struct best *b, const struct lift_db_best *row,
                               const struct lift_rules *rules, struct lift_str *why);

/* best_single.c: for a program of several steps at once, the kernel that these options
 * give for its single step. NULL and the reason if there is none. */
struct lift_chosen *best_single(const struct best *b,
                                const struct lift_choose_options *options,
                                const struct lift_chosen_facts *facts,
                                struct lift_str *why);

/* best_run.c: of rows of one program, sizes and device, leaves that which serves a run of
 * 'run' steps best. False after a message. */
struct best_kernels {
    struct lift_db_best *rows;
    int count, cap;
};
bool best_for_run(const struct best *b, struct best_kernels *kernels);

/* best_rows.c: all kernels that the database has, or else the one that is nearest.
 * Returns the exit status. */
int best_answer(struct best *b);

#endif
