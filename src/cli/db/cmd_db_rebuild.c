/* Rebuilds the kernels of a database and reports changes. */
#include "cli/db/cmd_db.h"
#include "cli/resources.h"
#include "report/short.h"
#include "run/rebuild.h"

enum { MAX_RULE_FILES = 16 };

struct rebuild_args {
    const char *db, *device, *program, *precision, *dtype;
    const char *rules[MAX_RULE_FILES];
    int rule_count;
    int64_t best, steps;
    bool force, verify;
};

static const struct cli_option options[] = {
    {"db", 'D', "FILE", 0, "Read this database (lift.db)",
     CLI_WORD(struct rebuild_args, db)},
    {"device", 'd', "NAME", 0, "Select devices by a part of their name or runtime",
     CLI_WORD(struct rebuild_args, device)},
    {"precision", 0, "single|double", 0, "Select problems of this precision",
     CLI_DTYPE(struct rebuild_args, precision, dtype)},
    {"steps", 0, "N", 0, "Select kernels that compute N time steps in each launch",
     CLI_STEPS_SETTING(struct rebuild_args)},
    {"best", 0, "N", 0,
     "Rebuild the N best expressions of each problem and device, each in its best "
     "configuration (1)",
     CLI_NUMBER(struct rebuild_args, best, 1, INT64_MAX)},
    CLI_RULES_OPTION(0, struct rebuild_args, rules, rule_count),
    {"verify", 0, NULL, 0,
     "Also run each kernel at a small size and at its own size, and compare its results "
     "with the program",
     CLI_FLAG(struct rebuild_args, verify)},
    CLI_FORCE_OPTION(0, struct rebuild_args),
    CLI_ONE(struct rebuild_args, program, "program"),
    {0}};

struct printer {
    struct lift_hash problem, device; /* of the last row */
    int64_t count[LIFT_REBUILT_ENDS], spill;
};

static void print_problem(struct printer *p, const struct lift_rebuilt *row)
{
    const struct lift_db_kernel *k = row->kernel;

    if (lift_hash_equal(p->problem, k->problem) &&
        lift_hash_equal(p->device, k->device_id))
        return;
    p->problem = k->problem;
    p->device = k->device_id;
    cli_print_subject(&(struct cli_subject){k->program, k->sizes, k->dtype, k->device,
                                            k->runtime, k->steps});
    printf("%s%s\n", *row->target ? ", for " : "", row->target);
}

static const char *end_name(const struct lift_rebuilt *row)
{
    return row->end == LIFT_REBUILT_WRONG ? lift_trial_status_name(row->status)
                                          : lift_rebuilt_end_name(row->end);
}

static void print(void *user, const struct lift_rebuilt *row)
{
    struct printer *p = user;
    char hex[LIFT_HASH_HEX];
    LIFT_SCOPED(lift_str) text = {0};

    print_problem(p, row);
    p->count[row->end]++;
    report_tunables_short(row->kernel->tunables, &text);
    lift_str_add(&text, ": ");
    if (row->end == LIFT_REBUILT_SAME || row->end == LIFT_REBUILT_OTHER) {
        cli_resources(&row->resources, &text);
        p->spill += row->resources.spill_bytes > 0;
    }
    if (*row->reason)
        lift_str_addf(&text, "%s%s",
                      row->end <= LIFT_REBUILT_OTHER && *row->reason != ';' ? "; " : "",
                      row->reason);
    printf("  %.*s %-12s  %s\n", LIFT_HASH_SHORT, lift_hash_hex(row->kernel->expr, hex),
           end_name(row), lift_str_get(&text));
    if (*row->log && row->end != LIFT_REBUILT_SAME && row->end != LIFT_REBUILT_OTHER)
        fprintf(stderr, "%s\n", row->log);
    fflush(stdout);
}

static int sum(const struct printer *p, bool verified)
{
    const int64_t *n = p->count;
    int64_t compiled = n[LIFT_REBUILT_SAME] + n[LIFT_REBUILT_OTHER];

    printf("%lld compiled, of which %lld have a changed source and %lld spill registers; "
           "%lld can no longer be derived; %lld rejected by the compiler; ",
           (long long)compiled, (long long)n[LIFT_REBUILT_OTHER], (long long)p->spill,
           (long long)n[LIFT_REBUILT_LOST], (long long)n[LIFT_REBUILT_REFUSED]);
    if (verified)
        printf("%lld verified; %lld wrong; ", (long long)compiled,
               (long long)n[LIFT_REBUILT_WRONG]);
    printf("%lld skipped\n", (long long)n[LIFT_REBUILT_SKIPPED]);
    return n[LIFT_REBUILT_LOST] || n[LIFT_REBUILT_REFUSED] || n[LIFT_REBUILT_WRONG]
               ? CLI_FAILED
               : CLI_DONE;
}

static bool is_empty(const struct printer *p)
{
    for (int i = 0; i < LIFT_REBUILT_ENDS; i++)
        if (p->count[i])
            return false;
    return true;
}

static int nothing(struct lift_db *db, const struct rebuild_args *a, const char *program)
{
    struct report_where where = {.device = a->device,
                                 .program = a->program,
                                 .precision = a->precision,
                                 .dtype = a->dtype,
                                 .steps = a->steps};
    struct report_wanted wanted = {
        .where = &where, .filter = {program, NULL, a->device, a->dtype, a->steps}};

    return cli_nothing(db, "verified kernel", REPORT_ROWS_BEST, &wanted);
}

static int rebuild(struct lift_db *db, const struct rebuild_args *a, const char *program)
{
    struct printer p = {.spill = 0};
    struct lift_source file = {0};
    LIFT_SCOPED(lift_error) errors = {0};
    int status = CLI_DONE;
    struct lift_rules *rules = cli_load_rules(a->rules, a->rule_count, a->force, &status);
    struct lift_rebuild_options o = {
        .filter = {program, NULL, a->device, a->dtype, a->steps},
        .most = a->best,
        .verify = a->verify,
        .source = cli_is_file(a->program) ? &file : NULL,
        .rules = rules,
        .row = print,
        .user = &p};

    if (rules && o.source &&
        !cli_source(a->program, a->precision, a->steps, &file, &errors))
        status = cli_malformed(&errors);
    else if (rules)
        status = !lift_rebuild(db, &o) ? cli_fail(CLI_FAILED, "%s", lift_db_error(db))
                 : is_empty(&p)        ? nothing(db, a, program)
                                       : sum(&p, a->verify);
    lift_rules_destroy(rules);
    lift_source_free(&file);
    return status;
}

static const char doc[] =
    "Derive the best kernels of a database again with the present rules, and compile "
    "them.\vThe command prints whether the source of each kernel has changed, which "
    "step of its derivation has changed, and the registers and memory of the kernel. "
    "Without --verify it runs no kernel, so that kernels for NVIDIA and AMD "
    "architectures need no device. With --verify, this machine needs a device of the "
    "kernel's architecture. The exit status is 1 if a kernel can no longer be derived, "
    "if the compiler rejects it, or if its results are wrong.";

static const struct cli_argp argp = {options, NULL, "[PROGRAM | FILE.lift]", doc};

static int run(int argc, char **argv)
{
    struct rebuild_args a = {.db = cli_default_db, .best = 1};
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    const char *program = NULL;
    int status = CLI_FAILED;
    struct lift_db *db;

    if (cli_parse(&argp, argc, argv, &a))
        return CLI_USAGE;
    db = cli_open(a.db);
    if (db && cli_program(db, arena, a.program, &program, &status))
        status = rebuild(db, &a, program);
    lift_db_close(db);
    return status;
}

const struct cli_command cli_db_rebuild = {
    "rebuild", "derive and compile the best kernels again", run, &argp};
