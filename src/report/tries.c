/* One pass over all tries of a report. */
#include "lift/bug.h"
#include "lift/memory.h"
#include "report/data.h"
#include <stdlib.h>
#include <string.h>

/* ---- whose row it is */

struct index_entry {
    struct lift_hash id;
    int at;
};

/* The last answer is asked for again most of the time. */
struct index {
    struct index_entry *entries;
    int count, last;
};

static int by_id(const void *a, const void *b)
{
    const struct lift_hash *x = a, *y = b;

    if (x->hi != y->hi)
        return x->hi < y->hi ? -1 : 1;
    return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static struct index index_of(const void *items, int count, size_t size)
{
    struct index index = {calloc((size_t)count + 1, sizeof *index.entries), count, -1};

    LIFT_ASSERT(index.entries);
    for (int i = 0; i < count; i++)
        index.entries[i] = (struct index_entry){
            *(const struct lift_hash *)((const char *)items + (size_t)i * size), i};
    qsort(index.entries, (size_t)count, sizeof *index.entries, by_id);
    return index;
}

static int index_find(struct index *index, struct lift_hash id)
{
    const struct index_entry *found;

    if (index->last >= 0 && lift_hash_equal(index->entries[index->last].id, id))
        return index->entries[index->last].at;
    found = bsearch(&id, index->entries, (size_t)index->count, sizeof *found, by_id);
    if (!found)
        return -1;
    index->last = (int)(found - index->entries);
    return found->at;
}

struct scan {
    struct report *report;
    struct index problems, devices, sessions;
    int *pair_of; /* problem * devices + device; -1: none yet */
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
    int problem = index_find(&s->problems, row->problem);
    int device = index_find(&s->devices, row->device);
    int *pair;

    if (problem < 0 || device < 0)
        return NULL;
    pair = &s->pair_of[(size_t)problem * (size_t)r->device_count + (size_t)device];
    if (*pair < 0)
        *pair = new_pair(r, problem, device);
    return &r->pairs[*pair];
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
    int session = index_find(&s->sessions, row->session);
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
    else if (report_is_failure(r, status))
        report_add_reason(r, p, status, row->reason);
    return true;
}

bool report_scan(struct report *r)
{
    size_t cells = (size_t)r->problem_count * (size_t)r->device_count + 1;
    struct scan s = {
        .report = r,
        .problems = index_of(r->problems, r->problem_count, sizeof *r->problems),
        .devices = index_of(r->devices, r->device_count, sizeof *r->devices),
        .sessions = index_of(r->sessions, r->session_count, sizeof *r->sessions),
        .pair_of = malloc(cells * sizeof *s.pair_of)};
    bool good;

    LIFT_ASSERT(s.pair_of);
    for (size_t i = 0; i < cells; i++)
        s.pair_of[i] = -1;
    good = lift_db_all_tries(r->db, take_try, &s);
    free(s.problems.entries);
    free(s.devices.entries);
    free(s.sessions.entries);
    free(s.pair_of);
    return good;
}
