#include "cli/cli.h"
#include "cli/show_decisions.h"
#include "cli/tree.h"
#include "report/short.h"

enum { TOP = 10, KEY_DOT = 256 };

struct show_args {
    struct report_where where;
    const char *expr;
    bool failures, families, tree, dot, decisions, json;
};

static const struct cli_option options[] = {
    {"expr", 'e', "HASH", 0,
     "Show an expression and its derivation. HASH may be shortened to its first digits",
     CLI_WORD(struct show_args, expr)},
    {"failures", 'f', NULL, 0,
     "Show why trials failed, and which expressions were not tried",
     CLI_FLAG(struct show_args, failures)},
    {"families", 0, NULL, 0,
     "Show the fastest expression that each kernel family or macro helped to derive",
     CLI_FLAG(struct show_args, families)},
    {"decisions", 0, NULL, 0,
     "Show for each schedule decision how often its options were tried, how fast they "
     "are and which ones the best kernels have, and the rules that no derivation uses",
     CLI_FLAG(struct show_args, decisions)},
    {"json", 0, NULL, 0, "With --decisions: print JSON",
     CLI_FLAG(struct show_args, json)},
    {"tree", 't', NULL, 0, "Show the derivations as a tree",
     CLI_FLAG(struct show_args, tree)},
    {"dot", KEY_DOT, NULL, 0, "Print the tree as a graph for Graphviz"},
    CLI_WHERE(struct show_args, where),
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct show_args *a = state->input;

    switch (key) {
    case ARGP_KEY_END:
        if (a->json && !a->decisions)
            argp_error(state, "--json needs --decisions");
        return 0;
    case KEY_DOT:
        a->dot = a->tree = true;
        return 0;
    default:
        return cli_set(options, key, arg, state);
    }
}

/* ---- one expression */

static int show_expr(struct lift_db *db, const char *digits)
{
    LIFT_SCOPED(lift_str) text = {0};
    struct lift_hash id;
    char hex[LIFT_HASH_HEX];
    bool good = lift_db_find(db, LIFT_DB_ID_EXPR, digits, &id);

    if (!good)
        return cli_fail(CLI_FAILED, "%s", lift_db_error(db));
    if (lift_db_text(db, LIFT_DB_TEXT_EXPR, lift_hash_hex(id, hex), &text))
        puts(lift_str_get(&text));
    else
        cli_fail(CLI_DONE, "%s", lift_db_error(db));
    good = cli_print_derivation(db, id);
    return good ? CLI_DONE : cli_fail(CLI_FAILED, "%s", lift_db_error(db));
}

/* ---- one problem on one device */

static bool show_trials(struct lift_db *db, const struct lift_db_explored *row)
{
    int64_t by_status[LIFT_TRIAL_STATUSES];
    LIFT_SCOPED(report_top) top = {.most = TOP};
    char hex[LIFT_HASH_HEX];
    bool good = lift_db_counts(db, row->problem, row->device_id, by_status) &&
                report_top_load(&top, db, row->problem, row->device_id);

    for (int i = 0; i < LIFT_TRIAL_STATUSES; i++)
        if (by_status[i])
            printf("  %-16s %lld\n", lift_trial_status_name((enum lift_trial_status)i),
                   (long long)by_status[i]);
    for (int i = 0; i < top.count; i++)
        printf("  %2d. %9.4g ms  %-11s  %.12s  %s\n", i + 1, 1e3 * top.rows[i].seconds,
               top.rows[i].confirmed ? "confirmed" : "unconfirmed",
               lift_hash_hex(top.rows[i].expr, hex), top.rows[i].tunables);
    return good;
}

static bool print_failure(void *user, const struct lift_db_failure *f)
{
    (void)user;
    printf("  %6lld  %-16s %s\n", (long long)f->count, f->status, f->reason);
    return true;
}

static bool print_reach(void *user, const struct lift_db_reach *r)
{
    (void)user;
    printf("  %6lld  %s%s%s\n", (long long)r->count, r->what, *r->reason ? ": " : "",
           r->reason);
    return true;
}

static bool show_failures(struct lift_db *db, const struct lift_db_explored *row)
{
    if (!lift_db_failures(db, row->problem, row->device_id, print_failure, NULL))
        return false;
    puts("  the last session:");
    return lift_db_reach(db, row->problem, row->device_id, print_reach, NULL);
}

static bool print_family(void *user, const struct lift_db_family *f)
{
    double *best = user;
    char hex[LIFT_HASH_HEX];

    if (*best <= 0) {
        *best = f->seconds;
        printf("  %-24s %9s %6s %6s %7s %7s  %s\n", "family", "GPts/s", "%copy", "ratio",
               "trials", "exprs", "its fastest expression");
    }
    printf("  %-24s %9.3f ", *f->family ? f->family : "(rules alone)", f->gpts);
    if (f->copy_share > 0)
        printf("%6.1f ", 100 * f->copy_share);
    else
        printf("%6s ", "-");
    printf("%6.3f %7lld %7lld  %.12s\n", *best / f->seconds, (long long)f->trials,
           (long long)f->exprs, lift_hash_hex(f->expr, hex));
    return true;
}

static bool show_families(struct lift_db *db, const struct lift_db_explored *row)
{
    double best = 0;

    return lift_db_families(db, row->problem, row->device_id, print_family, &best);
}

struct problems {
    const struct show_args *args;
    struct lift_db *db;
    struct report_wanted wanted;
    int count;
    bool good;
};

static bool show_problem(void *user, const struct lift_db_explored *row)
{
    struct problems *p = user;

    if (!report_sizes_agree(p->wanted.sizes, p->wanted.size_count, row->sizes))
        return true;
    p->count++;
    if (p->args->tree)
        return p->good = cli_tree(p->db, row, p->args->dot);
    cli_print_subject(&(struct cli_subject){row->program, row->sizes, row->dtype,
                                            row->device, row->runtime, row->steps});
    printf(": %lld trials of %lld expressions, %lld verified\n", (long long)row->trials,
           (long long)row->exprs, (long long)row->verified);
    if (p->args->families)
        return p->good = show_families(p->db, row);
    if (p->args->failures) {
        p->good = show_failures(p->db, row);
        return p->good;
    }
    return p->good = show_trials(p->db, row);
}

static int show_problems(struct problems *p)
{
    p->good = true;
    if (!lift_db_explored(p->db, &p->wanted.filter, show_problem, p) || !p->good)
        return cli_fail(CLI_FAILED, "%s", lift_db_error(p->db));
    if (p->count > 0)
        return CLI_DONE;
    return cli_nothing(p->db, "trials", REPORT_ROWS_EXPLORED, &p->wanted);
}

static int show(struct problems *p, struct lift_arena *arena)
{
    const struct show_args *a = p->args;
    int status = CLI_USAGE;

    p->db = cli_open(a->where.db);
    if (!p->db)
        return CLI_FAILED;
    if (a->expr)
        status = show_expr(p->db, a->expr);
    else if (cli_wanted(p->db, arena, &a->where, &p->wanted, &status))
        status = a->decisions ? cli_show_decisions(p->db, &p->wanted, a->json)
                              : show_problems(p);
    lift_db_close(p->db);
    return status;
}

static const struct cli_argp argp = {options, parse, "[PROGRAM | FILE.lift]",
                                     "Show the trials of a database and their results.",
                                     &cli_where_argp};

static int run(int argc, char **argv)
{
    struct show_args a = {.expr = NULL};
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    struct problems problems = {.args = &a};

    cli_parse(&argp, argc, argv, &a);
    return show(&problems, arena);
}

const struct cli_command cli_show = {"show", "show trials, failures and derivations", run,
                                     &argp};
