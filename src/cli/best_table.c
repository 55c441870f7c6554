/* The best kernels of a database, a line each. */
#include "base/memory.h"
#include "cli/best.h"
#include "lift/rules.h"
#include "report/schedule.h"
#include "report/wanted.h"
#include <inttypes.h>
#include <string.h>

enum { PROGRAM, SIZES, TYPE, DEVICE, SPEED, SHARE, TIME, STEPS, SINGLE, HOW, COLUMNS };

static const char *const titles[COLUMNS] = {"program",
                                            "sizes",
                                            "type",
                                            "device",
                                            "GPts/s",
                                            "% of copy bandwidth",
                                            "a launch",
                                            "time steps a launch",
                                            "single sweep, GPts/s",
                                            "schedule"};

struct cells {
    struct lift_str text[COLUMNS];
};

static void add_sizes(const char *json, struct lift_str *out)
{
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    struct lift_size_setting *sizes;
    int count = report_sizes_of(arena, json, &sizes);

    for (int i = 0; i < count; i++)
        lift_str_addf(out, "%s%s=%" PRId64, i ? "," : "", sizes[i].name, sizes[i].value);
}

static bool fill(const struct best *b, const struct lift_rules *rules,
                 const struct lift_db_best *row, struct cells *c)
{
    const struct lift_db_best *single = best_other(b, row, true);
    json_t *interference;

    lift_str_add(&c->text[PROGRAM], row->program);
    add_sizes(row->sizes, &c->text[SIZES]);
    lift_str_add(&c->text[TYPE], row->dtype);
    lift_str_addf(&c->text[DEVICE], "%s (%s)", row->device, row->runtime);
    lift_str_addf(&c->text[SPEED], "%.3f", row->gpts);
    if (row->copy_share > 0)
        lift_str_addf(&c->text[SHARE], "%.1f", 100 * row->copy_share);
    lift_str_addf(&c->text[TIME], "%.4g ms", 1e3 * row->seconds);
    lift_str_addf(&c->text[STEPS], "%d", row->steps);
    if (single || row->steps == 1)
        lift_str_addf(&c->text[SINGLE], "%.3f", (single ? single : row)->gpts);
    if (!row->confirmed)
        lift_str_add(&c->text[HOW], "unconfirmed; ");
    if (!lift_db_interference(b->db, row->trial, row->device_id, &interference))
        return false;
    if (json_is_true(json_object_get(interference, "busy")))
        lift_str_add(&c->text[HOW], "timed on a busy machine; ");
    json_decref(interference);
    return report_schedule_of(b->db, rules, row->expr, row->tunables, &c->text[HOW]);
}

/* Columns of width 0 are omitted. */
static void print_line(const struct cells *c, const size_t widths[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++) {
        const char *text = c ? lift_str_get(&c->text[i]) : titles[i];

        if (i == HOW)
            puts(text);
        else if (widths[i])
            printf(i >= SPEED && i <= SINGLE ? "%*s  " : "%-*s  ", (int)widths[i], text);
    }
}

/* Prints the columns of temporal blocking if a kernel has it. */
static void print_all(const struct cells *cells, int count, bool temporal)
{
    size_t widths[COLUMNS];

    for (int i = 0; i < COLUMNS; i++) {
        bool shown = temporal || (i != STEPS && i != SINGLE);

        widths[i] = shown ? strlen(titles[i]) : 0;
        for (int k = 0; k < count && shown; k++)
            if (cells[k].text[i].len > widths[i])
                widths[i] = cells[k].text[i].len;
    }
    print_line(NULL, widths);
    for (int k = 0; k < count; k++)
        print_line(&cells[k], widths);
    puts("\n'lift best PROGRAM' prints the speedup and the next command of a program");
}

int best_table(const struct best *b)
{
    LIFT_FREED struct cells *cells = lift_alloc((size_t)b->count, sizeof *cells);
    struct lift_rules *rules = lift_rules_shipped();
    bool good = true, temporal = false;

    for (int k = 0; k < b->count && good; k++) {
        good = fill(b, rules, &b->rows[k], &cells[k]);
        temporal |= b->rows[k].steps > 1;
    }
    if (good)
        print_all(cells, b->count, temporal);
    lift_rules_destroy(rules);
    for (int k = 0; k < b->count; k++)
        for (int i = 0; i < COLUMNS; i++)
            lift_str_fini(&cells[k].text[i]);
    return good ? CLI_DONE : cli_fail(CLI_FAILED, "%s", lift_db_error(b->db));
}
