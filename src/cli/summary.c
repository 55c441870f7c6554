/* What an exploration came to. */
#include "cli/summary.h"
#include "cli/cli.h"

static const char *const ends[] = {"budget", "exhausted", "interrupted", "malformed",
                                   "failed"};

static void say_end(const struct lift_explore_result *r)
{
    static const char *const texts[] = {
        "the budget is used up", "every candidate was tried", "interrupted", "", ""};

    printf("%s, after %.1f s\n", texts[r->end], r->progress.elapsed);
}

static void say_tries(const struct lift_explore_part *part)
{
    const struct lift_explore_progress *p = &part->progress;

    printf("%s: %lld tries, %lld verified, of %d expressions\n", part->name,
           (long long)p->tries, (long long)p->verified, p->exprs);
    if (part->lost)
        printf("given up: %s\n", part->lost);
    if (p->by_status[LIFT_TRY_SLOW])
        printf("  %8lld  slow\n", (long long)p->by_status[LIFT_TRY_SLOW]);
}

static void say_rows(const struct lift_explore_left *rows, int count)
{
    for (int i = 0; i < count; i++)
        printf("  %8lld  %s\n", (long long)rows[i].count, rows[i].reason);
}

/* How much there was to try, and why the rest was not. */
static void say_reach(const struct lift_explore_reach *r)
{
    printf("reachable: %lld low-level expressions of %lld terms%s; %lld of them tried\n",
           (long long)r->exprs, (long long)r->shapes, r->shapes_open ? " at least" : "",
           (long long)r->tried);
    say_rows(r->left, r->left_count);
    if (r->shapes_open)
        printf("  %8lld  terms not followed further: --max-shapes\n",
               (long long)r->shapes_open);
    if (r->unlowered_count)
        puts("gave no expression:");
    say_rows(r->unlowered, r->unlowered_count);
}

static bool say_failure(void *user, const struct lift_db_failure *f)
{
    (void)user;
    printf("  %8lld  %s: %s\n", (long long)f->count, f->status, f->reason);
    return true;
}

/* One device. */
struct finder {
    struct lift_db *db;
    const struct lift_explore_result *result;
    const struct lift_explore_part *part;
    bool found;
    json_t *json; /* NULL: as text */
};

static bool show_best(void *user, const struct lift_db_best *row)
{
    struct finder *f = user;

    if (!lift_hash_equal(row->problem, f->result->problem) ||
        !lift_hash_equal(row->device_id, f->part->device))
        return true;
    f->found = true;
    if (f->json)
        json_object_set_new(f->json, "best", cli_best_json(f->db, row));
    else
        cli_print_best(f->db, row);
    return false;
}

static void find_best(struct finder *f)
{
    struct lift_db_filter filter = {.program = f->result->program};

    if (!lift_db_best(f->db, &filter, show_best, f))
        cli_fail(CLI_FAILED, "%s", lift_db_error(f->db));
}

static json_t *reach_json(const struct lift_explore_reach *r)
{
    json_t *left = json_object();

    for (int i = 0; i < r->left_count; i++)
        json_object_set_new(left, r->left[i].reason, json_integer(r->left[i].count));
    return json_pack("{s:I, s:I, s:I, s:I, s:o}", "expressions", (json_int_t)r->exprs,
                     "terms", (json_int_t)r->shapes, "terms_open",
                     (json_int_t)r->shapes_open, "tried", (json_int_t)r->tried,
                     "not_tried", left);
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

static json_t *part_json(const struct lift_explore_part *part)
{
    const struct lift_explore_progress *p = &part->progress;

    return json_pack("{s:s, s:I, s:I, s:i, s:o, s:o, s:s?}", "device", part->name,
                     "tries", (json_int_t)p->tries, "verified", (json_int_t)p->verified,
                     "expressions", p->exprs, "by_status", counts_json(p), "reachable",
                     reach_json(&part->reach), "lost", part->lost);
}

static json_t *result_json(const struct lift_explore_result *r, const char *db,
                           json_t *devices)
{
    const struct lift_explore_progress *p = &r->progress;

    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:f, s:o}", "program", r->program, "end",
                     ends[r->end], "db", db, "tries", (json_int_t)p->tries, "verified",
                     (json_int_t)p->verified, "seconds", p->elapsed, "devices", devices);
}

/* Failures are those of all sessions: by status and reason. */
static void say_part(struct finder *f)
{
    say_tries(f->part);
    if (lift_db_failures(f->db, f->result->problem, f->part->device, say_failure, NULL))
        say_reach(&f->part->reach);
    find_best(f);
}

static void say_more(const struct lift_explore_result *r, const char *db)
{
    printf("more:\n  lift best %s --db %s --emit source\n  lift show %s --db %s\n",
           r->program, db, r->program, db);
}

/* The number of devices without a kernel that was verified. */
static int report_parts(struct finder *f, json_t *devices)
{
    const struct lift_explore_result *r = f->result;
    int missing = 0;

    for (int i = 0; i < r->part_count; i++) {
        f->part = &r->parts[i];
        f->found = false;
        if (devices) {
            f->json = part_json(f->part);
            find_best(f);
            json_array_append_new(devices, f->json);
        } else {
            say_part(f);
        }
        missing += !f->found;
    }
    return missing;
}

static int end_status(const struct lift_explore_result *r, const char *db, int missing)
{
    int lost = 0;

    for (int i = 0; i < r->part_count; i++) {
        lost += r->parts[i].lost != NULL;
        if (r->parts[i].lost)
            cli_fail(CLI_FAILED, "%s", r->parts[i].lost);
    }
    if (lost)
        return CLI_FAILED;
    if (missing == 0 || r->end == LIFT_EXPLORE_INTERRUPTED)
        return CLI_DONE;
    return cli_fail(CLI_FAILED,
                    "no kernel of '%s' was verified; 'lift show %s --db %s' says why",
                    r->program, r->program, db);
}

/* No kernel that was verified: the work failed, unless it was ended early. */
int cli_explore_summary(const struct lift_explore_result *r, const char *db, bool json)
{
    struct finder f = {.db = cli_open(db), .result = r};
    json_t *devices = json ? json_array() : NULL;
    int missing;

    if (!f.db)
        return CLI_FAILED;
    if (!json)
        say_end(r);
    missing = report_parts(&f, devices);
    if (json) {
        cli_print_json(result_json(r, db, devices));
    } else {
        printf("database      %s\n", db);
        if (missing < r->part_count)
            say_more(r, db);
    }
    lift_db_close(f.db);
    return end_status(r, db, missing);
}
