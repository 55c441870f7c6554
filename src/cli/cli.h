/* What the commands share. A command is one file that exports one const struct; main.c
 * has the table. Data goes to stdout, talk to stderr. */
#ifndef CLI_H
#define CLI_H

#include "lift/db_query.h"
#include "lift/diag.h"
#include "lift/program.h"
#include "lift/rule_check.h"
#include <argp.h>
#include <jansson.h>

/* The only exit statuses. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

extern const char cli_default_db[];

struct cli_command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv); /* argv[0] is for messages: "lift best" */
};

extern const struct cli_command cli_best, cli_db, cli_derive, cli_devices, cli_explore,
    cli_fmt, cli_report, cli_rules, cli_show;

/* "lift: message" on stderr. Returns the status. */
int cli_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints the diagnostics; CLI_USAGE. */
int cli_malformed(struct lift_diags *diags);
/* A whole number, or a positive one with a fraction; false and a message if it is none.
 */
bool cli_integer(const char *what, const char *text, int64_t lo, int64_t hi,
                 int64_t *out);
bool cli_positive(const char *what, const char *text, double *out);

/* Options that several commands have, and the argument of those that take a program and
 * nothing else. */
struct cli_where {
    const char *db, *device, *size, *program;
};
extern const struct argp cli_where_argp; /* input: struct cli_where */

/* Opens for reading; NULL and a message. */
struct lift_db *cli_open(const char *path);
/* Before a database is written: a message if it lies on a network file system. */
void cli_warn_network(const char *path);
/* 'text' is a program's name or a .lift file, whose program it then is; the answer is in
 * 'arena'; NULL and a message. */
const char *cli_program_name(struct lift_arena *arena, const char *text);
/* True if the sizes given as "nx=1,ny=2" agree with those of JSON. NULL agrees with all.
 */
bool cli_sizes_agree(const struct lift_size_setting *sizes, int count, const char *json);
/* Those of JSON, in 'arena'; how many. What is no object has none. */
int cli_sizes_of(struct lift_arena *arena, const char *json,
                 struct lift_size_setting **out);
/* A .lift file as it is, or in the precision that is asked for: "single", "double"; NULL:
 * none. False and a diagnostic. The caller releases it in any case. */
bool cli_source(const char *path, const char *precision, struct lift_source *out,
                struct lift_diags *diags);
/* The option that goes with it. */
#define CLI_PRECISION                                                                    \
    "single or double: take the program as if it were written so, whatever it says"
/* " of f64": the type of grids, unless it is the usual one. */
const char *cli_of_type(const char *dtype);
bool cli_sizes(struct lift_arena *arena, const char *text,
               const struct lift_size_setting **sizes, int *count);

/* lift_rules_check; C functions that rules carry are compiled, and called in a process of
 * their own. CLI_DONE, CLI_FAILED if a rule does not pass, CLI_USAGE and a message if a
 * function does not compile. */
int cli_check_rules(const struct lift_rule *const *rules, int count,
                    struct lift_check_options options, lift_check_visit *visit,
                    void *user);
/* Rules that ship and those of files, which must pass the check unless forced. NULL and
 * messages, with the status. */
struct lift_rules *cli_load_rules(const char *const *files, int count, bool force,
                                  int *status);

/* report.c: how an expression was derived, a line for each step; nothing for a root.
 * False if the database says no. */
bool cli_print_derivation(struct lift_db *db, struct lift_hash expr);
/* A best kernel, for people and as JSON. */
void cli_print_best(struct lift_db *db, const struct lift_db_best *best);
json_t *cli_best_json(struct lift_db *db, const struct lift_db_best *best);
/* Writes and releases. */
void cli_print_json(json_t *json);

#endif
