/* What a report keeps of each try. */
#include "base/memory.h"
#include "report/data.h"
#include <math.h>
#include <string.h>

/* ---- best over time */

static bool before(struct report_moment a, struct report_moment b)
{
    return a.session != b.session ? a.session < b.session : a.at < b.at;
}

/* Steps stay sorted by time, each faster than the one before. Rows mostly come in the
 * order of time. */
static void add_step(struct report_pair *p, struct report_moment when, double seconds)
{
    int at = p->step_count, last;

    while (at > 0 && before(when, p->steps[at - 1].when))
        at--;
    if (at > 0 && p->steps[at - 1].seconds <= seconds)
        return;
    for (last = at; last < p->step_count && p->steps[last].seconds >= seconds;)
        last++;
    if (last == at && p->step_count == p->step_cap) {
        p->step_cap = p->step_cap ? 2 * p->step_cap : 32;
        p->steps = lift_resize(p->steps, (size_t)p->step_cap, sizeof *p->steps);
    }
    memmove(p->steps + at + 1, p->steps + last,
            (size_t)(p->step_count - last) * sizeof *p->steps);
    p->steps[at] = (struct report_dot){.when = when, .seconds = seconds};
    p->step_count += 1 - (last - at);
}

/* When there are too many, every second goes. */
static void add_dot(struct report_pair *p, struct report_moment when, double seconds)
{
    if (p->seen++ % p->stride)
        return;
    if (p->dot_count == REPORT_DOTS) {
        for (int i = 0; i < REPORT_DOTS / 2; i++)
            p->dots[i] = p->dots[2 * i];
        p->dot_count = REPORT_DOTS / 2;
        p->stride *= 2;
    }
    p->dots[p->dot_count++] = (struct report_dot){.when = when, .seconds = seconds};
}

/* ---- one try */

void report_add_time(struct report_pair *p, const struct lift_db_try_row *row,
                     struct report_moment when)
{
    if (!(row->seconds > 0) || !isfinite(row->seconds))
        return;
    if (!strcmp(row->phase, "search") || !strcmp(row->phase, "seed")) {
        add_step(p, when, row->seconds);
        add_dot(p, when, row->seconds);
    }
}
