#include "cli/cli.h"
#include "report/document.h"
#include "report/measured.h"
#include <string.h>

enum { MOST_FILES = 16 };

struct report_args {
    struct report_where where;
    const char *db, *out, *measured[MOST_FILES];
    int measured_count;
    bool json;
};

static const struct cli_option options[] = {
    {"output", 'o', "FILE", 0,
     "Write the page to FILE (report.html; with --json the standard output). '-' is the "
     "standard output",
     CLI_WORD(struct report_args, out)},
    {"json", 'j', NULL, 0, "Write the data of the page as JSON (docs/report.md)",
     CLI_FLAG(struct report_args, json)},
    {"measured", 'm', "FILE.csv", 0,
     "Compare with the kernels by hand, peers and counters of this file "
     "(docs/report.md); "
     "may be repeated",
     CLI_LIST(struct report_args, measured, measured_count, "files")},
    {"program", 'p', "NAME", 0, "Select a program by its name, its id or its .lift file",
     CLI_WORD(struct report_args, where.program)},
    CLI_WHERE(struct report_args, where),
    CLI_ONE(struct report_args, db, "database"),
    {0}};

static const char doc[] =
    "Write a report page about explorations.\v"
    "The page is one HTML file that works without a network. It compares the best "
    "kernels with "
    "the naive kernel and the device's ceilings, and shows the search: best so far, "
    "kernel families, important parameters, failures, sources. "
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

/* Returns false after a message. */
static bool add_measured(const struct report_args *a, json_t *document)
{
    json_t *rows = json_object_get(document, "measured");

    for (int i = 0; i < a->measured_count; i++) {
        const char *path = a->measured[i];
        size_t before = json_array_size(rows);
        LIFT_SCOPED(lift_str) why = {0};
        int others = 0;

        if (!report_measured_read(path, document, rows, &others, &why))
            return CLI_REFUSE("%s", lift_str_get(&why));
        fprintf(stderr, "%s: %zu rows are of kernels in this report, %d are of others\n",
                path, json_array_size(rows) - before, others);
    }
    return true;
}

static int report(const struct report_args *a)
{
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    struct lift_db *db = cli_open(a->db);
    struct report_wanted wanted;
    int status = CLI_FAILED;

    if (db && cli_wanted(db, arena, &a->where, &wanted, &status)) {
        json_auto_t *document = report_document(db, a->db, &wanted, arena);

        status = !document ? cli_fail(CLI_FAILED, "%s", lift_db_error(db))
                 : add_measured(a, document) ? write_report(a, document)
                                             : CLI_FAILED;
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

const struct cli_command cli_report = {"report", "write a report page about explorations",
                                       run, &argp};
