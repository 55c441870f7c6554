/* What an exploration came to, as JSON. */
#include "cli/explore/summary_parts.h"
#include "report/commands.h"

static json_t *reach_json(const struct lift_explore_reach *r)
{
    json_t *left = json_object();

    for (int i = 0; i < r->left_count; i++)
        json_object_set_new(left, r->left[i].reason, json_integer(r->left[i].count));
    return json_pack("{s:I, s:I, s:o}", "expressions", (json_int_t)r->exprs, "tried",
                     (json_int_t)r->tried, "not_tried", left);
}

static json_t *counts_json(const struct lift_explore_progress *p)
{
    json_t *counts = json_object();

    for (int i = 0; i < LIFT_TRY_STATUSES; i++)
        if (p->by_status[i])
            json_object_set_new(counts, lift_try_status_name((enum lift_try_status)i),
                                json_integer(p->by_status[i]));
    return counts;
}

static json_t *top_json(struct summary_part *s)
{
    json_t *list = json_array();

    for (int i = 0; i < s->top.count; i++) {
        const struct report_top_row *row = &s->top.rows[i];
        json_t *tunables = json_loads(row->tunables, 0, NULL);
        struct lift_str how = {0};
        char hex[LIFT_HASH_HEX];
        json_t *interval =
            row->low > 0 ? json_pack("[f, f]", row->low, row->high) : json_null();

        report_how_short(s->db, row->expr, ", ", &how);
        json_array_append_new(
            list, json_pack("{s:f, s:o, s:b, s:b, s:f, s:f, s:f, s:o, s:s, s:s, s:s}",
                            "seconds", row->seconds, "interval", interval, "confirmed",
                            row->confirmed, "tied", row->tied, "gpts", row->gpts, "gbs",
                            row->gbs, "roof", row->roof, "tunables",
                            tunables ? tunables : json_null(), "how", lift_str_get(&how),
                            "expr", lift_hash_hex(row->expr, hex), "try", row->try));
        lift_str_fini(&how);
    }
    return list;
}

static json_t *gain_json(const struct lift_explore_progress *p)
{
    return p->gain > 0 ? json_real(p->gain) : json_null();
}

static json_t *busy_json(const struct lift_explore_part *part)
{
    if (part->trying <= 0)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:i}", "seconds", part->trying, "runner",
                     part->runner_busy, "compilers", part->compilers_busy, "jobs",
                     part->jobs);
}

static json_t *number_or_null(double value)
{
    return value > 0 ? json_real(value) : json_null();
}

static json_t *plain_json(const struct lift_explore_part *part)
{
    const struct lift_explore_progress *p = &part->progress;

    return json_pack(
        "{s:o, s:o, s:b, s:s?}", "seconds", number_or_null(p->plain_seconds), "interval",
        p->plain_low > 0 ? json_pack("[f, f]", p->plain_low, p->plain_high) : json_null(),
        "confirmed", p->plain_low > 0, "missing", part->no_plain);
}

json_t *summary_part_json(struct summary_part *s)
{
    const struct lift_explore_part *part = s->part;
    const struct lift_explore_progress *p = &part->progress;
    struct lift_str emit = {0};
    json_t *json;

    summary_emit_command(s, &emit);
    json = json_pack(
        "{s:s, s:I, s:I, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s?, "
        "s:o, s:o, s:o, s:s}",
        "device", part->name, "tries", (json_int_t)p->tries, "verified",
        (json_int_t)p->verified, "expressions", p->exprs, "seeds", part->seeds, "learned",
        part->learned, "gain", gain_json(p), "plain", plain_json(part), "busy",
        busy_json(part), "roof_gbs", number_or_null(part->roof), "roof_gbs_before",
        number_or_null(part->roof_before), "by_status", counts_json(p), "reachable",
        reach_json(&part->reach), "lost", part->lost, "top", top_json(s), "cost",
        json_pack("{s:f, s:f, s:f}", "compiling", s->cost.compile, "checking",
                  s->cost.check, "measuring", s->cost.measure),
        "longest_compilation",
        json_pack("{s:o, s:s?}", "seconds", number_or_null(part->longest_compilation),
                  "kernel", part->longest_kernel),
        "emit", lift_str_get(&emit));
    lift_str_fini(&emit);
    return json;
}

static json_t *stages_json(const struct cli_progress *progress)
{
    json_t *stages = json_object();

    for (int i = 0; i < progress->stage_count; i++)
        json_object_set_new(stages, progress->stages[i].name,
                            json_real(progress->stages[i].seconds));
    return stages;
}

json_t *summary_json(const struct cli_summary *s, const struct report_named *program,
                     const char *end, json_t *devices)
{
    const struct lift_explore_result *r = s->result;
    const struct lift_explore_progress *p = &r->progress;
    struct lift_str show = {0}, report = {0};
    json_t *json;

    report_show_command(program, s->db, &show);
    report_report_command(s->db, &report);
    json = json_pack("{s:s, s:s, s:i, s:s, s:s, s:I, s:I, s:f, s:o, s:o, s:o, s:s, s:s}",
                     "program", r->program, "dtype", r->dtype, "steps", r->steps, "end",
                     end, "db", s->db, "tries", (json_int_t)p->tries, "verified",
                     (json_int_t)p->verified, "seconds", p->elapsed, "extended",
                     number_or_null(r->extended), "stages", stages_json(s->progress),
                     "devices", devices, "show", lift_str_get(&show), "report",
                     lift_str_get(&report));
    if (s->depths)
        json_object_set_new(json, "depths", s->depths);
    if (s->ranks)
        json_object_set_new(json, "ranks", s->ranks);
    lift_str_fini(&show);
    lift_str_fini(&report);
    return json;
}
