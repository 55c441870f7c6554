#include "report/short.h"
#include "base/json.h"
#include "base/memory.h"
#include "device/occupancy.h"
#include "ir/tunable.h"
#include "rules/rule.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The word for a number: "gcc" for 1 of "compiler". NULL: the value has no word. */
static const char *word_of(const char *name, const json_t *value)
{
    return json_is_integer(value)
               ? lift_tunable_value_word(name, json_integer_value(value))
               : NULL;
}

void report_tunables_short(const char *json, struct lift_str *out)
{
    json_t *object = lift_json_read(json, 0), *value;
    const char *name;
    size_t begin = out->len;

    if (!json_is_object(object))
        lift_str_add(out, json);
    json_object_foreach(object, name, value)
    {
        LIFT_FREED char *text =
            lift_json_print(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        const char *now = lift_tunable_now(name), *word = word_of(now, value);

        lift_str_addf(out, "%s%s=%s", out->len > begin ? " " : "", now,
                      word   ? word
                      : text ? text
                             : "");
    }
    json_decref(object);
}

json_t *report_tunables_json(const char *json)
{
    json_auto_t *object = lift_json_read(json, 0);
    json_t *out, *value;
    const char *name;

    if (!json_is_object(object))
        return json_string(json);
    out = json_object();
    json_object_foreach(object, name, value)
    {
        const char *now = lift_tunable_now(name), *word = word_of(now, value);

        json_object_set_new(out, now, word ? json_string(word) : json_incref(value));
    }
    return out;
}

/* The threads of a block; 0: the tunables have none. */
static int64_t threads_of(const char *tunables)
{
    json_auto_t *object = lift_json_read(tunables, 0);
    int64_t threads = 0;
    const char *name;
    json_t *value;

    json_object_foreach(object, name, value)
    {
        if (strncmp(lift_tunable_now(name), "block_", 6) == 0 &&
            json_integer_value(value) > 0 && json_integer_value(value) <= 1024)
            threads = (threads ? threads : 1) * json_integer_value(value);
    }
    return threads;
}

static json_t *occupancy_json(const struct lift_db_kernel_row *row)
{
    struct lift_occupancy o;

    if (!lift_occupancy(row->arch, threads_of(row->tunables), row->registers,
                        row->local_bytes, &o))
        return json_null();
    return json_pack("{s:f, s:i, s:i, s:s}", "share", o.share, "blocks", o.blocks,
                     "warps", o.warps, "limit", o.limit);
}

void report_add_resources(json_t *kernel, const struct lift_db_kernel_row *row)
{
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {{"registers", row->registers},
                   {"spill_bytes", row->spill_bytes},
                   {"local_bytes", row->local_bytes}};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(kernel, numbers[i].name,
                            numbers[i].value < 0 ? json_null()
                                                 : json_integer(numbers[i].value));
    json_object_set_new(kernel, "occupancy", occupancy_json(row));
}

struct how {
    const char *between;
    struct lift_str *out;
    size_t begin;
    int macro_end; /* last step of the last named macro */
};

static bool take_step(void *user, const struct lift_db_step *step)
{
    struct how *how = user;
    const struct lift_db_use *macro = step->macro_count ? &step->macros[0] : NULL;
    LIFT_SCOPED(lift_str) now = {0};

    if (step->step <= how->macro_end)
        return true;
    lift_str_addf(how->out, "%s%s", how->out->len > how->begin ? how->between : "",
                  lift_name_now(macro ? macro->macro : step->rule, &now));
    if (macro)
        how->macro_end = macro->first + macro->steps - 1;
    return true;
}

bool report_how_short(struct lift_db *db, struct lift_hash expr, const char *between,
                      struct lift_str *out)
{
    struct how how = {between, out, out->len, 0};

    return lift_db_derivation(db, expr, take_step, &how);
}

/* All candidates of a final benchmark are loaded: one with a low place may have been
 * the fastest of the search. */
enum { MOST_FINALS = 64 };

struct loader {
    struct report_top *top;
    struct lift_db *db;
    int ahead;    /* number of rows before the final benchmark */
    bool settled; /* no further row comes before the final benchmark */
};

static bool take_kernel(void *user, const struct lift_db_kernel_row *row)
{
    struct report_top_row *at = user;

    if (!row->verified)
        return false;
    at->expr = row->expr;
    at->tunables = lift_strdup(row->tunables);
    snprintf(at->candidate, sizeof at->candidate, "%s", row->candidate);
    return false;
}

static bool take_final(void *user, const struct lift_db_finalist *row)
{
    struct loader *l = user;
    struct report_top_row *at = &l->top->rows[l->top->count];

    *at = (struct report_top_row){.seconds = row->seconds,
                                  .low = row->low,
                                  .high = row->high,
                                  .tied = row->tied,
                                  .confirmed = true};
    lift_hash_hex(row->trial, at->trial);
    if (!(row->seconds > 0) || !lift_db_kernel(l->db, at->trial, take_kernel, at) ||
        !at->tunables)
        return true;
    return ++l->top->count < MOST_FINALS;
}

/* Computes rates from the proportion of times, since the database has no rates of
 * final benchmarks. */
static void fill_speeds(struct report_top *top, const struct lift_db_top_row *row)
{
    for (int i = 0; i < top->count; i++) {
        struct report_top_row *at = &top->rows[i];
        double times = row->seconds / at->seconds;

        if (at->gpts > 0)
            continue;
        at->gpts = row->gpts * times;
        at->gbs = row->gbs * times;
        at->copy_share = row->copy_share * times;
        at->in_cache = row->in_cache;
    }
}

static bool is_known(const struct report_top *top, const char *candidate)
{
    for (int i = 0; i < top->count; i++)
        if (!strcmp(top->rows[i].candidate, candidate))
            return true;
    return false;
}

/* The place of a row. The fastest candidates of later sessions come before the final
 * benchmark. The first row that was in the final benchmark, or does not clearly beat
 * the winner, ends these, as in the view 'best_kernel'. */
static int place_of(struct loader *l, const struct lift_db_top_row *row)
{
    const struct report_top *top = l->top;

    l->settled =
        l->settled || l->ahead == top->count || !(row->seconds < top->rows[l->ahead].low);
    return l->settled || !row->later ? top->count : l->ahead++;
}

static bool take_top(void *user, const struct lift_db_top_row *row)
{
    struct loader *l = user;
    struct report_top *top = l->top;
    int at;

    fill_speeds(top, row);
    if (is_known(top, row->candidate)) {
        l->settled = true;
        return top->count < top->most;
    }
    at = place_of(l, row);
    if (at >= top->most)
        return !l->settled;
    memmove(top->rows + at + 1, top->rows + at,
            sizeof *top->rows * (size_t)(top->count - at));
    top->rows[at] = (struct report_top_row){.expr = row->expr,
                                            .tunables = lift_strdup(row->tunables),
                                            .seconds = row->seconds,
                                            .gpts = row->gpts,
                                            .gbs = row->gbs,
                                            .copy_share = row->copy_share,
                                            .in_cache = row->in_cache};
    snprintf(top->rows[at].trial, LIFT_HASH_HEX, "%s", row->trial);
    snprintf(top->rows[at].candidate, LIFT_HASH_HEX, "%s", row->candidate);
    top->count++;
    return true;
}

bool report_top_load(struct report_top *top, struct lift_db *db, struct lift_hash problem,
                     struct lift_hash device)
{
    struct loader l = {top, db, 0, false};
    bool good;

    top->rows = lift_alloc((size_t)top->most + MOST_FINALS, sizeof *top->rows);
    good = lift_db_finalists(db, problem, device, take_final, &l) &&
           lift_db_top(db, problem, device, take_top, &l);
    while (top->count > top->most)
        free(top->rows[--top->count].tunables);
    return good;
}

void report_top_fini(struct report_top *top)
{
    for (int i = 0; i < top->count; i++)
        free(top->rows[i].tunables);
    free(top->rows);
    *top = (struct report_top){.most = top->most};
}
