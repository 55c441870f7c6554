/* Which kernels a question is about: rows of the database, or none. */
#include "base/memory.h"
#include "cli/best.h"
#include "tuner/db_report.h"
#include <stdlib.h>

struct best_rows {
    struct best *best;
    const struct lift_hash *device; /* only of this one; NULL: of all */
    struct best_kernels kernels;
    struct lift_hash device_id; /* of the first device that fits */
    bool found;
    json_t *list;
};

static bool take_row(void *user, const struct lift_db_best *row)
{
    struct best_rows *r = user;
    const struct best *b = r->best;
    struct lift_db_best kept = *row;

    if (!report_sizes_agree(b->wanted.sizes, b->wanted.size_count, row->sizes) ||
        (r->device && !lift_hash_equal(*r->device, row->device_id)))
        return true;
    kept.program = lift_arena_strdup(b->arena, row->program);
    kept.sizes = lift_arena_strdup(b->arena, row->sizes);
    kept.device = lift_arena_strdup(b->arena, row->device);
    kept.runtime = lift_arena_strdup(b->arena, row->runtime);
    kept.tunables = lift_arena_strdup(b->arena, row->tunables);
    kept.dtype = lift_arena_strdup(b->arena, row->dtype);
    LIFT_ROOM(r->kernels.rows, r->kernels.count, r->kernels.cap);
    r->kernels.rows[r->kernels.count++] = kept;
    return true;
}

static int name_rows(const struct best_kernels *kernels)
{
    LIFT_SCOPED(lift_str) names = {0};

    for (int i = 0; i < kernels->count; i++) {
        const struct lift_db_best *row = &kernels->rows[i];

        lift_str_add(&names, "\n  ");
        cli_add_subject(&names,
                        &(struct cli_subject){row->program, row->sizes, row->dtype,
                                              row->device, row->runtime, row->steps});
    }
    cli_fail(CLI_USAGE, CLI_SEVERAL, kernels->count, "kernels", lift_str_get(&names));
    return CLI_USAGE;
}

/* The one row that fits, as it is in the database. */
static int emit_row(struct best_rows *r)
{
    const struct lift_db_best *row = &r->kernels.rows[0];
    struct lift_size_setting *sizes;
    char program[LIFT_HASH_HEX];
    int count;

    if (r->kernels.count > 1)
        return name_rows(&r->kernels);
    if (!r->best->source.text &&
        !best_load_stored(
            r->best,
            &(struct lift_db_filter){.program = lift_hash_hex(row->program_id, program)}))
        return CLI_FAILED;
    if (!best_find_device(r->best, row->device_id))
        return CLI_FAILED;
    count = report_sizes_of(r->best->arena, row->sizes, &sizes);
    return best_choose(r->best, sizes, count, &r->best->probed->info);
}

/* ---- showing rows */

/* Of a program that was asked for by name, with the kernels of a launch: these are made
 * again, which takes some 20 ms each. */
static bool show_row(struct best_rows *r, const struct lift_db_best *row,
                     const struct lift_rules *rules)
{
    const struct best *b = r->best;
    json_t *json = r->list ? cli_best_json(b->db, row) : NULL;
    struct lift_chosen *chosen = NULL;
    LIFT_SCOPED(lift_str) why = {0};

    if (!json)
        cli_print_best(b->db, row);
    if (rules && !best_find_device(b, row->device_id))
        return false;
    if (rules && !(chosen = best_again(b, row, rules, &why)))
        cli_fail(CLI_DONE, "the kernels of a launch of '%s' are not shown: %s",
                 row->program, lift_str_get(&why));
    if (json) {
        json_object_set_new(json, "chosen", json_string("exact"));
        json_object_set_new(json, "kernels", cli_kernels_json(lift_chosen_facts(chosen)));
        json_array_append_new(r->list, json);
    } else if (chosen) {
        cli_print_kernels(lift_chosen_facts(chosen));
    }
    lift_chosen_destroy(chosen);
    return true;
}

static int show_rows(struct best_rows *r)
{
    const struct best *b = r->best;
    int status = CLI_DONE;
    struct lift_rules *rules =
        b->where.program
            ? cli_load_rules(b->rule_files, b->rule_count, b->force_rules, &status)
            : NULL;

    for (int i = 0; i < r->kernels.count && status == CLI_DONE; i++)
        if (!show_row(r, &r->kernels.rows[i], rules))
            status = CLI_FAILED;
    if (r->list)
        cli_print_json(json_incref(r->list));
    lift_rules_destroy(rules);
    return status;
}

/* ---- a kernel for what was not explored */

static bool take_device(void *user, const struct lift_db_best *row)
{
    struct best_rows *r = user;

    r->device_id = row->device_id;
    r->found = true;
    return false;
}

/* A device that is named as in the database, or the host. */
static bool name_device(struct best_rows *r, struct lift_str *why)
{
    const struct best *b = r->best;
    const char *device = b->where.device;
    struct lift_db_filter filter = {.device = device};

    if (b->here)
        return true;
    if (device && b->db && lift_db_best(b->db, &filter, take_device, r) && r->found)
        return best_find_device(b, r->device_id);
    return lift_explore_device(device ? device : "host", false, b->probed, why);
}

static int no_device(const struct best *b, const char *why)
{
    LIFT_SCOPED(lift_str) others = {0};

    if (b->db && !report_say_others(b->db, REPORT_ROWS_BEST, &b->wanted, &others))
        lift_str_addf(&others, "; %s", lift_db_error(b->db));
    cli_fail(CLI_FAILED, "no verified kernel of '%s' for --device '%s' in the database%s",
             b->where.program, b->where.device, lift_str_get(&others));
    cli_fail(CLI_FAILED, "%s", why);
    return CLI_FAILED;
}

static bool take_problem(void *user, const struct lift_db_problem_row *row)
{
    (void)row;
    *(bool *)user = true;
    return false;
}

/* A program that is given by name. */
static int load_named(struct best *b)
{
    struct lift_db_filter filter = {.program = b->wanted.filter.program,
                                    .dtype = b->wanted.filter.dtype,
                                    .steps = b->wanted.filter.steps};
    bool known = false;

    if (b->source.text)
        return CLI_DONE;
    if (!lift_db_problems(b->db, &filter, take_problem, &known))
        return cli_fail(CLI_FAILED, "%s", lift_db_error(b->db));
    if (!known) {
        cli_nothing(b->db, "verified kernel", REPORT_ROWS_BEST, &b->wanted);
        return cli_fail(CLI_FAILED, "give its file, for a kernel that is not explored");
    }
    return best_load_stored(b, &filter) ? CLI_DONE : CLI_FAILED;
}

static int nothing_explored(struct best_rows *r)
{
    struct best *b = r->best;
    LIFT_SCOPED(lift_str) why = {0};
    int status;

    if (!b->where.program)
        return cli_nothing(b->db, "verified kernel", REPORT_ROWS_BEST, &b->wanted);
    if (!b->source.text && b->emit == BEST_SHOW && b->wanted.size_count == 0) {
        cli_nothing(b->db, "verified kernel", REPORT_ROWS_BEST, &b->wanted);
        return cli_fail(CLI_FAILED,
                        "give its file, or --size, for the kernel that is nearest");
    }
    status = load_named(b);
    if (status != CLI_DONE)
        return status;
    if (name_device(r, &why))
        status = best_choose(b, b->wanted.sizes, b->wanted.size_count, &b->probed->info);
    else
        status = why.len ? no_device(b, lift_str_get(&why)) : CLI_FAILED;
    return status;
}

/* For a run, rows of a file's program are looked for by name: those of several steps have
 * other ids. The file is the program again where there are none. */
static void set_file_aside(struct best *b, struct lift_db_filter *filter)
{
    b->file = b->source;
    b->source = (struct lift_source){.text = NULL};
    filter->program = b->name;
}

static void take_file_back(struct best *b)
{
    b->source = b->file;
    b->file = (struct lift_source){.text = NULL};
}

static int answer(struct best_rows *r, struct lift_db_filter *filter)
{
    struct best *b = r->best;

    if (b->run && b->source.text)
        set_file_aside(b, filter);
    if (b->db && !lift_db_best(b->db, filter, take_row, r))
        return cli_fail(CLI_FAILED, "%s", lift_db_error(b->db));
    if (b->run && !best_for_run(b, &r->kernels))
        return CLI_USAGE;
    if (r->kernels.count == 0) {
        if (b->file.text)
            take_file_back(b);
        return nothing_explored(r);
    }
    if (b->emit != BEST_SHOW)
        return emit_row(r);
    return b->where.program || r->list
               ? show_rows(r)
               : best_table(b->db, r->kernels.rows, r->kernels.count);
}

int best_answer(struct best *b)
{
    struct lift_hash device =
        b->here ? lift_device_hash(&b->probed->info) : (struct lift_hash){0};
    struct lift_db_filter filter = b->wanted.filter;
    struct best_rows r = {.best = b, .device = b->here ? &device : NULL};
    int status;

    if (b->here)
        filter.device = NULL;
    if (b->json && b->emit == BEST_SHOW)
        r.list = json_array();
    status = answer(&r, &filter);
    json_decref(r.list);
    free(r.kernels.rows);
    return status;
}
