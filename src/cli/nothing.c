/* Explains why no row of the database matches a request. */
#include "cli/cli.h"

int cli_nothing(struct lift_db *db, const char *what, enum report_rows rows,
                const struct report_wanted *w)
{
    const struct report_where *where = w->where;
    LIFT_SCOPED(lift_str) text = {0};
    bool good;

    lift_str_addf(&text, "no %s", what);
    if (where->program)
        lift_str_addf(&text, " of '%s'", where->program);
    if (where->device)
        lift_str_addf(&text, " for --device '%s'", where->device);
    if (where->size)
        lift_str_addf(&text, " at --size '%s'", where->size);
    if (where->precision)
        lift_str_addf(&text, " with --precision %s", where->precision);
    lift_str_add(&text, " in the database");
    good = report_say_others(db, rows, w, &text);
    cli_fail(CLI_FAILED, "%s", good ? lift_str_get(&text) : lift_db_error(db));
    return CLI_FAILED;
}
