/* One pass over all tries of a report. */
#include "base/memory.h"
#include "report/data.h"
#include <string.h>

/* ---- whose row it is */

/* The row of some rows that begin with their ids; the last answer is asked for again most
 * of the time. -1: it is none of them. */
static int find(const void *rows, int count, size_t size, struct lift_hash id, int *last)
{
    for (int n = 0; n < count; n++) {
        int i = (*last + n) % count;

        if (lift_hash_equal(
                *(const struct lift_hash *)((const char *)rows + (size_t)i * size), id))
            return *last = i;
    }
    return -1;
}

struct scan {
    struct report *report;
    int problem, device, session, pair; /* of the last try */
};

static int new_pair(struct report *r, int problem, int device)
{
    struct report_pair *p;

    LIFT_ROOM(r->pairs, r->pair_count, r->pair_cap);
    p = &r->pairs[r->pair_count];
    memset(p, 0, sizeof *p);
    p->problem = problem;
    p->device = device;
    p->stride = 1;
    p->dots = LIFT_NEW_ARRAY(r->arena, struct report_dot, REPORT_DOTS);
    p->sessions = LIFT_NEW_ARRAY(r->arena, bool, r->session_count + 1);
    r->devices[device].used = true;
    return r->pair_count++;
}

static struct report_pair *pair_of(struct scan *s, const struct lift_db_try_row *row)
{
    struct report *r = s->report;
    int problem = find(r->problems, r->problem_count, sizeof *r->problems, row->problem,
                       &s->problem);
    int device =
        find(r->devices, r->device_count, sizeof *r->devices, row->device, &s->device);

    if (problem < 0 || device < 0)
        return NULL;
    for (int n = 0; n < r->pair_count; n++) {
        int i = (s->pair + n) % r->pair_count;

        if (r->pairs[i].problem == problem && r->pairs[i].device == device)
            return &r->pairs[s->pair = i];
    }
    s->pair = new_pair(r, problem, device);
    return &r->pairs[s->pair];
}

/* ---- the pass */

static void add_cost(struct report_pair *p, const struct lift_db_try_row *row)
{
    p->compile_s += row->compile_s > 0 ? row->compile_s : 0;
    p->check_s += row->check_s > 0 ? row->check_s : 0;
    p->measure_s += row->measure_s > 0 ? row->measure_s : 0;
}

static bool take_try(void *user, const struct lift_db_try_row *row)
{
    struct scan *s = user;
    struct report *r = s->report;
    struct report_pair *p = pair_of(s, row);
    int session = find(r->sessions, r->session_count, sizeof *r->sessions, row->session,
                       &s->session);
    int status = report_status_of(r, row->status);
    struct report_session *in;
    double end = report_time(row->ended);

    if (!p || session < 0)
        return true;
    in = &r->sessions[session];
    in->tries++;
    if (!in->ended && end > in->end)
        in->end = end;
    p->sessions[session] = true;
    p->tries++;
    p->by_status[status]++;
    add_cost(p, row);
    if (!strcmp(row->status, "ok"))
        report_add_time(
            p, row,
            (struct report_moment){session, end > in->begin ? end - in->begin : 0});
    return true;
}

bool report_scan(struct report *r)
{
    return lift_db_all_tries(r->db, take_try, &(struct scan){.report = r});
}
