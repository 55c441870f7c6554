#include "cli/cli.h"
#include "report/page.h"
#include <string.h>

struct report_args {
    struct report_where where;
    const char *db, *out;
};

static const struct cli_option options[] = {
    {"output", 'o', "FILE", 0, "Write here (report.html); '-' is the standard output",
     CLI_WORD(struct report_args, out)},
    {"program", 'p', "NAME", 0, "Only this program: its name, its id or a .lift file",
     CLI_WORD(struct report_args, where.program)},
    CLI_WHERE(struct report_args, where),
    CLI_ONE(struct report_args, db, "database"),
    {0}};

static const char doc[] =
    "Write a page about what was explored.\v"
    "The page is one HTML file that needs no network: best kernels and their "
    "derivations, rooflines, best over time, tries by cause, devices side by side. "
    "DB is the database (lift.db), as with --db.";

static int write_page(const struct html *h, const char *path)
{
    if (!cli_write(path, h->out.data, h->out.len))
        return CLI_FAILED;
    if (strcmp(path, "-") != 0)
        printf("%s\n", path);
    return CLI_DONE;
}

static int load(struct report *r, const struct report_where *where)
{
    int status = CLI_FAILED;

    if (!cli_wanted(r->db, r->arena, where, &r->wanted, &status))
        return status;
    return report_load(r) ? CLI_DONE : cli_fail(CLI_FAILED, "%s", lift_db_error(r->db));
}

static int report(const struct report_args *a)
{
    struct report r = {.arena = lift_arena_create(), .path = a->db};
    struct html h = {.ids = 0};
    int status = CLI_FAILED;

    r.db = cli_open(a->db);
    if (r.db)
        status = load(&r, &a->where);
    if (r.db && status == CLI_DONE) {
        report_page(&h, &r);
        status = write_page(&h, a->out);
    }
    lift_db_close(r.db);
    lift_str_fini(&h.out);
    report_free(&r);
    return status;
}

static const struct cli_argp argp = {options, NULL, "[DB]", doc, &cli_where_argp};

static int run(int argc, char **argv)
{
    struct report_args a = {.out = "report.html"};

    cli_parse(&argp, argc, argv, &a);
    if (!a.db)
        a.db = a.where.db ? a.where.db : cli_default_db;
    return report(&a);
}

const struct cli_command cli_report = {"report", "write a page about an exploration", run,
                                       &argp};
