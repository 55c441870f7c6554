#include "cli/best.h"
#include "base/memory.h"
#include "run/chosen.h"
#include <unistd.h>

/* ---- the question */

/* Rows are those of this very program, whatever other ones have its name. */
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
        b->wanted.filter.program =
            lift_arena_strdup(b->arena, lift_hash_hex(lift_program_id(program), hex));
        b->wanted.filter.dtype = NULL;
        b->wanted.filter.steps = 0;
    } else {
        status = cli_malformed(&errors);
    }
    return status;
}

bool best_load_stored(struct best *b, const struct lift_db_filter *which)
{
    struct lift_str text = {0};

    if (!lift_db_program(b->db, which, &text)) {
        lift_str_fini(&text);
        return CLI_REFUSE("%s", lift_db_error(b->db));
    }
    b->source = (struct lift_source){
        .name = lift_strdup(b->where.program ? b->where.program : which->program),
        .len = text.len};
    b->source.text = lift_str_take(&text);
    b->stored = true;
    return true;
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

/* ---- showing */

static int show_json(const struct lift_chosen_facts *f)
{
    char hex[LIFT_HASH_HEX];
    json_t *row = json_pack(
        "{s:s, s:o, s:s, s:i, s:s, s:s, s:s, s:s, s:o, s:s, s:I, s:o}", "program",
        f->program, "sizes", chosen_parsed(f->sizes), "dtype", f->dtype, "steps",
        f->at_once, "device", f->device, "runtime", f->runtime, "chosen",
        lift_chosen_how_name(f->how), "why", f->words, "tunables",
        chosen_parsed(f->tunables), "expr", lift_hash_hex(f->expr, hex), "bytes",
        (json_int_t)f->bytes, "kernels", cli_kernels_json(f));

    cli_print_json(json_pack("[o]", row));
    return CLI_DONE;
}

static int show(const struct best *b, const struct lift_chosen_facts *f)
{
    char hex[LIFT_HASH_HEX];

    if (b->json)
        return show_json(f);
    cli_print_subject(&(struct cli_subject){f->program, f->sizes, f->dtype, f->device,
                                            f->runtime, f->at_once});
    printf("\n  %s: %s\n", lift_chosen_how_name(f->how), f->words);
    if (f->how != LIFT_CHOSEN_DEFAULT)
        printf("  %.3f GPts/s, %.4g ms a launch, there\n", f->gpts, 1e3 * f->seconds);
    printf("  tunables    %s\n", f->tunables);
    printf("  expression  %s\n", lift_hash_hex(f->expr, hex));
    if (f->how != LIFT_CHOSEN_DEFAULT) {
        printf("  try         %s\n", lift_hash_hex(f->trial, hex));
        if (!cli_print_derivation(b->db, f->expr))
            return cli_fail(CLI_FAILED, "%s", lift_db_error(b->db));
    }
    cli_print_kernels(f);
    return CLI_DONE;
}

/* ---- writing down */

/* With a kernel of single steps beside one of several. */
static void add_host(const struct best *b, const struct lift_choose_options *options,
                     const struct lift_chosen *chosen, struct lift_str *text,
                     struct lift_str *why)
{
    const struct lift_chosen_facts *f = lift_chosen_facts(chosen);
    struct lift_chosen *single = NULL;
    LIFT_SCOPED(lift_str) none = {0};

    if (f->at_once > 1 && !(single = best_single(b, options, f, &none)))
        cli_fail(CLI_DONE,
                 "the program has no time loop, which needs a kernel of single steps: %s",
                 lift_str_get(&none));
    (b->emit == BEST_HEADER ? lift_chosen_header : lift_chosen_host)(chosen, single, text,
                                                                     why);
    lift_chosen_destroy(single);
}

static int emit(const struct best *b, const struct lift_choose_options *options,
                const struct lift_chosen *chosen)
{
    const struct lift_chosen_facts *f = lift_chosen_facts(chosen);
    LIFT_SCOPED(lift_str) text = {0}, why = {0};

    if (b->emit == BEST_SOURCE)
        lift_str_add(&text, f->source);
    else if (b->emit == BEST_EXPR)
        lift_str_add(&text, f->expression);
    else if (b->emit == BEST_JSON)
        lift_chosen_json(chosen, &text);
    else
        add_host(b, options, chosen, &text, &why);
    if (f->how != LIFT_CHOSEN_EXACT || f->refused)
        cli_fail(CLI_DONE, "%s: %s", lift_chosen_how_name(f->how), f->words);
    return text.len
               ? cli_write(b->output ? b->output : "-", lift_str_get(&text), text.len)
                     ? CLI_DONE
                     : CLI_FAILED
               : cli_fail(CLI_FAILED,
                          "no program for '%s': %s; '--emit source' writes the "
                          "kernel, '--emit json' all that a launch of it takes",
                          f->program, lift_str_get(&why));
}

int best_choose(const struct best *b, const struct lift_size_setting *sizes, int count,
                const struct lift_device_info *device)
{
    int status = CLI_FAILED;
    struct lift_rules *rules =
        cli_load_rules(b->rule_files, b->rule_count, b->force_rules, &status);
    struct lift_choose_options o = {.source = &b->source,
                                    .stored = b->stored,
                                    .sizes = sizes,
                                    .size_count = count,
                                    .rules = rules,
                                    .db = b->db,
                                    .device = device};
    LIFT_SCOPED(lift_error) errors = {0};
    LIFT_SCOPED(lift_str) why = {0};
    struct lift_chosen *chosen = rules ? lift_choose(&o, &errors, &why) : NULL;

    if (chosen && (b->emit == BEST_HOST || b->emit == BEST_HEADER))
        lift_chosen_sound(chosen, &b->source, &errors);
    if (lift_error_count(&errors))
        status = cli_malformed(&errors);
    else if (chosen)
        status = b->emit == BEST_SHOW ? show(b, lift_chosen_facts(chosen))
                                      : emit(b, &o, chosen);
    else if (rules)
        status = cli_fail(CLI_FAILED, "%s", lift_str_get(&why));
    lift_chosen_destroy(chosen);
    lift_rules_destroy(rules);
    return status;
}
