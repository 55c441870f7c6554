/* Everything a report shows, from the database. */
#include "report/data.h"
#include "report/short.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Sessions of a pair follow one another without a gap. */
static void lay_out_time(struct report *r, struct report_pair *p)
{
    double *begin = LIFT_NEW_ARRAY(r->arena, double, r->session_count + 1);

    for (int i = 0; i < r->session_count; i++) {
        begin[i] = p->explored;
        if (p->sessions[i])
            p->explored += r->sessions[i].end - r->sessions[i].begin;
    }
    for (int i = 0; i < p->step_count; i++)
        p->steps[i].at = begin[p->steps[i].when.session] + p->steps[i].when.at;
    for (int i = 0; i < p->dot_count; i++)
        p->dots[i].at = begin[p->dots[i].when.session] + p->dots[i].when.at;
}

/* Whose rows are read. */
struct reader {
    struct report *report;
    struct report_pair *pair;
    struct report_kernel *kernel;
};

static bool take_kernel(void *user, const struct lift_db_kernel_row *row)
{
    struct reader *r = user;

    r->kernel->expr = row->expr;
    r->kernel->tunables = lift_arena_strdup(r->report->arena, row->tunables);
    r->kernel->registers = row->registers;
    r->kernel->spill_bytes = row->spill_bytes;
    r->kernel->local_bytes = row->local_bytes;
    r->kernel->verified = row->verified;
    for (int i = 0; i < r->report->session_count; i++)
        if (lift_hash_equal(r->report->sessions[i].id, row->session))
            r->kernel->session = &r->report->sessions[i];
    return true;
}

static bool describe(struct report *r, struct report_kernel *kernel)
{
    kernel->tunables = "";
    return lift_db_kernel(r->db, kernel->try, take_kernel,
                          &(struct reader){.report = r, .kernel = kernel});
}

/* As in the summary of an exploration. */
static bool load_top(struct report *r, struct report_pair *p)
{
    LIFT_SCOPED(report_top) top = {.most = REPORT_TOP};
    bool good = report_top_load(&top, r->db, r->problems[p->problem].id,
                                r->devices[p->device].id);

    for (int i = 0; i < top.count && good; i++) {
        struct report_kernel *k = &p->top[p->top_count];

        if (!(top.rows[i].seconds > 0) || !isfinite(top.rows[i].seconds))
            continue;
        *k = (struct report_kernel){.seconds = top.rows[i].seconds,
                                    .confirmed = top.rows[i].confirmed};
        snprintf(k->try, LIFT_HASH_HEX, "%s", top.rows[i].try);
        good = describe(r, k);
        p->top_count += k->verified;
    }
    return good;
}

enum { MOST_FINALS = 32 };

static bool take_final(void *user, const struct lift_db_finalist *row)
{
    struct reader *r = user;
    struct report_final *final = &r->pair->finals[r->pair->final_count];

    if (r->pair->final_count == MOST_FINALS || !(row->seconds > 0) || !(row->low > 0) ||
        !(row->high >= row->low) || !isfinite(row->high))
        return true;
    *final = (struct report_final){.place = row->place,
                                   .seconds = row->seconds,
                                   .low = row->low,
                                   .high = row->high,
                                   .tied = row->tied};
    lift_hash_hex(row->try, final->kernel.try);
    r->pair->final_count++;
    return true;
}

static bool load_finals(struct report *r, struct report_pair *p)
{
    bool good;

    p->finals = LIFT_NEW_ARRAY(r->arena, struct report_final, MOST_FINALS);
    good = lift_db_finalists(r->db, r->problems[p->problem].id, r->devices[p->device].id,
                             take_final, &(struct reader){.pair = p});
    for (int i = 0; i < p->final_count && good; i++)
        good = describe(r, &p->finals[i].kernel);
    return good;
}

static bool take_reason(void *user, const struct lift_db_failure *row)
{
    struct reader *r = user;

    r->pair->reasons[r->pair->reason_count++] = (struct report_reason){
        report_status_of(r->report, row->status),
        lift_arena_strdup(r->report->arena, row->reason), row->count};
    return r->pair->reason_count < REPORT_REASONS;
}

static bool load_reasons(struct report *r, struct report_pair *p)
{
    p->reasons = LIFT_NEW_ARRAY(r->arena, struct report_reason, REPORT_REASONS);
    return lift_db_failures(r->db, r->problems[p->problem].id, r->devices[p->device].id,
                            take_reason, &(struct reader){.report = r, .pair = p});
}

static bool finish_pair(struct report *r, struct report_pair *p)
{
    struct report_problem *problem = &r->problems[p->problem];

    problem->tries += p->tries;
    r->tries += p->tries;
    r->verified += p->by_status[report_status_of(r, "ok")];
    lay_out_time(r, p);
    return load_top(r, p) && load_finals(r, p) && load_reasons(r, p);
}

static void list_pairs(struct report *r)
{
    for (int i = 0; i < r->problem_count; i++)
        r->problems[i].pairs = LIFT_NEW_ARRAY(r->arena, int, r->device_count + 1);
    for (int d = 0; d < r->device_count; d++)
        for (int i = 0; i < r->pair_count; i++) {
            struct report_problem *p = &r->problems[r->pairs[i].problem];

            if (r->pairs[i].device == d)
                p->pairs[p->pair_count++] = i;
        }
}

static bool take_best(void *user, const struct lift_db_best *row)
{
    struct report *r = user;

    for (int i = 0; i < r->pair_count; i++) {
        struct report_pair *p = &r->pairs[i];

        if (!lift_hash_equal(r->problems[p->problem].id, row->problem) ||
            !lift_hash_equal(r->devices[p->device].id, row->device_id))
            continue;
        p->has_best = row->seconds > 0 && isfinite(row->seconds);
        p->best_seconds = row->seconds;
        p->best_gpts = row->gpts;
        p->best_gbs = row->gbs;
        p->best_roof = row->roof;
        p->best_expr = row->expr;
        p->confirmed = row->confirmed;
        lift_hash_hex(row->try, p->best_try);
    }
    return true;
}

static bool load_tries(struct report *r)
{
    bool good = report_scan(r);

    for (int i = 0; i < r->session_count; i++)
        if (r->sessions[i].tries)
            r->explored += r->sessions[i].end - r->sessions[i].begin;
    for (int i = 0; i < r->pair_count && good; i++)
        good = finish_pair(r, &r->pairs[i]);
    list_pairs(r);
    return good &&
           lift_db_best(r->db, &(struct lift_db_filter){.program = NULL}, take_best, r);
}

bool report_load(struct report *r)
{
    return report_load_tables(r) && load_tries(r);
}

void report_free(struct report *r)
{
    for (int i = 0; i < r->pair_count; i++)
        free(r->pairs[i].steps);
    free(r->devices);
    free(r->problems);
    free(r->sessions);
    free(r->pairs);
    lift_arena_destroy(r->arena);
}
