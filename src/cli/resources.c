#include "cli/resources.h"
#include "report/units.h"

static void add(struct lift_str *out, int64_t bytes, const char *nothing,
                const char *what)
{
    char text[REPORT_UNITS];

    if (bytes < 0 || (bytes == 0 && !*nothing))
        return;
    lift_str_add(out, out->len ? ", " : "");
    if (bytes == 0)
        lift_str_add(out, nothing);
    else
        lift_str_addf(out, "%s %s", report_bytes((double)bytes, text), what);
}

void cli_resources(const struct lift_resources *r, struct lift_str *out)
{
    if (r->registers >= 0)
        lift_str_addf(out, "%d registers", r->registers);
    add(out, r->spill_bytes, "nothing spilled", "spilled");
    add(out, r->stack_bytes, "", "private");
    add(out, r->local_bytes, "", "local");
}
