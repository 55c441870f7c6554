/* Compares the copy bandwidths of a device in two databases, since a share refers to
 * one of them. */
#include "base/memory.h"
#include "cli/db/cmd_db.h"
#include "tuner/db_report.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Relative difference of measurements on one machine: a fraction of the lower value. */
static const double same = 0.1;

struct bandwidths {
    const char *was, *is; /* names of the databases */
    const struct cli_bandwidths *known;
};

static bool take(void *user, const struct lift_db_device_row *row)
{
    struct cli_bandwidths *r = user;

    r->items = lift_resize(r->items, (size_t)r->count + 1, sizeof *r->items);
    r->items[r->count++] = (struct cli_bandwidth){row->id, row->copy_gbs};
    return true;
}

bool cli_read_bandwidths(struct lift_db *db, struct cli_bandwidths *out)
{
    *out = (struct cli_bandwidths){0};
    return lift_db_devices(db, &(struct lift_db_filter){.program = NULL}, take, out);
}

static bool compare(void *user, const struct lift_db_device_row *row)
{
    const struct bandwidths *r = user;
    double a = 0, b = row->copy_gbs;

    for (int i = 0; i < r->known->count; i++)
        if (lift_hash_equal(r->known->items[i].device, row->id))
            a = r->known->items[i].gbs;
    if (a > 0 && b > 0 && fabs(a - b) > same * fmin(a, b))
        printf("%s (%s): copy bandwidth %.4g GB/s in %s, %.4g in %s; percentages "
               "refer to the last measurement\n",
               row->name, row->runtime, a, r->was, b, r->is);
    return true;
}

void cli_compare_bandwidths(const struct cli_bandwidths *known, const char *was,
                            struct lift_db *db, const char *is)
{
    struct bandwidths r = {.was = was, .is = is, .known = known};

    lift_db_devices(db, &(struct lift_db_filter){.program = NULL}, compare, &r);
}

void cli_bandwidths_fini(struct cli_bandwidths *bandwidths)
{
    free(bandwidths->items);
    *bandwidths = (struct cli_bandwidths){0};
}
