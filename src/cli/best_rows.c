/* Finds the kernels for a request: rows of the database, or a kernel derived for the
 * request. */
#include "base/memory.h"
#include "cli/best.h"
#include "tuner/db_report.h"
#include <stdlib.h>
#include <unistd.h>

/* ---- the request */

/* Loads the program of a file. Only rows of this exact program match, not of others
 * with the same name. */
static int load_file(struct best *b)
{
    LIFT_SCOPED(lift_error) errors = {0};
    LIFT_OWNED(lift_ir) *ir = lift_ir_create();
    const struct lift_program *program = NULL;
    int status = CLI_DONE;
    const struct lift_program_options sizes = {.sizes = b->wanted.sizes,
                                               .size_count = b->wanted.size_count};

    if (cli_source(b->where.program, b->where.precision, b->where.steps, &b->source,
                   &errors))
        program = lift_program_load_general(&ir, &b->source, &sizes, &errors);
    if (program) {
        char hex[LIFT_HASH_HEX];

        b->name = lift_arena_strdup(b->arena, program->name);
        b->by_name = b->where.steps == 0 && program->steps <= 1 && program->iterative;
        b->wanted.filter.program =
            lift_arena_strdup(b->arena, lift_hash_hex(lift_program_id(program), hex));
        b->wanted.filter.dtype = NULL;
        b->wanted.filter.steps = 0;
    } else {
        status = cli_malformed(&errors);
    }
    return status;
}

static bool open_db(struct best *b)
{
    if (!b->db_given && b->where.program && access(b->where.db, F_OK) != 0)
        return true;
    b->db = cli_open(b->where.db);
    return b->db != NULL;
}

static bool find_program(struct best *b, int *status)
{
    const char *program = b->where.program;

    if (cli_is_file(program)) {
        *status = load_file(b);
        return *status == CLI_DONE;
    }
    if (b->db)
        return cli_program(b->db, b->arena, program, &b->wanted.filter.program, status);
    *status =
        cli_fail(CLI_FAILED, "no program '%s': give its file, or a database", program);
    return false;
}

bool best_prepare(struct best *b, int *status)
{
    const struct report_where *w = &b->where;

    *status = CLI_USAGE;
    b->wanted = (struct report_wanted){
        .where = w, .filter = {NULL, NULL, w->device, w->dtype, w->steps}};
    if (!cli_sizes(b->arena, w->size, &b->wanted.sizes, &b->wanted.size_count))
        return false;
    *status = CLI_FAILED;
    if (!open_db(b) || !find_program(b, status))
        return false;
    if (w->device && lift_runtime_named(w->device)) {
        LIFT_SCOPED(lift_str) why = {0};

        b->here = lift_explore_device(w->device, false, b->probed, &why);
    }
    return true;
}

/* ---- rows */

static bool take_row(void *user, const struct lift_db_best *row)
{
    struct best *b = user;
    struct lift_db_best kept = *row;

    if (!report_sizes_agree(b->wanted.sizes, b->wanted.size_count, row->sizes) ||
        (b->here && !lift_hash_equal(lift_device_hash(&b->probed->info), row->device_id)))
        return true;
    kept.program = lift_arena_strdup(b->arena, row->program);
    kept.sizes = lift_arena_strdup(b->arena, row->sizes);
    kept.device = lift_arena_strdup(b->arena, row->device);
    kept.runtime = lift_arena_strdup(b->arena, row->runtime);
    kept.tunables = lift_arena_strdup(b->arena, row->tunables);
    kept.dtype = lift_arena_strdup(b->arena, row->dtype);
    LIFT_ROOM(b->rows, b->count, b->cap);
    b->rows[b->count++] = kept;
    return true;
}

static int name_rows(const struct best *b)
{
    LIFT_SCOPED(lift_str) names = {0};

    for (int i = 0; i < b->count; i++) {
        const struct lift_db_best *row = &b->rows[i];

        lift_str_add(&names, "\n  ");
        cli_add_subject(&names,
                        &(struct cli_subject){row->program, row->sizes, row->dtype,
                                              row->device, row->runtime, row->steps});
    }
    cli_fail(CLI_USAGE, CLI_SEVERAL, b->count, "kernels", lift_str_get(&names));
    return CLI_USAGE;
}

/* Derives a kernel of the user's program with these time steps a launch. */
static int choose_own(struct best *b, int steps, const struct lift_size_setting *sizes,
                      int count)
{
    LIFT_SCOPED(lift_error) errors = {0};
    struct lift_source source;
    int status = depth_source(&b->source, steps, &source, &errors)
                     ? best_choose(b, &source, sizes, count)
                     : cli_malformed(&errors);

    lift_source_free(&source);
    return status;
}

/* Derives the kernel of a program of the database that has no row for the request. Of the
 * programs of one name, single steps come first. */
static int choose_nearest(struct best *b, const struct lift_db_filter *which)
{
    struct lift_db_filter single = *which;
    struct lift_source stored = {0};
    int status;

    if (!single.steps)
        single.steps = 1;
    status = best_stored_source(b, &single, b->where.program, &stored) ||
                     best_stored_source(b, which, b->where.program, &stored)
                 ? best_choose_nearest(b, &stored, b->wanted.sizes, b->wanted.size_count)
                 : cli_fail(CLI_FAILED, "%s", lift_db_error(b->db));
    lift_source_free(&stored);
    return status;
}

/* Derives the kernel of a program of the database. */
static int choose_stored(struct best *b, const struct lift_db_filter *which,
                         const struct lift_size_setting *sizes, int count)
{
    struct lift_source stored = {0};
    const char *name = b->where.program ? b->where.program : which->program;
    int status = best_stored_source(b, which, name, &stored)
                     ? best_choose(b, &stored, sizes, count)
                     : cli_fail(CLI_FAILED, "%s", lift_db_error(b->db));

    lift_source_free(&stored);
    return status;
}

/* Returns the only answer, or its single sweep if the answer cannot be derived again. */
static const struct lift_db_best *derivable(const struct best *b)
{
    const struct lift_db_best *row = &b->rows[0], *single = best_other(b, row, true);
    LIFT_SCOPED(lift_str) why = {0};
    struct lift_chosen *chosen;
    struct lift_rules *rules;
    int status;

    if (row->steps == 1 || !single)
        return row;
    rules = cli_load_rules(b->rule_files, b->rule_count, b->force_rules, &status);
    if (!rules)
        return NULL;
    chosen = best_again(b, row, rules, &why);
    if (!chosen)
        cli_fail(CLI_DONE, "the single sweep replaces %d time steps a launch: %s",
                 row->steps, lift_str_get(&why));
    row = chosen ? row : single;
    lift_chosen_destroy(chosen);
    lift_rules_destroy(rules);
    return row;
}

/* Prints the source of the only matching row as stored in the database. */
static int emit_row(struct best *b)
{
    const struct lift_db_best *row = &b->rows[0];
    struct lift_size_setting *sizes;
    char program[LIFT_HASH_HEX];
    int count;

    if (b->count > 1)
        return name_rows(b);
    if (!best_find_device(b, row->device_id))
        return CLI_FAILED;
    row = derivable(b);
    if (!row)
        return CLI_FAILED;
    count = report_sizes_of(b->arena, row->sizes, &sizes);
    if (b->source.text)
        return choose_own(b, b->by_name ? row->steps : 1, sizes, count);
    return choose_stored(
        b, &(struct lift_db_filter){.program = lift_hash_hex(row->program_id, program)},
        sizes, count);
}

/* ---- showing rows */

/* If the user named the program, JSON and --verbose show the kernels of a launch.
 * These must be derived again, which takes about 20 ms for each row. */
static bool show_row(struct best *b, const struct lift_db_best *row,
                     const struct lift_rules *rules, json_t *list)
{
    struct lift_chosen *chosen = NULL;
    LIFT_SCOPED(lift_str) why = {0};
    json_t *json;
    bool good = true, again = rules && (b->json || b->verbose);

    if (again && !best_find_device(b, row->device_id))
        return false;
    if (again && !(chosen = best_again(b, row, rules, &why)))
        cli_fail(CLI_DONE, "the kernels of a launch of '%s' are not shown: %s",
                 row->program, lift_str_get(&why));
    json = best_row_json(b, row, rules, lift_chosen_facts(chosen));
    if (json)
        json_array_append_new(list, json);
    good = json && (b->json || best_print(b, json, row->expr));
    lift_chosen_destroy(chosen);
    return good;
}

static int show_rows(struct best *b)
{
    int status = CLI_DONE;
    struct lift_rules *rules =
        b->where.program
            ? cli_load_rules(b->rule_files, b->rule_count, b->force_rules, &status)
            : NULL;
    json_t *list = json_array();

    for (int i = 0; i < b->count && status == CLI_DONE; i++)
        if (!show_row(b, &b->rows[i], rules, list))
            status = CLI_FAILED;
    if (b->json)
        cli_print_json(list);
    else
        json_decref(list);
    lift_rules_destroy(rules);
    return status;
}

/* ---- a kernel for sizes or devices that were not explored */

struct first {
    struct lift_hash device;
    bool found;
};

static bool take_first(void *user, const struct lift_db_best *row)
{
    *(struct first *)user = (struct first){row->device_id, true};
    return false;
}

/* Sets the device of the request, or else the host. A name of the database selects
 * its stored device. */
static bool name_device(struct best *b, struct lift_str *why)
{
    const char *device = b->where.device;
    struct lift_db_filter filter = {.device = device};
    struct first first = {.found = false};

    if (b->here)
        return true;
    if (device && b->db && lift_db_best(b->db, &filter, take_first, &first) &&
        first.found)
        return best_find_device(b, first.device);
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

static int nothing_explored(struct best *b)
{
    const struct lift_db_filter which = {.program = b->wanted.filter.program,
                                         .dtype = b->wanted.filter.dtype,
                                         .steps = b->wanted.filter.steps};
    bool known = b->source.text != NULL;
    LIFT_SCOPED(lift_str) why = {0};

    if (!b->where.program)
        return cli_nothing(b->db, "verified kernel", REPORT_ROWS_BEST, &b->wanted);
    if (!known && b->emit == BEST_SHOW && b->wanted.size_count == 0) {
        cli_nothing(b->db, "verified kernel", REPORT_ROWS_BEST, &b->wanted);
        return cli_fail(CLI_FAILED,
                        "give its file, or --size, for the kernel that is nearest");
    }
    if (!known && !lift_db_problems(b->db, &which, take_problem, &known))
        return cli_fail(CLI_FAILED, "%s", lift_db_error(b->db));
    if (!known) {
        cli_nothing(b->db, "verified kernel", REPORT_ROWS_BEST, &b->wanted);
        return cli_fail(CLI_FAILED, "give its file, for a kernel that is not explored");
    }
    if (!name_device(b, &why))
        return why.len ? no_device(b, lift_str_get(&why)) : CLI_FAILED;
    if (b->source.text)
        return best_choose_nearest(b, &b->source, b->wanted.sizes, b->wanted.size_count);
    return choose_nearest(b, &which);
}

int best_answer(struct best *b)
{
    struct lift_db_filter filter = b->wanted.filter;

    if (b->here)
        filter.device = NULL;
    /* The ids of programs with several steps differ from the file's id, so the filter
     * uses the name. */
    if (b->by_name)
        filter.program = b->name;
    if (b->db && !lift_db_best(b->db, &filter, take_row, b))
        return cli_fail(CLI_FAILED, "%s", lift_db_error(b->db));
    best_join_depths(b);
    if (b->count == 0)
        return nothing_explored(b);
    if (b->emit != BEST_SHOW)
        return emit_row(b);
    return b->where.program || b->json ? show_rows(b) : best_table(b);
}
