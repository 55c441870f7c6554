#include "cli/cli.h"
#include "report/document.h"
#include <string.h>

struct report_args {
    struct report_where where;
    const char *db, *out;
    bool json;
};

static const struct cli_option options[] = {
    {"output", 'o', "FILE", 0,
     "Write here (report.html, with --json the standard output); '-' is the standard "
     "output",
     CLI_WORD(struct report_args, out)},
    {"json", 'j', NULL, 0, "Write the data of the page as JSON (docs/report.md)",
     CLI_FLAG(struct report_args, json)},
    {"program", 'p', "NAME", 0, "Only this program: its name, its id or a .lift file",
     CLI_WORD(struct report_args, where.program)},
    CLI_WHERE(struct report_args, where),
    CLI_ONE(struct report_args, db, "database"),
    {0}};

static const char doc[] =
    "Write a page about what was explored.\v"
    "The page is one HTML file that needs no network: best kernels and their "
    "derivations, rooflines, best over time, trials by cause, devices side by side. Its "
    "tables are sorted and filtered by JavaScript. "
    "DB is the database (lift.db), as with --db.";

static int write_report(const struct report_args *a, const json_t *document)
{
    LIFT_SCOPED(lift_str) text = {0};

    if (a->json) {
        report_print(document, &text);
        lift_str_addc(&text, '\n');
    } else {
        report_page(document, &text);
    }
    if (!cli_write(a->out, text.data, text.len))
        return CLI_FAILED;
    if (strcmp(a->out, "-") != 0)
        printf("%s\n", a->out);
    return CLI_DONE;
}

static int report(const struct report_args *a)
{
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    struct lift_db *db = cli_open(a->db);
    struct report_wanted wanted;
    int status = CLI_FAILED;

    if (db && cli_wanted(db, arena, &a->where, &wanted, &status)) {
        json_auto_t *document = report_document(db, a->db, &wanted, arena);

        status = document ? write_report(a, document)
                          : cli_fail(CLI_FAILED, "%s", lift_db_error(db));
    }
    lift_db_close(db);
    return status;
}

static const struct cli_argp argp = {options, NULL, "[DB]", doc, &cli_where_argp};

static int run(int argc, char **argv)
{
    struct report_args a = {.out = NULL};

    cli_parse(&argp, argc, argv, &a);
    if (!a.db)
        a.db = a.where.db ? a.where.db : cli_default_db;
    if (!a.out)
        a.out = a.json ? "-" : "report.html";
    return report(&a);
}

const struct cli_command cli_report = {"report", "write a page about an exploration", run,
                                       &argp};
