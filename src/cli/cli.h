/* Definitions shared by the commands. A command is one file that exports one const
 * struct; main.c has the table. Commands write data to stdout, and messages to
 * stderr. */
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

/* All exit statuses. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

extern const char cli_default_db[];

struct cli_command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv); /* argv[0] is for messages: "lift best" */
    const struct cli_argp *argp;       /* NULL: the command has only subcommands */
    /* Subcommands, as in "lift db merge"; ends with NULL. NULL: none. */
    const struct cli_command *const *parts;
};

extern const struct cli_command cli_best, cli_check, cli_db, cli_derive, cli_devices,
    cli_explore, cli_fmt, cli_report, cli_rules, cli_run, cli_show, cli_split;

/* Finds a command by name in a list that ends with NULL. If the list lacks the name,
 * returns NULL and prints a message. 'of' is the parent command, or "". */
const struct cli_command *cli_find(const struct cli_command *const *commands,
                                   const char *name, const char *of);
/* True for --help, -h and -?. */
bool cli_is_help(const char *word);

/* Prints "lift: message" on stderr. Returns the status. */
int cli_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints the message, and evaluates to false. */
#define CLI_REFUSE(...) (cli_fail(CLI_FAILED, __VA_ARGS__), false)
/* Prints "MESSAGE; did you mean 'x'?" on stderr for an unknown word. 'names' ends
 * with NULL. Returns CLI_USAGE. */
int cli_no_such(const char *word, const char *const *names, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints the diagnostics and returns CLI_USAGE. */
int cli_malformed(struct lift_error *errors);
/* Writes a whole file (base/file.h), or the standard output for "-"; false after a
 * message. */
bool cli_write(const char *path, const char *text, size_t len);
/* Reports once that a write to the standard output failed, which 'main' checks after
 * every command. 'error' is of errno, 0: unknown. Returns CLI_FAILED. */
int cli_lost_output(int error);
/* Parses an integer, or a positive number with a fraction; false and a message for
 * other text. */
bool cli_integer(const char *what, const char *text, int64_t lo, int64_t hi,
                 int64_t *out);
bool cli_positive(const char *what, const char *text, double *out);

/* The width of the standard error's terminal, or COLUMNS. */
int cli_columns(void);

/* Stores an option's value, or other words, in a member of argp's input. */
struct cli_setting {
    enum {
        CLI_IS_END,       /* no storage: the command's own function handles the option */
        CLI_IS_WORD,      /* the text itself */
        CLI_IS_FLAG,      /* true if the option is present */
        CLI_IS_NUMBER,    /* an integer from 'lo' to 'hi' */
        CLI_IS_INT,       /* an integer from 'lo' to 'hi', as an int */
        CLI_IS_POSITIVE,  /* a positive number, multiplied by 'lo' */
        CLI_IS_PRECISION, /* single or double; 'lo' is the offset of the dtype, 0: none */
        CLI_IS_LIST,   /* adds a word to a list of at most 'hi'; 'lo' is the offset of the
                          count */
        CLI_IS_ONE,    /* the only word that is not an option */
        CLI_IS_ALL,    /* all words that are not options: struct cli_words */
        CLI_IS_NEEDED, /* words that are required: 'what' names them in the message */
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
/* An option for argp. The option needs a key only as a letter, or if a function
 * handles the key. Without a name, the entry is for words that are not options.
 * Tables end with {0}. */
struct cli_option {
    const char *name;
    int key; /* a letter; a number below 4096; ARGP_KEY_...; 0: none */
    const char *arg;
    int flags;
    const char *doc;
    int group;
    struct cli_setting set;
};
/* The options, words and help of a command. */
struct cli_argp {
    const struct cli_option *options;
    argp_parser_t parser; /* NULL: the table handles all options */
    const char *args_doc, *doc;
    /* More options with a separate input, or NULL. */
    const struct cli_argp *child;
};

/* Calls argp_parse, with -h in addition to --help. For an unknown option, the message
 * suggests a known one. */
int cli_parse(const struct cli_argp *argp, int argc, char **argv, void *input);

/* Calls 'visit' with each option of a command; the common options come last. */
typedef void cli_option_visit(void *user, const struct argp_option *option);
void cli_each_option(const struct cli_argp *argp, cli_option_visit *visit, void *user);
/* The second term is 0, and causes a warning if the member has another type. */
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
/* Also stores "f32" or "f64" in 'dtype', which must not be the first member. */
#define CLI_DTYPE(type, member, dtype)                                                   \
    .set = {CLI_IS_PRECISION, CLI_MEMBER(const char *, type, member),                    \
            CLI_MEMBER(const char *, type, dtype)}
/* Entries without an option. */
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
/* The result of argp's parser; exits with CLI_USAGE for an invalid value. */
error_t cli_set(const struct cli_option *options, int key, char *arg,
                struct argp_state *state);
/* Adds a word to a list of at most 'most' words; argp_error if the list is full.
 * 'what' is a plural such as "rule files". */
void cli_add(struct argp_state *state, const char **list, int *count, int most,
             const char *what, const char *word);

/* The options of struct report_where. */
extern const struct cli_argp cli_where_argp; /* input: struct report_where */

/* Resolves the options in 'arena'. Returns false after a message, with the status. */
bool cli_wanted(struct lift_db *db, struct lift_arena *arena,
                const struct report_where *where, struct report_wanted *out, int *status);

/* Explains an empty result: names the options that exclude all rows, and lists the
 * rows without these options. 'what' is "verified kernel". Returns the exit status. */
int cli_nothing(struct lift_db *db, const char *what, enum report_rows rows,
                const struct report_wanted *wanted);
/* Message for several matching rows: their number and kind, and a line for each. */
#define CLI_SEVERAL                                                                      \
    "%d %s fit: choose one by program, --device, --size, --precision and --steps:%s"

/* Opens a database for reading; NULL after a message. */
struct lift_db *cli_open(const char *path);
/* Warns, before writing, if the database is on a network file system. */
void cli_warn_network(const char *path);
/* True for the name of a .lift file. */
bool cli_is_file(const char *text);
/* The program for filters of the database: the name 'text', or the name of the
 * program in a .lift file. If 'text' is the beginning of an id, the result is the
 * full id. NULL stays NULL. The result is in 'arena'; false after a message, with the
 * status. */
bool cli_program(struct lift_db *db, struct lift_arena *arena, const char *text,
                 const char **out, int *status);
/* Loads a .lift file, in the requested precision ("single", "double"; NULL: of the
 * file), with 'steps' steps a launch (0: of the file). Returns false and a
 * diagnostic. The caller releases the source in any case. */
bool cli_source(const char *path, const char *precision, int64_t steps,
                struct lift_source *out, struct lift_error *errors);
#define CLI_STEPS "Compute N steps of the time loop in each launch (temporal blocking)"
#define CLI_STEPS_SETTING(type) CLI_NUMBER(type, steps, 1, LIFT_MAX_STEPS)
/* Options of several commands. */
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
    const char *runtime; /* NULL: not printed */
    int steps;           /* of a launch */
};
void cli_add_subject(struct lift_str *out, const struct cli_subject *subject);
void cli_print_subject(const struct cli_subject *subject);
bool cli_sizes(struct lift_arena *arena, const char *text,
               const struct lift_size_setting **sizes, int *count);
/* The current name of the tunable 'said'. A former name of a launch tunable is
 * replaced, and the function prints the new name on stderr. */
const char *cli_tunable(const char *said);
/* Prints the new names of all tunables that have former names on the command line.
 * 'known': tunables of the term. */
void cli_say_tunables(const struct lift_tunable *known, int known_count,
                      const struct lift_size_setting *said, int count);

/* Calls lift_rules_check. C functions of rules are compiled, and called in a separate
 * process. Returns CLI_DONE, CLI_FAILED if a rule fails the check, or CLI_USAGE after
 * a message if a function does not compile. */
int cli_check_rules(const struct lift_rule *const *rules, int count,
                    struct lift_check_options options, lift_check_visit *visit,
                    void *user);
/* Loads the built-in rules and those of files, which must pass the check unless
 * 'force'. Returns NULL after messages, with the status. */
struct lift_rules *cli_load_rules(const char *const *files, int count, bool force,
                                  int *status);
/* Notes on stderr that a name is a former one, once for each name; a callback of
 * lift_configuration_read_noting. */
void cli_note_former(void *user, const char *name, const char *now);
/* Notes all former names in rule files and strategies. */
void cli_note_former_rules(const struct lift_rules *rules);
/* Lists the user's rules that explorations do not use. */
void cli_warn_unexplored(const struct lift_rules *rules);

/* best_print.c: prints the derivation of an expression, a line for each step; nothing
 * for a root. Returns false after an error of the database. */
bool cli_print_derivation(struct lift_db *db, struct lift_hash expr);

/* A member of a JSON object; 0 or "" if the member is missing or of another type. */
double cli_number(const json_t *object, const char *name);
const char *cli_text(const json_t *object, const char *name);
/* A JSON string from text that may be invalid UTF-8, such as compiler output. NULL
 * becomes null. */
json_t *cli_string(const char *text);
/* Prints the JSON and releases it. */
void cli_print_json(json_t *json);

#endif
