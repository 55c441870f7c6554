#include "cli/best.h"
#include "lift/parse.h"
#include <errno.h>
#include <string.h>

/* ---- the program */

const char *best_dtype(const struct best *b)
{
    enum lift_scalar scalar;

    return b->precision && lift_precision_parse(b->precision, &scalar)
               ? lift_scalar_name(scalar)
               : NULL;
}

static bool is_file(const char *text)
{
    size_t len = strlen(text);

    return len > 5 && strcmp(text + len - 5, ".lift") == 0;
}

static int load_file(struct best *b)
{
    struct lift_diags diags = {0};
    struct lift_ir *ir = lift_ir_create();
    const struct lift_program *program = NULL;
    struct lift_hash id;
    int status = CLI_DONE;

    if (cli_source(b->program, b->precision, &b->source, &diags))
        program = lift_program_load(
            ir, &b->source, &(struct lift_program_options){.symbolic = true}, &diags);
    if (program) {
        char hex[LIFT_HASH_HEX];

        id = lift_program_id(program);
        b->program_id = lift_arena_strdup(b->arena, lift_hash_hex(id, hex));
    } else {
        status = cli_malformed(&diags);
    }
    lift_diags_fini(&diags);
    lift_ir_destroy(ir);
    return status;
}

/* By its name; several of one name are told apart by the beginning of their ids. */
static int load_stored(struct best *b)
{
    struct lift_str text = {0};

    if (!b->db)
        return cli_fail(CLI_FAILED, "no program '%s': give its file, or a database",
                        b->program);
    b->program_id = b->program;
    if (b->emit == BEST_SHOW && b->size_count == 0)
        return CLI_DONE; /* rows are enough */
    if (!lift_db_program(b->db, b->program, best_dtype(b), &text)) {
        lift_str_fini(&text);
        return cli_fail(CLI_FAILED, "%s", lift_db_error(b->db));
    }
    b->source = (struct lift_source){.name = strdup(b->program), .len = text.len};
    b->source.text = lift_str_take(&text);
    b->stored = true;
    return CLI_DONE;
}

bool best_load(struct best *b, int *status)
{
    *status = is_file(b->program) ? load_file(b) : load_stored(b);
    return *status == CLI_DONE;
}

/* ---- showing */

static json_t *parsed(const char *text)
{
    json_t *json = json_loads(text, 0, NULL);

    return json ? json : json_string(text);
}

static int show_json(const struct lift_chosen_facts *f)
{
    char hex[LIFT_HASH_HEX];
    json_t *row =
        json_pack("{s:s, s:o, s:s, s:s, s:s, s:s, s:o, s:s}", "program", f->program,
                  "sizes", parsed(f->sizes), "device", f->device, "runtime", f->runtime,
                  "chosen", lift_chosen_how_name(f->how), "why", f->words, "tunables",
                  parsed(f->tunables), "expr", lift_hash_hex(f->expr, hex));

    cli_print_json(json_pack("[o]", row));
    return CLI_DONE;
}

static int show(const struct best *b, const struct lift_chosen_facts *f)
{
    char hex[LIFT_HASH_HEX];

    if (b->json)
        return show_json(f);
    printf("%s %s on %s (%s)\n", f->program, f->sizes, f->device, f->runtime);
    printf("  %s: %s\n", lift_chosen_how_name(f->how), f->words);
    if (f->how != LIFT_CHOSEN_DEFAULT)
        printf("  %.3f GPts/s, %.4g ms a launch, there\n", f->gpts, 1e3 * f->seconds);
    printf("  tunables    %s\n", f->tunables);
    printf("  expression  %s\n", lift_hash_hex(f->expr, hex));
    if (f->how == LIFT_CHOSEN_DEFAULT)
        return CLI_DONE;
    printf("  try         %s\n", lift_hash_hex(f->try, hex));
    return cli_print_derivation(b->db, f->expr)
               ? CLI_DONE
               : cli_fail(CLI_FAILED, "%s", lift_db_error(b->db));
}

/* ---- writing down */

static int write_text(const struct best *b, const char *text)
{
    FILE *out = b->output ? fopen(b->output, "we") : stdout;
    bool good;

    if (!out)
        return cli_fail(CLI_FAILED, "cannot write '%s': %s", b->output, strerror(errno));
    good = fputs(text, out) >= 0;
    good = (b->output ? fclose(out) : fflush(out)) == 0 && good;
    return good ? CLI_DONE
                : cli_fail(CLI_FAILED, "cannot write '%s': %s",
                           b->output ? b->output : "stdout", strerror(errno));
}

static int emit(const struct best *b, const struct lift_chosen *chosen)
{
    const struct lift_chosen_facts *f = lift_chosen_facts(chosen);
    struct lift_str text = {0}, why = {0};
    int status;

    if (b->emit == BEST_SOURCE)
        lift_str_add(&text, f->module->source);
    else if (b->emit == BEST_EXPR)
        lift_str_add(&text, f->expression);
    else if (b->emit == BEST_JSON)
        lift_chosen_json(chosen, &text);
    else
        lift_chosen_host(chosen, &text, &why);
    if (f->how != LIFT_CHOSEN_EXACT || f->refused)
        cli_fail(CLI_DONE, "%s: %s", lift_chosen_how_name(f->how), f->words);
    status = text.len ? write_text(b, lift_str_get(&text))
                      : cli_fail(CLI_FAILED,
                                 "no program for '%s': %s; '--emit source' writes the "
                                 "kernel, '--emit json' all that a launch of it takes",
                                 f->program, lift_str_get(&why));
    lift_str_fini(&text);
    lift_str_fini(&why);
    return status;
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
    struct lift_diags diags = {0};
    struct lift_str why = {0};
    struct lift_chosen *chosen = rules ? lift_choose(&o, &diags, &why) : NULL;

    if (chosen)
        status =
            b->emit == BEST_SHOW ? show(b, lift_chosen_facts(chosen)) : emit(b, chosen);
    else if (diags.count)
        status = cli_malformed(&diags);
    else if (rules)
        status = cli_fail(CLI_FAILED, "%s", lift_str_get(&why));
    lift_chosen_destroy(chosen);
    lift_diags_fini(&diags);
    lift_str_fini(&why);
    lift_rules_destroy(rules);
    return status;
}
