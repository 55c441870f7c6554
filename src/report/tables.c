/* The small tables of a report: devices, problems, sessions, statuses. */
#include "base/memory.h"
#include "explore/explore_footprint.h"
#include "report/data.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- times of day */

double report_time(const char *text)
{
    struct tm utc = {.tm_sec = 0};
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &utc);
    int ms = 0;

    if (!rest)
        return 0;
    sscanf(rest, ".%3d", &ms);
    return (double)timegm(&utc) + ms * 1e-3;
}

/* ---- devices */

static bool take_device(void *user, const struct lift_db_device_row *row)
{
    struct report *r = user;

    LIFT_ROOM(r->devices, r->device_count, r->device_cap);
    r->devices[r->device_count++] = (struct report_device){
        .id = row->id,
        .runtime = lift_arena_strdup(r->arena, row->runtime),
        .name = lift_arena_strdup(r->arena, row->name),
        .vendor = lift_arena_strdup(r->arena, row->vendor),
        .arch = lift_arena_strdup(r->arena, row->arch),
        .copy_at = lift_arena_strdup(r->arena, row->copy_at),
        .compute_units = row->compute_units,
        .copy_gbs = row->copy_gbs > 0 && isfinite(row->copy_gbs) ? row->copy_gbs : 0};
    return true;
}

static void label_devices(struct report *r)
{
    for (int i = 0; i < r->device_count; i++) {
        struct report_device *d = &r->devices[i];

        d->label = *d->name ? lift_arena_printf(r->arena, "%s (%s)", d->name, d->runtime)
                            : d->runtime;
    }
}

/* ---- problems */

/* Programs are kept as they were written, so their operations are counted here, as by
 * 'lift check'. 0: this version cannot read the program. */
static double ops_of(struct report *r, const struct lift_db_problem_row *row)
{
    struct lift_source source = {row->program, row->text, strlen(row->text)};
    struct lift_size_setting *sizes;
    int count = report_sizes_of(r->arena, row->sizes, &sizes);
    struct lift_program_options options = {.sizes = sizes, .size_count = count};
    LIFT_OWNED(lift_ir) *ir = lift_ir_create();
    LIFT_SCOPED(lift_error) errors = {0};
    const struct lift_program *program =
        lift_program_load(ir, &source, &options, &errors);
    LIFT_SCOPED(lift_str) why = {0};
    struct lift_footprints found;

    return program && lift_footprints_find(ir, program, &found, &why) ? found.ops.flops
                                                                      : 0;
}

static bool take_problem(void *user, const struct lift_db_problem_row *row)
{
    struct report *r = user;
    struct report_problem *p;

    if (!report_sizes_agree(r->wanted.sizes, r->wanted.size_count, row->sizes))
        return true;
    LIFT_ROOM(r->problems, r->problem_count, r->problem_cap);
    p = &r->problems[r->problem_count++];
    *p = (struct report_problem){.id = row->id,
                                 .program = lift_arena_strdup(r->arena, row->program),
                                 .sizes = lift_arena_strdup(r->arena, row->sizes),
                                 .dtype = lift_arena_strdup(r->arena, row->dtype),
                                 .steps = row->steps,
                                 .points = row->points,
                                 .bytes = row->bytes > 0 ? row->bytes : 0,
                                 .ops = ops_of(r, row) / row->steps};
    return true;
}

static bool has_other_dtype(const struct report *r, const struct report_problem *p)
{
    for (int i = 0; i < r->problem_count; i++)
        if (!strcmp(r->problems[i].program, p->program) &&
            strcmp(r->problems[i].dtype, p->dtype) != 0)
            return true;
    return false;
}

static void title_problems(struct report *r)
{
    for (int i = 0; i < r->problem_count; i++) {
        struct report_problem *p = &r->problems[i];

        p->title = has_other_dtype(r, p)
                       ? lift_arena_printf(r->arena, "%s of %s", p->program, p->dtype)
                       : p->program;
        if (p->steps > 1)
            p->title = lift_arena_printf(r->arena, "%s, %d steps", p->title, p->steps);
    }
}

/* ---- sessions and statuses */

static bool take_session(void *user, const struct lift_db_session_row *row)
{
    struct report *r = user;
    struct report_session *s;

    LIFT_ROOM(r->sessions, r->session_count, r->session_cap);
    s = &r->sessions[r->session_count++];
    *s = (struct report_session){
        .id = row->id,
        .argv = lift_arena_strdup(r->arena, row->argv),
        .seed = lift_arena_strdup(r->arena, row->seed),
        .budget = lift_arena_strdup(r->arena, row->budget),
        .versions = lift_arena_strdup(r->arena, row->versions),
        .host = lift_arena_strdup(r->arena, row->host),
        .started = lift_arena_strdup(r->arena, row->started),
        .end_reason = lift_arena_strdup(r->arena, row->end_reason),
        .begin = report_time(row->started),
        .end = report_time(row->ended),
        .ended = *row->ended != '\0',
    };
    if (s->end < s->begin)
        s->end = s->begin;
    return true;
}

static bool take_status(void *user, const char *name, const char *meaning)
{
    struct report *r = user;

    if (r->status_count < REPORT_STATUSES)
        r->statuses[r->status_count++] = (struct report_status){
            lift_arena_strdup(r->arena, name), lift_arena_strdup(r->arena, meaning)};
    return true;
}

int report_status_of(struct report *r, const char *name)
{
    for (int i = 0; i < r->status_count; i++)
        if (!strcmp(r->statuses[i].name, name))
            return i;
    if (r->status_count == REPORT_STATUSES)
        return REPORT_STATUSES - 1;
    take_status(r, name, "");
    return r->status_count - 1;
}

bool report_load_tables(struct report *r)
{
    const struct lift_db_filter *filter = &r->wanted.filter;
    bool good = lift_db_statuses(r->db, take_status, r) &&
                lift_db_devices(r->db, filter, take_device, r) &&
                lift_db_problems(r->db, filter, take_problem, r) &&
                lift_db_sessions(r->db, take_session, r);

    label_devices(r);
    title_problems(r);
    return good;
}
