#include "cli/db/cmd_db.h"
#include <sys/stat.h>
#include <unistd.h>

struct merge_args {
    const char *target;
    char **sources;
    int count;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct merge_args *a = state->input;

    switch (key) {
    case ARGP_KEY_ARG:
        if (a->target)
            return ARGP_ERR_UNKNOWN; /* ARGP_KEY_ARGS takes all sources */
        a->target = arg;
        return 0;
    case ARGP_KEY_ARGS:
        a->sources = state->argv + state->next;
        a->count = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        if (!a->count)
            argp_error(state, "expected TARGET and at least one SOURCE");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;

    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int cli_db_merge_file(struct lift_db *to, const char *target, const char *source,
                      bool says, struct lift_db_gain *gain)
{
    struct lift_db *from = cli_open(source);
    struct cli_bandwidths bandwidths;
    bool done;

    if (!from)
        return CLI_FAILED;
    done = cli_read_bandwidths(to, &bandwidths) && lift_db_merge(to, from, gain);
    if (done && says)
        cli_compare_bandwidths(&bandwidths, target, from, source);
    cli_bandwidths_fini(&bandwidths);
    lift_db_close(from);
    if (!done)
        return cli_fail(CLI_FAILED, "%s", lift_db_error(to));
    return CLI_DONE;
}

static int merge(struct lift_db *to, const char *target, const char *source)
{
    struct lift_db_gain gain;
    int status = cli_db_merge_file(to, target, source, true, &gain);

    if (status == CLI_DONE)
        printf("%s: %lld new trials, %lld new rows\n", source, (long long)gain.trials,
               (long long)gain.rows);
    return status;
}

/* Checks a source before the merge creates the target. */
static bool can_be_read(const char *source)
{
    LIFT_OWNED(lift_db) *db = cli_open(source);

    return db != NULL;
}

/* One transaction per database: earlier merges survive a failure. */
static int merge_all(const struct merge_args *a)
{
    struct lift_db *to = NULL;
    int status = CLI_DONE, done = 0;
    bool made = access(a->target, F_OK) != 0;

    for (int i = 0; i < a->count; i++)
        if (same_file(a->target, a->sources[i]))
            return cli_fail(CLI_USAGE, "'%s' and '%s' are one file", a->target,
                            a->sources[i]);
    if (!made && !(to = cli_db_open(a->target)))
        return CLI_FAILED;
    for (int i = 0; i < a->count; i++)
        if (!can_be_read(a->sources[i])) {
            lift_db_close(to);
            return CLI_FAILED;
        }
    if (!to && !(to = cli_db_create(a->target, &made)))
        return CLI_FAILED;
    for (int i = 0; i < a->count && status == CLI_DONE; i++) {
        status = merge(to, a->target, a->sources[i]);
        done += status == CLI_DONE;
    }
    cli_db_close_made(to, a->target, made, done > 0);
    return status;
}

static const struct cli_argp argp = {
    NULL, parse, "TARGET SOURCE...",
    "Merge the databases SOURCE... into TARGET, which is created if it does not "
    "exist.\vMerging a database again changes nothing. The order of databases does not "
    "matter."};

static int run(int argc, char **argv)
{
    struct merge_args a = {.target = NULL};

    cli_parse(&argp, argc, argv, &a);
    return merge_all(&a);
}

const struct cli_command cli_db_merge = {"merge", "merge databases", run, &argp};
