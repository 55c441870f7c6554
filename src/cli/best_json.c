/* The fields of a best kernel, as JSON. */
#include "base/json.h"
#include "cli/best.h"
#include "cli/best_lines.h"
#include "report/commands.h"
#include "report/schedule.h"
#include "report/short.h"
#include "rules/rule.h"
#include "run/chosen.h"
#include "tuner/db_report.h"

static bool add_step(void *user, const struct lift_db_step *step)
{
    json_t *macros = json_array();
    LIFT_SCOPED(lift_str) now = {0};

    for (int i = 0; i < step->macro_count; i++)
        json_array_append_new(macros,
                              json_string(lift_name_now(step->macros[i].macro, &now)));
    json_array_append_new(user, json_pack("{s:s, s:s, s:s, s:o}", "rule",
                                          lift_name_now(step->rule, &now), "position",
                                          step->position, "args", step->args, "macros",
                                          macros));
    return true;
}

/* ---- JSON */

/* Adds the kernels of a launch in their order, and the bytes that each moves. */
static void add_kernels(json_t *out, const struct lift_chosen_facts *f)
{
    json_t *list = f ? json_array() : json_null();

    for (int i = 0; f && i < f->kernel_count; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:I, s:I, s:I}", "name", f->kernels[i].name,
                            "bytes_read", (json_int_t)f->kernels[i].read_bytes,
                            "bytes_written", (json_int_t)f->kernels[i].written_bytes,
                            "runs", (json_int_t)f->kernels[i].runs));
    if (f)
        json_object_set_new(out, "bytes", json_integer(f->bytes));
    json_object_set_new(out, "kernels", list);
}

/* The result of a row in the newest final benchmark. */
struct final_of {
    struct lift_hash trial;
    double low, high; /* 0: the trial was in no final benchmark */
    bool tied;
};

static bool take_finalist(void *user, const struct lift_db_finalist *row)
{
    struct final_of *f = user;

    if (!lift_hash_equal(row->trial, f->trial))
        return true;
    f->low = row->low;
    f->high = row->high;
    f->tied = row->tied;
    return false;
}

struct device_name {
    struct lift_hash id;
    struct lift_arena *arena;
    const char *full; /* a name that no other device has */
    int count;        /* number of devices with the short name */
};

static bool take_device(void *user, const struct lift_db_device_row *row)
{
    struct device_name *n = user;

    n->count++;
    if (lift_hash_equal(row->id, n->id))
        n->full =
            lift_arena_printf(n->arena, "%s %s %s", row->runtime, row->vendor, row->name);
    return true;
}

/* Adds the command that prints the source of a row's kernel. */
static bool add_command(const struct best *b, const struct lift_db_best *row, json_t *out)
{
    const struct lift_db_filter filter = {.device = row->device};
    struct device_name device = {.id = row->device_id, .arena = b->arena};
    LIFT_SCOPED(lift_str) command = {0};
    struct report_named program;

    if (!report_named(b->db, b->arena, row->problem, &program) ||
        !lift_db_devices(b->db, &filter, take_device, &device))
        return false;
    report_emit_command(&program, b->where.db,
                        device.count > 1 && device.full ? device.full : row->device,
                        row->sizes, &command);
    json_object_set_new(out, "command", json_string(lift_str_get(&command)));
    return true;
}

/* Finds the naive kernel of single steps, times the steps of a launch. Without its time,
 * finds the naive kernel of the row's own problem. */
static bool find_naive(const struct best *b, const struct lift_db_best *row,
                       struct report_naive *out, bool *found)
{
    const struct lift_db_best *single = row->steps > 1 ? best_other(b, row, true) : NULL;

    *found = false;
    if (single && !report_naive_find(b->families, b->db, single->problem,
                                     single->device_id, out, found))
        return false;
    if (!*found)
        return report_naive_find(b->families, b->db, row->problem, row->device_id, out,
                                 found);
    out->seconds *= row->steps;
    out->low *= row->steps;
    out->high *= row->steps;
    return true;
}

/* The level whose copy bandwidth the share refers to. */
static const char *copy_level(const struct lift_db_best *row)
{
    return row->in_cache ? "cache" : "memory";
}

/* Adds the single sweep that an answer with temporal blocking is compared with, or the
 * temporal blocking that an answer of single sweeps is compared with. */
static void add_other(const struct best *b, const struct lift_db_best *row, bool single,
                      json_t *out)
{
    const struct lift_db_best *other =
        (row->steps > 1) == single ? best_other(b, row, single) : NULL;
    char expr[LIFT_HASH_HEX], trial[LIFT_HASH_HEX];

    json_object_set_new(out, single ? "single_sweep" : "temporal_blocking",
                        other ? json_pack("{s:i, s:f, s:f, s:s, s:f, s:b, s:s, s:s, s:f}",
                                          "steps", other->steps, "gpts", other->gpts,
                                          "copy_share", other->copy_share, "copy_level",
                                          copy_level(other), "seconds", other->seconds,
                                          "confirmed", other->confirmed, "expr",
                                          lift_hash_hex(other->expr, expr), "trial",
                                          lift_hash_hex(other->trial, trial), "times",
                                          other->gpts > 0 ? row->gpts / other->gpts : 0)
                              : json_null());
}

/* Adds the interference in the session of a row's trial. If the machine was busy, adds
 * the command that times the kernel again. */
static bool add_interference(const struct best *b, const struct lift_db_best *row,
                             json_t *out)
{
    const char *program = b->where.program;
    bool is_file = program && cli_is_file(program);
    struct report_retiming again = {.precision = b->where.precision,
                                    .db = b->where.db,
                                    .device = row->runtime,
                                    .sizes = row->sizes,
                                    .steps = row->steps};
    LIFT_SCOPED(lift_str) command = {0};
    json_t *interference;

    if (!lift_db_interference(b->db, row->trial, row->device_id, &interference))
        return false;
    again.file = is_file ? program : lift_arena_printf(b->arena, "%s.lift", row->program);
    if (json_is_true(json_object_get(interference, "busy")))
        report_final_command(&again, &command);
    json_object_set_new(out, "interference", interference);
    json_object_set_new(out, "again",
                        command.len ? json_string(lift_str_get(&command)) : json_null());
    return true;
}

/* Adds the compiler's report about the kernel of a row; null: unknown. */
static bool take_resources(void *out, const struct lift_db_kernel_row *row)
{
    report_add_resources(out, row);
    return false;
}

/* Adds final benchmark, naive kernel, schedule and command of a row. */
static bool add_facts(const struct best *b, const struct lift_db_best *row,
                      const struct lift_rules *rules, json_t *out)
{
    struct final_of final = {.trial = row->trial};
    char trial[LIFT_HASH_HEX];
    struct lift_interval best;
    LIFT_SCOPED(lift_str) schedule = {0};
    struct report_naive naive;
    bool found;

    if (!lift_db_finalists(b->db, row->problem, row->device_id, take_finalist, &final) ||
        !find_naive(b, row, &naive, &found) ||
        !report_schedule_of(b->db, rules, row->expr, row->tunables, &schedule))
        return false;
    best = (struct lift_interval){row->seconds, final.low, final.high, 0};
    json_object_set_new(out, "interval",
                        final.low > 0 ? json_pack("[f, f]", final.low, final.high)
                                      : json_null());
    json_object_set_new(out, "tied", json_boolean(final.tied));
    json_object_set_new(
        out, "naive",
        cli_naive_json(&(struct cli_naive){{found ? naive.seconds : 0,
                                            found && naive.confirmed ? naive.low : 0,
                                            found && naive.confirmed ? naive.high : 0, 0},
                                           found && naive.confirmed,
                                           NULL},
                       &best));
    json_object_set_new(out, "schedule", json_string(lift_str_get(&schedule)));
    add_other(b, row, true, out);
    add_other(b, row, false, out);
    return lift_db_kernel(b->db, lift_hash_hex(row->trial, trial), take_resources, out) &&
           add_command(b, row, out) && add_interference(b, row, out);
}

json_t *best_row_json(const struct best *b, const struct lift_db_best *row,
                      const struct lift_rules *rules,
                      const struct lift_chosen_facts *facts)
{
    char expr[LIFT_HASH_HEX], trial[LIFT_HASH_HEX];
    json_t *steps = json_array(), *out;

    lift_db_derivation(b->db, row->expr, add_step, steps);
    out = json_pack(
        "{s:s, s:o, s:s, s:i, s:s, s:s, s:f, s:f, s:f, s:s, s:f, s:b, s:o, s:s, s:s, "
        "s:o, s:s}",
        "program", row->program, "sizes", chosen_parsed(row->sizes), "dtype", row->dtype,
        "steps", row->steps, "device", row->device, "runtime", row->runtime, "gpts",
        row->gpts, "gbs", row->gbs, "copy_share", row->copy_share, "copy_level",
        copy_level(row), "seconds", row->seconds, "confirmed", row->confirmed, "tunables",
        chosen_parsed(row->tunables), "expr", lift_hash_hex(row->expr, expr), "trial",
        lift_hash_hex(row->trial, trial), "derivation", steps, "chosen",
        lift_chosen_how_name(LIFT_CHOSEN_EXACT));
    add_kernels(out, facts);
    if (add_facts(b, row, rules, out))
        return out;
    cli_fail(CLI_FAILED, "%s", lift_db_error(b->db));
    json_decref(out);
    return NULL;
}

json_t *best_chosen_json(const struct best *b, const struct lift_chosen_facts *f)
{
    char hex[LIFT_HASH_HEX];
    LIFT_SCOPED(lift_str) schedule = {0};
    json_t *out =
        json_pack("{s:s, s:o, s:s, s:i, s:s, s:s, s:s, s:s, s:o, s:s}", "program",
                  f->program, "sizes", chosen_parsed(f->sizes), "dtype", f->dtype,
                  "steps", f->at_once, "device", f->device, "runtime", f->runtime,
                  "chosen", lift_chosen_how_name(f->how), "why", f->words, "tunables",
                  chosen_parsed(f->tunables), "expr", lift_hash_hex(f->expr, hex));

    if (f->how != LIFT_CHOSEN_DEFAULT)
        json_object_update_new(out, json_pack("{s:f, s:f, s:s}", "gpts", f->gpts,
                                              "seconds", f->seconds, "trial",
                                              lift_hash_hex(f->trial, hex)));
    if (!b->db || !report_schedule_of(b->db, NULL, f->expr, f->tunables, &schedule))
        report_schedule(NULL, "", f->tunables, &schedule);
    json_object_set_new(out, "schedule", json_string(lift_str_get(&schedule)));
    add_kernels(out, f);
    return out;
}
