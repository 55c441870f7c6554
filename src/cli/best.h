/* 'lift best': one question, and the rows of the database that answer it. */
#ifndef CLI_BEST_H
#define CLI_BEST_H

#include "cli/cli.h"
#include "explore/explore.h"
#include "lift/chosen.h"
#include "report/family.h"

enum best_emit { BEST_SHOW, BEST_SOURCE, BEST_HOST, BEST_HEADER, BEST_EXPR, BEST_JSON };

/* What the command was asked, and what it found out of that. */
struct best {
    struct lift_arena *arena;
    struct report_where where; /* 'db' is set; 'program' NULL: all of them */
    bool db_given;
    const char *const *rule_files;
    int rule_count;
    bool force_rules, json, verbose;
    enum best_emit emit;
    int64_t run;        /* the kernel for a run of so many steps; 0: any */
    const char *output; /* NULL: stdout */

    struct lift_db *db;                 /* NULL: there is none */
    struct report_families *families;   /* those that ship; NULL: nothing is shown */
    struct report_wanted wanted;        /* rows of the database */
    struct lift_source source;          /* of a file; without text where there is none */
    const char *name;                   /* of its program */
    bool here;                          /* the device is one of this machine */
    struct lift_explore_device *probed; /* that device, or that of a row */
    struct lift_db_best *rows;          /* malloc'd: those that are wanted */
    int count, cap;
};

/* best_rows.c: opens the database if there is one, loads the program of a file, and asks
 * for the device. False after a message, with the status. */
bool best_prepare(struct best *b, int *status);
/* All kernels that the database has, or else the one that is nearest. Returns the exit
 * status. */
int best_answer(struct best *b);

/* best_run.c: of rows of one program, sizes and device, leaves that which serves a run of
 * 'run' steps best. False after a message. */
bool best_for_run(struct best *b);

/* best_kernel.c: the text of a program of the database, to be freed; 'name' is that of
 * messages. False with an error of the database. */
bool best_stored_source(const struct best *b, const struct lift_db_filter *which,
                        const char *name, struct lift_source *out);
/* Makes b->device that of a row, unless it was asked for. False after a message. */
bool best_find_device(const struct best *b, struct lift_hash device);
/* The kernel of a row on that device; NULL and the reason if it cannot be made. */
struct lift_chosen *best_again(const struct best *b, const struct lift_db_best *row,
                               const struct lift_rules *rules, struct lift_str *why);
/* The kernel of 'source' (b->source or a stored one) for these sizes, instead of the
 * program's own, and the device, shown or written down as asked. The exit status. */
int best_choose(const struct best *b, const struct lift_source *source,
                const struct lift_size_setting *sizes, int count);

/* best_json.c: the fields of a row ('facts' NULL: its kernels were not derived again),
 * and of a kernel that is no row. NULL after an error of the database. */
json_t *best_row_json(const struct best *b, const struct lift_db_best *row,
                      const struct lift_rules *rules,
                      const struct lift_chosen_facts *facts);
json_t *best_chosen_json(const struct best *b, const struct lift_chosen_facts *facts);
/* best_print.c: either for people; with all that is known if 'verbose'. False after a
 * message of the database. */
bool best_print(const struct best *b, const json_t *shown, struct lift_hash expr);

/* best_table.c: the rows, a line each; the exit status. */
int best_table(struct lift_db *db, const struct lift_db_best *rows, int count);

#endif
