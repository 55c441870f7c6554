#include "cli/scaling/scaling.h"
#include "report/page.h"
#include <string.h>

struct report_args {
    struct report_where where;
    const char *db, *out, *scaling;
};

static const struct cli_option options[] = {
    {"output", 'o', "FILE", 0, "Write here (report.html); '-' is the standard output",
     CLI_WORD(struct report_args, out)},
    {"program", 'p', "NAME", 0, "Only this program: its name, its id or a .lift file",
     CLI_WORD(struct report_args, where.program)},
    {"scaling", 0, "FILE", 0,
     "A section about runs on several devices, of what bench/scaling.sh printed; the "
     "database has the program",
     CLI_WORD(struct report_args, scaling)},
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

/* The program as the database has it, which is data: C in it is refused. */
static int find_stencil(struct lift_db *db, struct report_scaling *s)
{
    const struct lift_db_filter which = {.program = s->measured.program};
    const struct lift_program_options stored = {.stored = true};
    LIFT_SCOPED(lift_str) text = {0}, why = {0};
    struct lift_source source = {.name = s->measured.program};
    struct scaling_grid grid;

    if (!lift_db_program(db, &which, &text))
        return cli_fail(CLI_FAILED, "%s", lift_db_error(db));
    source.text = text.data;
    source.len = text.len;
    return scaling_of_program(&source, &stored, &s->stencil, &grid, &why)
               ? CLI_DONE
               : cli_fail(CLI_FAILED, "%s", lift_str_get(&why));
}

static int load_scaling(struct lift_db *db, const char *path, struct report_scaling *s)
{
    int status = cli_scaling_read(path, &s->measured);

    s->machine = scaling_nominal;
    if (status == CLI_DONE)
        status = find_stencil(db, s);
    if (status == CLI_DONE)
        s->fitted = scaling_fit(&s->measured, &s->stencil, &s->machine);
    return status;
}

static int report(const struct report_args *a)
{
    struct report_scaling scaling;
    struct report r = {.arena = lift_arena_create(), .path = a->db};
    struct html h = {.ids = 0};
    int status = CLI_FAILED;

    r.db = cli_open(a->db);
    if (r.db)
        status = load(&r, &a->where);
    if (r.db && status == CLI_DONE && a->scaling)
        status = load_scaling(r.db, a->scaling, &scaling);
    if (r.db && status == CLI_DONE) {
        report_page(&h, &r, a->scaling ? &scaling : NULL);
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
