/* What the commands share. A command is one file that exports one const struct; main.c
 * has the table. Data goes to stdout, talk to stderr. */
#ifndef CLI_H
#define CLI_H

#include "ir/constraint.h"
#include "lift/chosen.h"
#include "lift/error.h"
#include "lift/program.h"
#include "report/wanted.h"
#include "rules/rule_check.h"
#include "tuner/db_query.h"
#include <argp.h>
#include <jansson.h>

/* The only exit statuses. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

extern const char cli_default_db[];

struct cli_command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv); /* argv[0] is for messages: "lift best" */
    const struct cli_argp *argp;       /* NULL: it has parts only */
    /* Subcommands, as in "lift db merge"; ends with NULL. NULL: none. */
    const struct cli_command *const *parts;
};

extern const struct cli_command cli_best, cli_check, cli_db, cli_derive, cli_devices,
    cli_explore, cli_fmt, cli_report, cli_rules, cli_run, cli_show, cli_split;

/* Of a list that ends with NULL; NULL and a message, if it has none of that name.
 * 'of' is the command that they are part of, or "". */
const struct cli_command *cli_find(const struct cli_command *const *commands,
                                   const char *name, const char *of);
/* --help, -h or -?. */
bool cli_is_help(const char *word);

/* "lift: message" on stderr. Returns the status. */
int cli_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says it, and is false. */
#define CLI_REFUSE(...) (cli_fail(CLI_FAILED, __VA_ARGS__), false)
/* A word that is none of a list, which ends with NULL: "MESSAGE; did you mean 'x'?" on
 * stderr. CLI_USAGE. */
int cli_no_such(const char *word, const char *const *names, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints the diagnostics; CLI_USAGE. */
int cli_malformed(struct lift_error *errors);
/* A whole file (base/file.h), or the standard output if it is "-"; false after a message.
 */
bool cli_write(const char *path, const char *text, size_t len);
/* Says once that the standard output takes no more ('error' is of errno, 0: unknown),
 * which 'main' finds at the end of every command. CLI_FAILED. */
int cli_lost_output(int error);
/* A whole number, or a positive one with a fraction; false and a message if it is none.
 */
bool cli_integer(const char *what, const char *text, int64_t lo, int64_t hi,
                 int64_t *out);
bool cli_positive(const char *what, const char *text, double *out);

/* Of the terminal that the standard error is, or as COLUMNS says. */
int cli_columns(void);

/* Stores an option's value, or other words, in a member of argp's input. */
struct cli_setting {
    enum {
        CLI_IS_END,       /* nothing: the command's own function knows */
        CLI_IS_WORD,      /* as it is */
        CLI_IS_FLAG,      /* that it was given */
        CLI_IS_NUMBER,    /* a whole number from 'lo' to 'hi' */
        CLI_IS_INT,       /* the same as an int */
        CLI_IS_POSITIVE,  /* a positive number, times 'lo' */
        CLI_IS_PRECISION, /* single or double; 'lo' is where its dtype is, 0: nowhere */
        CLI_IS_LIST,   /* one more word of at most 'hi'; 'lo' is where their count is */
        CLI_IS_ONE,    /* the only word that is no option */
        CLI_IS_ALL,    /* all words that are no options: struct cli_words */
        CLI_IS_NEEDED, /* without any it is refused, with 'what' */
        CLI_IS_CHILD,  /* the input of the first child */
    } kind;
    size_t member;
    int64_t lo, hi;
    const char *what; /* for messages: "rule files", "program" */
};
struct cli_words {
    char **words;
    int count;
};
/* An option as argp has it, which needs a key only as a letter or where a function asks
 * for it; or, without a name, words that are no options. Tables end with {0}. */
struct cli_option {
    const char *name;
    int key; /* a letter; below 4096; ARGP_KEY_...; 0: the option has none */
    const char *arg;
    int flags;
    const char *doc;
    int group;
    struct cli_setting set;
};
/* A command line. */
struct cli_argp {
    const struct cli_option *options;
    argp_parser_t parser; /* NULL: the table says all */
    const char *args_doc, *doc;
    /* More options, with a separate input; or NULL. */
    const struct cli_argp *child;
};

/* argp_parse, with -h besides --help, and with a guess at what an option that there is
 * not was meant to be. */
int cli_parse(const struct cli_argp *argp, int argc, char **argv, void *input);

/* Calls 'visit' with each option of a command, those of all commands last. */
typedef void cli_option_visit(void *user, const struct argp_option *option);
void cli_each_option(const struct cli_argp *argp, cli_option_visit *visit, void *user);
/* The second term is 0, and a warning if the member is of another type. */
#define CLI_MEMBER(of, type, member)                                                     \
    (offsetof(type, member) + 0 * sizeof((of *)NULL == &((type *)NULL)->member))
/* The last member of an option. */
#define CLI_WORD(type, member)                                                           \
    .set = {CLI_IS_WORD, CLI_MEMBER(const char *, type, member)}
#define CLI_FLAG(type, member) .set = {CLI_IS_FLAG, CLI_MEMBER(bool, type, member)}
#define CLI_NUMBER(type, member, lo, hi)                                                 \
    .set = {CLI_IS_NUMBER, CLI_MEMBER(int64_t, type, member), lo, hi}
#define CLI_INT(type, member, hi)                                                        \
    .set = {CLI_IS_INT, CLI_MEMBER(int, type, member), 1, hi}
#define CLI_POSITIVE(type, member, unit)                                                 \
    .set = {CLI_IS_POSITIVE, CLI_MEMBER(double, type, member), unit}
#define CLI_LIST(type, member, number, what)                                             \
    .set = {CLI_IS_LIST, CLI_MEMBER(const char *, type, member[0]),                      \
            CLI_MEMBER(int, type, number),                                               \
            sizeof((type *)NULL)->member / sizeof(const char *), what}
#define CLI_PRECISION_SETTING(type, member)                                              \
    .set = {CLI_IS_PRECISION, CLI_MEMBER(const char *, type, member)}
/* The same, and "f32" or "f64" into 'dtype', which is not the first member. */
#define CLI_DTYPE(type, member, dtype)                                                   \
    .set = {CLI_IS_PRECISION, CLI_MEMBER(const char *, type, member),                    \
            CLI_MEMBER(const char *, type, dtype)}
/* Rows without an option. */
#define CLI_ROW(event, ...)                                                              \
    {                                                                                    \
        .key = event, .set = { __VA_ARGS__ }                                             \
    }
#define CLI_ONE(type, member, word)                                                      \
    CLI_ROW(ARGP_KEY_ARG, CLI_IS_ONE, CLI_MEMBER(const char *, type, member),            \
            .what = word)
#define CLI_ALL(type, member)                                                            \
    CLI_ROW(ARGP_KEY_ARGS, CLI_IS_ALL, CLI_MEMBER(struct cli_words, type, member))
#define CLI_NEEDED(question) CLI_ROW(ARGP_KEY_NO_ARGS, CLI_IS_NEEDED, .what = question)
#define CLI_WHERE(type, member)                                                          \
    CLI_ROW(ARGP_KEY_INIT, CLI_IS_CHILD, CLI_MEMBER(struct report_where, type, member))
/* What argp's parser returns; exits with CLI_USAGE if a value is none. */
error_t cli_set(const struct cli_option *options, int key, char *arg,
                struct argp_state *state);
/* One more of a list of words that has 'most' at the most; argp_error if it is full:
 * 'what' is "rule files". */
void cli_add(struct argp_state *state, const char **list, int *count, int most,
             const char *what, const char *word);

/* The options of struct report_where. */
extern const struct cli_argp cli_where_argp; /* input: struct report_where */

/* In 'arena'; false after a message, with the status. */
bool cli_wanted(struct lift_db *db, struct lift_arena *arena,
                const struct report_where *where, struct report_wanted *out, int *status);

/* There are none: says which of the options leaves nothing, and what there is without it.
 * 'what' is "verified kernel". Returns the exit status. */
int cli_nothing(struct lift_db *db, const char *what, enum report_rows rows,
                const struct report_wanted *wanted);
/* More rows than one fit: how many of what, and a line for each. */
#define CLI_SEVERAL                                                                      \
    "%d %s fit: choose one by program, --device, --size, --precision and --steps:%s"

/* Opens for reading; NULL and a message. */
struct lift_db *cli_open(const char *path);
/* Before a database is written: a message if it lies on a network file system. */
void cli_warn_network(const char *path);
/* True of the name of a .lift file. */
bool cli_is_file(const char *text);
/* How filters of the database name a program: by the name of 'text', or of the program
 * in it if it is a .lift file, or by the whole id that it is the beginning of. NULL stays
 * NULL. In 'arena'; false after a message, with the status. */
bool cli_program(struct lift_db *db, struct lift_arena *arena, const char *text,
                 const char **out, int *status);
/* A .lift file as it is, or in the precision that is asked for ("single", "double"; NULL:
 * none), with 'steps' steps a launch (0: as its text says). False and a diagnostic.
 * The caller releases it in any case. */
bool cli_source(const char *path, const char *precision, int64_t steps,
                struct lift_source *out, struct lift_error *errors);
#define CLI_STEPS "Compute N steps of the time loop in each launch (temporal blocking)"
#define CLI_STEPS_SETTING(type) CLI_NUMBER(type, steps, 1, LIFT_MAX_STEPS)
/* Options that several commands have. */
#define CLI_PRECISION_OPTION(group, ...)                                                 \
    {                                                                                    \
        "precision", 0, "single|double", 0,                                              \
            "Use single or double precision, whatever precision the program says",       \
            group, __VA_ARGS__                                                           \
    }
#define CLI_STEPS_OPTION(group, type)                                                    \
    {                                                                                    \
        "steps", 0, "N", 0, CLI_STEPS, group, CLI_STEPS_SETTING(type)                    \
    }
#define CLI_RULES_OPTION(group, type, files, count)                                      \
    {                                                                                    \
        "rules", 'r', "FILE", 0, "Load the rules of this file, too. Repeatable", group,  \
            CLI_LIST(type, files, count, "rule files")                                   \
    }
#define CLI_FORCE_OPTION(group, type)                                                    \
    {                                                                                    \
        "force-rules", 0, NULL, 0, "Accept rules that the soundness check refutes",      \
            group, CLI_FLAG(type, force)                                                 \
    }
/* The subject of a row: 'acoustic {"nx":512} of f32, 2 steps a launch, on NVIDIA H200
 * (cuda)'. */
struct cli_subject {
    const char *program, *sizes, *dtype, *device;
    const char *runtime; /* NULL: not said */
    int steps;           /* of a launch */
};
void cli_add_subject(struct lift_str *out, const struct cli_subject *subject);
void cli_print_subject(const struct cli_subject *subject);
bool cli_sizes(struct lift_arena *arena, const char *text,
               const struct lift_size_setting **sizes, int *count);
/* The current name of the tunable 'said': a former name of a launch tunable is replaced,
 * and stderr gets the new name. */
const char *cli_tunable(const char *said);
/* Says the new names of all tunables that are called by former ones; 'known': those of
 * the term. */
void cli_say_tunables(const struct lift_tunable *known, int known_count,
                      const struct lift_size_setting *said, int count);

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
/* Says which of a user's rules explorations do not use. */
/* A note on stderr that a name is a former one, once for each: of
 * lift_configuration_read_noting.
 */
void cli_note_former(void *user, const char *name, const char *now);
/* The same of all that rule files and strategies name. */
void cli_note_former_rules(const struct lift_rules *rules);
void cli_warn_unexplored(const struct lift_rules *rules);

/* best_print.c: how an expression was derived, a line for each step; nothing for a root.
 * False if the database says no. */
bool cli_print_derivation(struct lift_db *db, struct lift_hash expr);

/* Members of an object of JSON: 0 and "" if they are none. */
double cli_number(const json_t *object, const char *name);
const char *cli_text(const json_t *object, const char *name);
/* Text that need not be UTF-8, as of compilers and drivers. NULL: null. */
json_t *cli_string(const char *text);
/* Writes and releases. */
void cli_print_json(json_t *json);

#endif
