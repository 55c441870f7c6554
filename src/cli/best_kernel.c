/* Derives a kernel for a program, sizes and a device: the kernel of a row, or the
 * nearest one. */
#include "base/memory.h"
#include "cli/best.h"
#include "run/chosen.h"
#include "run/depth.h"

/* ---- sources and devices */

bool best_stored_source(const struct best *b, const struct lift_db_filter *which,
                        const char *name, struct lift_source *out)
{
    struct lift_str text = {0};

    if (!b->db || !lift_db_program(b->db, which, &text)) {
        lift_str_fini(&text);
        return false;
    }
    *out = (struct lift_source){.name = lift_strdup(name), .len = text.len};
    out->text = lift_str_take(&text);
    return true;
}

static bool keep_device(void *user, const struct lift_device_info *row)
{
    const struct best *b = user;
    struct lift_device_info *info = &b->probed->info;

    *info = *row;
    info->name = lift_arena_strdup(b->arena, row->name);
    info->vendor = lift_arena_strdup(b->arena, row->vendor);
    info->arch = lift_arena_strdup(b->arena, row->arch);
    return false;
}

bool best_find_device(const struct best *b, struct lift_hash device)
{
    if (b->here || (lift_db_device(b->db, device, keep_device, (void *)b) &&
                    b->probed->info.runtime))
        return true;
    return CLI_REFUSE(
        "this program was built without the runtime of the kernel's device");
}

/* ---- kernels */

struct lift_chosen *best_make(const struct lift_choose_options *options,
                              struct lift_str *why)
{
    LIFT_SCOPED(lift_error) errors = {0};
    struct lift_chosen *chosen = lift_choose(options, &errors);

    lift_str_add(why, lift_str_get(&errors.text));
    return chosen;
}

struct lift_chosen *best_again(const struct best *b, const struct lift_db_best *row,
                               const struct lift_rules *rules, struct lift_str *why)
{
    struct lift_source stored = {0};
    struct lift_size_setting *sizes;
    struct lift_choose_options o = {.source = &stored,
                                    .stored = true,
                                    .rules = rules,
                                    .db = b->db,
                                    .device = &b->probed->info};
    char program[LIFT_HASH_HEX];
    struct lift_db_filter which = {.program = lift_hash_hex(row->program_id, program)};
    struct lift_chosen *chosen = NULL;

    o.stored = !b->source.text;
    if (b->source.text) {
        LIFT_SCOPED(lift_error) errors = {0};

        if (!depth_source(&b->source, b->by_name ? row->steps : 1, &stored, &errors)) {
            lift_str_add(why, lift_error_text(&errors));
            lift_source_free(&stored);
            return NULL;
        }
    } else if (!best_stored_source(b, &which, row->program, &stored)) {
        lift_str_add(why, lift_db_error(b->db));
        return NULL;
    }
    o.size_count = report_sizes_of(b->arena, row->sizes, &sizes);
    o.sizes = sizes;
    chosen = best_make(&o, why);
    if (chosen && !lift_hash_equal(lift_chosen_facts(chosen)->expr, row->expr)) {
        lift_str_add(why, lift_chosen_facts(chosen)->words);
        lift_chosen_destroy(chosen);
        chosen = NULL;
    }
    lift_source_free(&stored);
    return chosen;
}

/* ---- showing */

static int show(const struct best *b, const struct lift_chosen_facts *f)
{
    json_t *row = best_chosen_json(b, f);
    bool good = true;

    if (b->json) {
        cli_print_json(json_pack("[o]", row));
    } else {
        good = best_print(b, row, f->expr);
        json_decref(row);
    }
    return good ? CLI_DONE : CLI_FAILED;
}

/* ---- output */

static int emit(const struct best *b, const struct lift_choose_options *options,
                const struct lift_chosen *chosen)
{
    const struct lift_chosen_facts *f = lift_chosen_facts(chosen);
    LIFT_SCOPED(lift_str) text = {0};
    LIFT_SCOPED(lift_error) error = {0};

    if (b->emit == BEST_SOURCE)
        lift_str_add(&text, f->source);
    else if (b->emit == BEST_EXPR)
        lift_str_add(&text, f->expression);
    else if (b->emit == BEST_JSON)
        lift_chosen_json(chosen, &text);
    else
        best_add_host(b, options, chosen, &text, &error);
    if (f->how != LIFT_CHOSEN_EXACT || f->refused)
        cli_fail(CLI_DONE, "%s: %s", lift_chosen_how_name(f->how), f->words);
    return text.len
               ? cli_write(b->output ? b->output : "-", lift_str_get(&text), text.len)
                     ? CLI_DONE
                     : CLI_FAILED
               : cli_fail(CLI_FAILED,
                          "no program for '%s': %s; '--emit source' writes the "
                          "kernel, '--emit json' all that a launch of it takes",
                          f->program, lift_error_text(&error));
}

int best_choose(const struct best *b, const struct lift_source *source,
                const struct lift_size_setting *sizes, int count)
{
    int status = CLI_FAILED;
    struct lift_rules *rules =
        cli_load_rules(b->rule_files, b->rule_count, b->force_rules, &status);
    struct lift_choose_options o = {.source = source,
                                    .stored = !b->source.text,
                                    .sizes = sizes,
                                    .size_count = count,
                                    .rules = rules,
                                    .db = b->db,
                                    .device = &b->probed->info};
    LIFT_SCOPED(lift_error) errors = {0};
    struct lift_chosen *chosen = rules ? lift_choose(&o, &errors) : NULL;

    if (chosen && (b->emit == BEST_HOST || b->emit == BEST_HEADER))
        lift_chosen_sound(chosen, source, &errors);
    if (errors.code == LIFT_ERROR_PROGRAM)
        status = cli_malformed(&errors);
    else if (chosen)
        status = b->emit == BEST_SHOW ? show(b, lift_chosen_facts(chosen))
                                      : emit(b, &o, chosen);
    else if (rules)
        status = cli_fail(CLI_FAILED, "%s", lift_error_text(&errors));
    lift_chosen_destroy(chosen);
    lift_rules_destroy(rules);
    return status;
}

/* Returns the time steps a launch with which the nearest kernels of the program are
 * fastest. Returns 1 if these kernels cannot be derived. */
static int nearest_depth(const struct best *b, const struct lift_choose_options *options)
{
    LIFT_SCOPED(lift_error) errors = {0};
    struct lift_chosen *single = lift_choose(options, &errors), *deep = NULL;
    struct depth_ids ids = {.source = options->source};
    struct lift_choose_options several = *options;
    struct lift_source source = {0};
    struct depth_speeds speeds = {{0}};
    enum lift_chosen_how how;
    int at_once = 1;

    if (single && single->facts.at_once <= 1 &&
        depth_find(&(struct chooser){.problem = single->problem,
                                     .device = options->device,
                                     .db = b->db},
                   &ids, &speeds, &how))
        at_once = b->run ? depth_split(&speeds, b->run, 0).part[0].at_once
                         : depth_fastest(&speeds);
    several.source = &source;
    if (at_once > 1 && depth_source(options->source, at_once, &source, &errors))
        deep = lift_choose(&several, &errors);
    if (!deep || lift_chosen_facts(deep)->how != how)
        at_once = 1;
    lift_source_free(&source);
    lift_chosen_destroy(deep);
    lift_chosen_destroy(single);
    return at_once;
}

int best_choose_nearest(const struct best *b, const struct lift_source *source,
                        const struct lift_size_setting *sizes, int count)
{
    int status = CLI_FAILED, at_once = 1;
    struct lift_rules *rules =
        b->db && !b->where.steps
            ? cli_load_rules(b->rule_files, b->rule_count, b->force_rules, &status)
            : NULL;
    LIFT_SCOPED(lift_error) errors = {0};
    struct lift_source several;

    if (rules)
        at_once =
            nearest_depth(b, &(struct lift_choose_options){.source = source,
                                                           .stored = !b->source.text,
                                                           .sizes = sizes,
                                                           .size_count = count,
                                                           .rules = rules,
                                                           .db = b->db,
                                                           .device = &b->probed->info});
    else if (b->db && !b->where.steps)
        return status;
    lift_rules_destroy(rules);
    if (at_once == 1)
        return best_choose(b, source, sizes, count);
    status = depth_source(source, at_once, &several, &errors)
                 ? best_choose(b, &several, sizes, count)
                 : cli_malformed(&errors);
    lift_source_free(&several);
    return status;
}
