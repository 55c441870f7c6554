/* The kernel of a row of the database, made again from its program. */
#include "base/memory.h"
#include "cli/best.h"

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
    return CLI_REFUSE("the device of the kernel is of a runtime that this program has "
                      "not");
}

/* The text of the program of a row, to be freed unless it is that of the file. */
static bool row_source(const struct best *b, const struct lift_db_best *row,
                       struct lift_source *out)
{
    char program[LIFT_HASH_HEX];
    struct lift_db_filter which = {.program = lift_hash_hex(row->program_id, program)};
    struct lift_str text = {0};

    *out = b->source;
    if (b->source.text)
        return true;
    if (!lift_db_program(b->db, &which, &text))
        return false;
    out->name = lift_strdup(row->program);
    out->len = text.len;
    out->text = lift_str_take(&text);
    return true;
}

struct lift_chosen *best_again(const struct best *b, const struct lift_db_best *row,
                               const struct lift_rules *rules, struct lift_str *why)
{
    LIFT_SCOPED(lift_error) errors = {0};
    struct lift_source source;
    struct lift_size_setting *sizes;
    struct lift_choose_options o = {.source = &source,
                                    .stored = !b->source.text,
                                    .rules = rules,
                                    .db = b->db,
                                    .device = &b->probed->info};
    struct lift_chosen *chosen;

    if (!row_source(b, row, &source)) {
        lift_str_add(why, lift_db_error(b->db));
        return NULL;
    }
    o.size_count = report_sizes_of(b->arena, row->sizes, &sizes);
    o.sizes = sizes;
    chosen = lift_choose(&o, &errors, why);
    if (lift_error_count(&errors))
        lift_str_add(why, lift_str_get(&errors.text));
    if (chosen && !lift_hash_equal(lift_chosen_facts(chosen)->expr, row->expr)) {
        lift_str_add(why, lift_chosen_facts(chosen)->words);
        lift_chosen_destroy(chosen);
        chosen = NULL;
    }
    if (o.stored)
        lift_source_free(&source);
    return chosen;
}
