/* 'lift best': one request, and the matching rows of the database. */
#ifndef CLI_BEST_H
#define CLI_BEST_H

#include "cli/cli.h"
#include "explore/explore.h"
#include "lift/chosen.h"
#include "report/family.h"
#include "run/depth.h"

enum best_emit { BEST_SHOW, BEST_SOURCE, BEST_HOST, BEST_HEADER, BEST_EXPR, BEST_JSON };

/* A row of the same program, sizes and device as an answer, with another number of time
 * steps a launch. */
struct best_other {
    struct lift_db_best row;
    int answer; /* its index in 'rows' */
};

/* The arguments of the command, and its intermediate results. */
struct best {
    struct lift_arena *arena;
    struct report_where where; /* 'db' is set; 'program' NULL: all programs */
    bool db_given;
    const char *const *rule_files;
    int rule_count;
    bool force_rules, json, verbose;
    enum best_emit emit;
    int64_t run;        /* steps of a run; 0: any */
    const char *output; /* NULL: stdout */

    struct lift_db *db;               /* NULL: there is no database */
    struct report_families *families; /* built-in; NULL: nothing is printed */
    struct report_wanted wanted;      /* rows of the database */
    struct lift_source source;        /* of a file; empty without a file */
    const char *name;                 /* name of the file's program */
    bool by_name; /* of a file with single steps: kernels of all numbers of steps count */
    bool here;    /* the device is on this machine */
    struct lift_explore_device *probed; /* the device of the request or of a row */
    /* malloc'd: the matching rows. After best_join_depths: the answers, and the rows that
     * these are better than. */
    struct lift_db_best *rows;
    struct best_other *others;
    int count, cap, other_count;
};

/* best_rows.c: opens the database if there is one, loads the program of a file, and
 * finds the device. Returns false after a message, with the status. */
bool best_prepare(struct best *b, int *status);
/* Prints all matching kernels of the database, or otherwise the nearest kernel.
 * Returns the exit status. */
int best_answer(struct best *b);

/* best_depths.c: of the rows of one program, sizes and device, keeps the row with the
 * least time a step, or the best row for a run of 'run' steps. The others move to
 * 'others'. */
void best_join_depths(struct best *b);
/* Returns the single sweep (single) or the best temporal blocking that belongs to an
 * answer and is not the answer; NULL: there is none. */
const struct lift_db_best *best_other(const struct best *b,
                                      const struct lift_db_best *row, bool single);

/* best_kernel.c: the source of a program of the database, which the caller frees.
 * 'name' is for messages. Returns false with an error of the database. */
bool best_stored_source(const struct best *b, const struct lift_db_filter *which,
                        const char *name, struct lift_source *out);
/* Sets b->device to the device of a row, unless the user named a device. Returns
 * false after a message. */
bool best_find_device(const struct best *b, struct lift_hash device);
/* Derives the kernel of a row again for that device; NULL and the reason on failure. */
struct lift_chosen *best_again(const struct best *b, const struct lift_db_best *row,
                               const struct lift_rules *rules, struct lift_str *why);
/* Derives the kernel of 'source' (b->source or a stored one) for these sizes, in
 * place of the program's own sizes, and for the device. Prints or writes the kernel
 * as requested. Returns the exit status. */
int best_choose(const struct best *b, const struct lift_source *source,
                const struct lift_size_setting *sizes, int count);

/* Likewise for sizes or a device without a row. The nearest kernels may have temporal
 * blocking; 'source' has single steps or its own number of steps. */
int best_choose_nearest(const struct best *b, const struct lift_source *source,
                        const struct lift_size_setting *sizes, int count);

/* Derives a kernel. Returns NULL and the reason, including errors in the program. */
struct lift_chosen *best_make(const struct lift_choose_options *options,
                              struct lift_str *why);

/* best_rest.c: appends the program or the header (b->emit) of a kernel. With several time
 * steps a launch, adds kernels of fewer steps for the remainder of a run. 'options' are
 * those of the choice. */
void best_add_host(const struct best *b, const struct lift_choose_options *options,
                   const struct lift_chosen *chosen, struct lift_str *text,
                   struct lift_error *error);

/* best_json.c: the fields of a row ('facts' NULL: kernels were not derived again),
 * and of a kernel without a row. NULL after an error of the database. */
json_t *best_row_json(const struct best *b, const struct lift_db_best *row,
                      const struct lift_rules *rules,
                      const struct lift_chosen_facts *facts);
json_t *best_chosen_json(const struct best *b, const struct lift_chosen_facts *facts);
/* best_print.c: prints a kernel for people, with all fields if 'verbose'. Returns
 * false after a message of the database. */
bool best_print(const struct best *b, const json_t *shown, struct lift_hash expr);

/* best_table.c: prints a line for each answer; returns the exit status. */
int best_table(const struct best *b);

#endif
