/* Which kernels a question is about: rows of the database, or none. */
#include "cli/best.h"
#include <string.h>

struct best_rows {
    const struct best *best;
    const struct lift_hash *device; /* only of this one; NULL: of all */
    int count;
    const char *sizes; /* of the last */
    struct lift_hash device_id;
    json_t *list;
};

static bool take_row(void *user, const struct lift_db_best *row)
{
    struct best_rows *r = user;
    const struct best *b = r->best;
    json_t *json;

    if (!cli_sizes_agree(b->sizes, b->size_count, row->sizes) ||
        (r->device && !lift_hash_equal(*r->device, row->device_id)) ||
        (best_dtype(b) && strcmp(row->dtype, best_dtype(b)) != 0))
        return true;
    r->count++;
    r->sizes = lift_arena_strdup(b->arena, row->sizes);
    r->device_id = row->device_id;
    if (r->list) {
        json = cli_best_json(b->db, row);
        json_object_set_new(json, "chosen", json_string("exact"));
        json_array_append_new(r->list, json);
    } else if (b->emit == BEST_SHOW) {
        cli_print_best(b->db, row);
    }
    return true;
}

static bool keep_device(void *user, const struct lift_device_info *row)
{
    const struct best_rows *r = user;
    struct lift_device_info *info = &r->best->probed->info;

    *info = *row;
    info->name = lift_arena_strdup(r->best->arena, row->name);
    info->vendor = lift_arena_strdup(r->best->arena, row->vendor);
    info->arch = lift_arena_strdup(r->best->arena, row->arch);
    return false;
}

static bool find_device(struct best_rows *r)
{
    if (lift_db_device(r->best->db, r->device_id, keep_device, r) &&
        r->best->probed->info.runtime)
        return true;
    cli_fail(CLI_FAILED, "the device of the kernel is of a runtime that this program has "
                         "not");
    return false;
}

/* The one row that fits, as it is in the database. */
static int emit_row(struct best_rows *r)
{
    struct lift_size_setting *sizes;
    int count;

    if (r->count > 1)
        return cli_fail(CLI_USAGE,
                        "%d kernels fit: choose one by program, --device and --size",
                        r->count);
    if (!r->best->here && !find_device(r))
        return CLI_FAILED;
    count = cli_sizes_of(r->best->arena, r->sizes, &sizes);
    return best_choose(r->best, sizes, count, &r->best->probed->info);
}

/* ---- a kernel for what was not explored */

static bool take_device(void *user, const struct lift_db_best *row)
{
    struct best_rows *r = user;

    r->device_id = row->device_id;
    r->count++;
    return false;
}

/* A device that is named as in the database, or the host. */
static bool name_device(struct best_rows *r)
{
    const struct best *b = r->best;
    struct lift_db_filter filter = {.device = b->device};
    struct lift_str why = {0};
    bool good;

    if (b->here)
        return true;
    if (b->device && b->db && lift_db_best(b->db, &filter, take_device, r) && r->count)
        return find_device(r);
    good = lift_explore_device(b->device ? b->device : "host", false, b->probed, &why);
    if (!good)
        cli_fail(CLI_FAILED, "%s", lift_str_get(&why));
    lift_str_fini(&why);
    return good;
}

static int nothing_explored(struct best_rows *r)
{
    const struct best *b = r->best;

    if (!b->program)
        return cli_fail(CLI_FAILED, "no verified kernel in the database");
    if (!b->source.text)
        return cli_fail(CLI_FAILED,
                        "no verified kernel of '%s' in the database: give its file, or "
                        "--size, for the one that is nearest",
                        b->program);
    if (!name_device(r))
        return CLI_FAILED;
    return best_choose(b, b->sizes, b->size_count, &b->probed->info);
}

int best_answer(const struct best *b)
{
    struct lift_hash device =
        b->here ? lift_device_hash(&b->probed->info) : (struct lift_hash){0};
    struct lift_db_filter filter = {.program = b->program_id,
                                    .device = b->here ? NULL : b->device};
    struct best_rows r = {.best = b, .device = b->here ? &device : NULL};

    if (b->json && b->emit == BEST_SHOW)
        r.list = json_array();
    if (b->db && !lift_db_best(b->db, &filter, take_row, &r)) {
        json_decref(r.list);
        return cli_fail(CLI_FAILED, "%s", lift_db_error(b->db));
    }
    if (r.count == 0) {
        json_decref(r.list);
        return nothing_explored(&r);
    }
    if (r.list)
        cli_print_json(r.list);
    return b->emit == BEST_SHOW ? CLI_DONE : emit_row(&r);
}
