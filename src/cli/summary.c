/* What an exploration came to. */
#include "cli/summary.h"
#include "cli/cli.h"

static const char *const ends[] = {"budget", "exhausted", "interrupted", "malformed",
                                   "failed"};

static void say_end(const struct lift_explore_result *r)
{
    static const char *const texts[] = {
        "the budget is used up", "every candidate was tried", "interrupted", "", ""};
    const struct lift_explore_progress *p = &r->progress;

    printf("%s: %lld tries, %lld verified, of %d expressions, in %.1f s\n", texts[r->end],
           (long long)p->tries, (long long)p->verified, p->exprs, p->elapsed);
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

/* Of all sessions: by status and reason. */
static bool say_failures(struct lift_db *db, const struct lift_explore_result *r)
{
    return lift_db_failures(db, r->problem, r->device, say_failure, NULL);
}

struct finder {
    struct lift_db *db;
    const struct lift_explore_result *result;
    bool found;
    json_t *json;
};

static bool show_best(void *user, const struct lift_db_best *row)
{
    struct finder *f = user;

    if (!lift_hash_equal(row->problem, f->result->problem) ||
        !lift_hash_equal(row->device_id, f->result->device))
        return true;
    f->found = true;
    if (f->json)
        json_object_set_new(f->json, "best", cli_best_json(f->db, row));
    else
        cli_print_best(f->db, row);
    return false;
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

static json_t *result_json(const struct lift_explore_result *r, const char *db)
{
    const struct lift_explore_progress *p = &r->progress;
    json_t *counts = json_object();

    for (int i = 0; i < LIFT_TRY_STATUSES; i++)
        if (p->by_status[i])
            json_object_set_new(counts, lift_try_status_name((enum lift_try_status)i),
                                json_integer(p->by_status[i]));
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:i, s:f, s:o, s:o}", "program",
                     r->program, "end", ends[r->end], "db", db, "tries",
                     (json_int_t)p->tries, "verified", (json_int_t)p->verified,
                     "expressions", p->exprs, "seconds", p->elapsed, "by_status", counts,
                     "reachable", reach_json(&r->reach));
}

static void say_more(const struct lift_explore_result *r, const char *db)
{
    printf("more:\n  lift best %s --db %s --emit source\n  lift show %s --db %s\n",
           r->program, db, r->program, db);
}

/* No kernel that was verified: the work failed, unless it was ended early. */
int cli_explore_summary(const struct lift_explore_result *r, const char *db, bool json)
{
    struct finder f = {.db = cli_open(db), .result = r};

    if (!f.db)
        return CLI_FAILED;
    if (json)
        f.json = result_json(r, db);
    else
        say_end(r);
    if (!json && say_failures(f.db, r))
        say_reach(&r->reach);
    if (!json)
        printf("database      %s\n", db);
    if (!lift_db_best(f.db, &(struct lift_db_filter){.program = r->program}, show_best,
                      &f))
        cli_fail(CLI_FAILED, "%s", lift_db_error(f.db));
    if (json)
        cli_print_json(f.json);
    else if (f.found)
        say_more(r, db);
    lift_db_close(f.db);
    if (f.found || r->end == LIFT_EXPLORE_INTERRUPTED)
        return CLI_DONE;
    return cli_fail(CLI_FAILED,
                    "no kernel of '%s' was verified; 'lift show %s --db %s' says why",
                    r->program, r->program, db);
}
