/* What an exploration came to. */
#include "cli/explore/summary.h"
#include "cli/cli.h"
#include "cli/explore/summary_parts.h"
#include "report/commands.h"
#include "report/units.h"
#include <string.h>

enum { TOP = 5 };

static const char *const ends[] = {"budget", "exhausted", "interrupted", "malformed",
                                   "failed"};

void summary_emit_command(const struct summary_part *s, struct lift_str *out)
{
    report_emit_command(s->program, s->summary->db, s->part->name,
                        s->summary->result->sizes, out);
}

/* ---- one device, for people */

static void say_tries(const struct lift_explore_part *part)
{
    const struct lift_explore_progress *p = &part->progress;

    printf("%s: %lld tries, %lld verified, of %d expressions\n", part->name,
           (long long)p->tries, (long long)p->verified, p->exprs);
    if (part->seeds)
        printf(
            "  %8d  seeds, good at other sizes or on other devices, were tried first\n",
            part->seeds);
    if (part->unknown_seeds)
        printf("  %8d  more are of expressions that were not found this time: 'lift db "
               "rebuild' says whether rules have changed\n",
               part->unknown_seeds);
    if (part->learned)
        printf("  %8d  kernels of other ranks were told to the search of rank 0\n",
               part->learned);
    if (part->lost)
        printf("given up: %s\n", part->lost);
    if (p->by_status[LIFT_TRY_SLOW])
        printf("  %8lld  slow\n", (long long)p->by_status[LIFT_TRY_SLOW]);
    if (p->by_status[LIFT_TRY_SLAB])
        printf("  %8lld  tried on a slab of the grid only: slower there\n",
               (long long)p->by_status[LIFT_TRY_SLAB]);
}

static void say_rows(const struct lift_explore_left *rows, int count)
{
    for (int i = 0; i < count; i++)
        printf("  %8lld  %s\n", (long long)rows[i].count, rows[i].reason);
}

/* How much there was to try, and why the rest was not. */
static void say_reach(const struct lift_explore_reach *r)
{
    printf("%lld low-level expressions were derived; %lld of them tried\n",
           (long long)r->exprs, (long long)r->tried);
    say_rows(r->left, r->left_count);
    if (r->unlowered_count)
        puts("points of the decisions without an expression:");
    say_rows(r->unlowered, r->unlowered_count);
}

static bool say_failure(void *user, const struct lift_db_failure *f)
{
    (void)user;
    printf("  %8lld  %s: %s\n", (long long)f->count, f->status, f->reason);
    return true;
}

/* Compilers may run side by side, so that these need not add up to the time that passed.
 */
static void say_cost(const struct summary_part *s)
{
    const char *names[] = {"compiling", "checking", "measuring"};
    double seconds[] = {s->cost.compile, s->cost.check, s->cost.measure};
    char text[REPORT_UNITS];

    if (seconds[0] + seconds[1] + seconds[2] <= 0)
        return;
    printf("cost");
    for (int i = 0; i < 3; i++)
        printf("%s %s %s", i ? "," : ":", names[i], report_duration(seconds[i], text));
    putchar('\n');
}

/* Only where one kernel took the compilers a good part of the session. */
static void say_longest(const struct summary_part *s)
{
    const double part = 1.0 / 8, least = 2;
    char text[REPORT_UNITS];

    if (s->part->longest_compilation >= least &&
        s->part->longest_compilation >= part * s->summary->result->progress.elapsed)
        printf("longest compilation (%s): %s\n",
               report_duration(s->part->longest_compilation, text),
               s->part->longest_kernel);
}

/* What the search waited for: both shares are less than 1 where it was the other one. */
static void say_busy(const struct lift_explore_part *part)
{
    char text[REPORT_UNITS];

    if (part->trying <= 0)
        return;
    printf("busy while trying (%s): the runner %.0f %%, %d compiler%s %.0f %%\n",
           report_duration(part->trying, text), 100 * part->runner_busy, part->jobs,
           part->jobs == 1 ? "" : "s", 100 * part->compilers_busy);
}

static void say_kernel(const struct summary_part *s, int place)
{
    const struct report_top_row *row = &s->top.rows[place];
    LIFT_SCOPED(lift_str) tunables = {0}, how = {0};

    report_tunables_short(row->tunables, &tunables);
    if (!report_how_short(s->db, row->expr, ", ", &how))
        lift_str_add(&how, lift_db_error(s->db));
    printf("  %d. %9.4g ms %8.3f GPts/s", place + 1, 1e3 * row->seconds, row->gpts);
    if (row->roof > 0)
        printf(" %6.1f %% of the roof", 100 * row->roof);
    if (row->low > 0)
        printf("  %.4g to %.4g ms%s", 1e3 * row->low, 1e3 * row->high,
               row->tied ? ", tied" : "");
    if (!row->confirmed)
        printf("  unconfirmed");
    printf("  %s\n     %s\n", lift_str_get(&tunables),
           how.len ? lift_str_get(&how) : "no rewrites");
}

static void say_top(const struct summary_part *s)
{
    const struct lift_explore_progress *p = &s->part->progress;
    const struct lift_explore_result *r = s->summary->result;

    if (s->top.count == 0)
        return;
    printf("best of ");
    cli_print_subject(&(struct cli_subject){.program = r->program,
                                            .sizes = r->sizes,
                                            .dtype = r->dtype,
                                            .device = s->part->name,
                                            .steps = r->steps});
    if (p->gain > 0)
        printf(", %.2f times as fast as the plain loop nest%s", p->gain,
               p->plain_low > 0 ? "" : " (unconfirmed)");
    puts(":");
    for (int i = 0; i < s->top.count; i++)
        say_kernel(s, i);
}

static void say_roof(const struct lift_explore_part *part)
{
    if (part->roof_before > 0)
        printf("a kernel exceeded the copy bandwidth of %.4g GB/s: measured again it is "
               "%.4g GB/s, the roof of all percentages, earlier sessions' included\n",
               part->roof_before, part->roof);
}

/* A machine that did other work, or changed its clocks, while that was timed. */
static void say_spread(const struct lift_explore_progress *p)
{
    const double most = 1.25;

    if (p->plain_low > 0 && p->plain_high > most * p->plain_low)
        printf(
            "the naive kernel took from %.4g to %.4g ms in the final benchmark: how many "
            "times as fast others are is uncertain\n",
            1e3 * p->plain_low, 1e3 * p->plain_high);
}

/* Without the plain loop nest there is nothing to say how many times as fast as. */
static void say_no_plain(const struct lift_explore_part *part)
{
    if (part->no_plain)
        printf("the plain loop nest was not timed: %s\n", part->no_plain);
    else if (part->progress.plain_seconds <= 0)
        puts("the plain loop nest was not timed: the session ended before");
}

/* Failures are those of all sessions: by status and reason. */
static void say_part(struct summary_part *s)
{
    say_tries(s->part);
    if (lift_db_failures(s->db, s->summary->result->problem, s->part->device, say_failure,
                         NULL))
        say_reach(&s->part->reach);
    say_cost(s);
    say_longest(s);
    say_busy(s->part);
    say_roof(s->part);
    say_no_plain(s->part);
    say_spread(&s->part->progress);
    say_top(s);
}

/* ---- all of them */

/* Stages whose names agree up to a colon are one. */
static bool is_same_stage(const char *a, const char *b)
{
    size_t length = strcspn(a, ":");

    return length == strcspn(b, ":") && !strncmp(a, b, length);
}

static void say_stage(const struct cli_progress *progress, int which, bool *first)
{
    const char *name = progress->stages[which].name;
    double seconds = 0;
    char text[REPORT_UNITS];

    for (int i = 0; i < progress->stage_count; i++) {
        if (!is_same_stage(progress->stages[i].name, name))
            continue;
        if (i < which)
            return;
        seconds += progress->stages[i].seconds;
    }
    if (seconds < 0.05)
        return;
    printf("%s %.*s %s", *first ? ":" : ",", (int)strcspn(name, ":"), name,
           report_duration(seconds, text));
    *first = false;
}

static void say_end(const struct cli_summary *s)
{
    static const char *const texts[] = {
        "the budget is used up", "every candidate was tried", "interrupted", "", ""};
    char text[REPORT_UNITS];
    bool first = true;

    printf("%s, after %.1f s", texts[s->result->end], s->result->progress.elapsed);
    for (int i = 0; i < s->progress->stage_count; i++)
        say_stage(s->progress, i, &first);
    putchar('\n');
    if (s->result->extended > 0)
        printf("the budget was extended by %s to verify a first kernel\n",
               report_duration(s->result->extended, text));
}

static void say_more(const struct cli_summary *s, const struct report_named *program,
                     const struct summary_part *parts)
{
    LIFT_SCOPED(lift_str) lines = {0};

    lift_str_add(&lines, "more:\n  ");
    report_show_command(program, s->db, &lines);
    for (int i = 0; i < s->result->part_count; i++)
        if (parts[i].top.count > 0) {
            lift_str_add(&lines, "\n  ");
            summary_emit_command(&parts[i], &lines);
        }
    lift_str_add(&lines, "\n  ");
    report_report_command(s->db, &lines);
    puts(lift_str_get(&lines));
}

static bool load_part(struct summary_part *p)
{
    const struct lift_explore_result *r = p->summary->result;

    return (report_top_load(&p->top, p->db, r->problem, p->part->device) &&
            lift_db_cost(p->db, r->session, r->problem, p->part->device, &p->cost)) ||
           CLI_REFUSE("%s", lift_db_error(p->db));
}

static int none_verified(const struct lift_explore_result *r,
                         const struct report_named *program, const char *db)
{
    LIFT_SCOPED(lift_str) show = {0};

    report_show_command(program, db, &show);
    lift_str_add(&show, " --failures");
    cli_fail(CLI_FAILED, "no kernel of '%s' was verified; \"%s\" says why", r->program,
             lift_str_get(&show));
    return CLI_FAILED;
}

static int end_status(const struct cli_summary *s, const struct report_named *program,
                      int missing)
{
    const struct lift_explore_result *r = s->result;
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
    return none_verified(r, program, s->db);
}

static void say(const struct cli_summary *s, const struct report_named *program,
                struct summary_part *parts)
{
    json_t *devices;

    if (!s->json) {
        say_end(s);
        for (int i = 0; i < s->result->part_count; i++)
            say_part(&parts[i]);
        printf("database      %s\n", s->db);
        say_more(s, program, parts);
        return;
    }
    devices = json_array();
    for (int i = 0; i < s->result->part_count; i++)
        json_array_append_new(devices, summary_part_json(&parts[i]));
    cli_print_json(summary_json(s, program, ends[s->result->end], devices));
}

/* No kernel that was verified: the work failed, unless it was ended early. */
int cli_explore_summary(const struct cli_summary *s)
{
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    int count = s->result->part_count, missing = 0, status = CLI_FAILED;
    struct summary_part *parts = LIFT_NEW_ARRAY(arena, struct summary_part, count + 1);
    struct lift_db *db = cli_open(s->db);
    struct report_named program;
    bool good = db && report_named(db, arena, s->result->problem, &program);

    if (db && !good)
        cli_fail(CLI_FAILED, "%s", lift_db_error(db));
    if (good && !*program.program)
        program.program = s->result->program; /* it ended before there was a row */
    for (int i = 0; i < count && good; i++) {
        parts[i] = (struct summary_part){s,        &s->result->parts[i], db,
                                         &program, {.most = TOP},        {0}};
        good = load_part(&parts[i]);
        missing += parts[i].top.count == 0;
    }
    if (good) {
        say(s, &program, parts);
        status = end_status(s, &program, missing);
    }
    for (int i = 0; i < count; i++)
        report_top_fini(&parts[i].top);
    lift_db_close(db);
    return status;
}
