/* Copy bandwidths of one device in two databases: shares of the roof are of one of them.
 */
#include "base/memory.h"
#include "cli/db/cmd_db.h"
#include "tuner/db_report.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Measurements of one machine may be so far apart, as a share of the lower. */
static const double same = 0.1;

struct roofs {
    const char *was, *is; /* the databases */
    const struct cli_roofs *known;
};

static bool take(void *user, const struct lift_db_device_row *row)
{
    struct cli_roofs *r = user;

    r->items = lift_resize(r->items, (size_t)r->count + 1, sizeof *r->items);
    r->items[r->count++] = (struct cli_roof){row->id, row->copy_gbs};
    return true;
}

bool cli_read_roofs(struct lift_db *db, struct cli_roofs *out)
{
    *out = (struct cli_roofs){0};
    return lift_db_devices(db, &(struct lift_db_filter){.program = NULL}, take, out);
}

static bool compare(void *user, const struct lift_db_device_row *row)
{
    const struct roofs *r = user;
    double a = 0, b = row->copy_gbs;

    for (int i = 0; i < r->known->count; i++)
        if (lift_hash_equal(r->known->items[i].device, row->id))
            a = r->known->items[i].gbs;
    if (a > 0 && b > 0 && fabs(a - b) > same * fmin(a, b))
        printf("%s (%s): copy bandwidth %.4g GB/s in %s, %.4g in %s; shares of the roof "
               "are of what was measured last\n",
               row->name, row->runtime, a, r->was, b, r->is);
    return true;
}

void cli_compare_roofs(const struct cli_roofs *known, const char *was, struct lift_db *db,
                       const char *is)
{
    struct roofs r = {.was = was, .is = is, .known = known};

    lift_db_devices(db, &(struct lift_db_filter){.program = NULL}, compare, &r);
}

void cli_roofs_fini(struct cli_roofs *roofs)
{
    free(roofs->items);
    *roofs = (struct cli_roofs){0};
}
