#include "cli/short.h"
#include "lift/bug.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cli_tunables_short(const char *json, struct lift_str *out)
{
    json_t *object = json_loads(json, 0, NULL), *value;
    const char *name;
    size_t begin = out->len;

    if (!json_is_object(object))
        lift_str_add(out, json);
    json_object_foreach(object, name, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));

        lift_str_addf(out, "%s%s=%s", out->len > begin ? " " : "", name,
                      text ? text : "");
        free(text);
    }
    json_decref(object);
}

struct how {
    const char *between;
    struct lift_str *out;
    size_t begin;
    int macro_end; /* the last step of the macro that is named already */
};

static bool take_step(void *user, const struct lift_db_step *step)
{
    struct how *how = user;
    const struct lift_db_use *macro = step->macro_count ? &step->macros[0] : NULL;

    if (step->step <= how->macro_end)
        return true;
    lift_str_addf(how->out, "%s%s", how->out->len > how->begin ? how->between : "",
                  macro ? macro->macro : step->rule);
    if (macro)
        how->macro_end = macro->first + macro->steps - 1;
    return true;
}

bool cli_how_short(struct lift_db *db, struct lift_hash expr, const char *between,
                   struct lift_str *out)
{
    struct how how = {between, out, out->len, 0};

    return lift_db_derivation(db, expr, take_step, &how);
}

static bool take_top(void *user, const struct lift_db_top_row *row)
{
    struct cli_top *top = user;
    struct cli_top_row *at = &top->rows[top->count];

    for (int i = 0; i < top->count; i++)
        if (!strcmp(top->rows[i].candidate, row->candidate))
            return true;
    *at = (struct cli_top_row){.expr = row->expr,
                               .tunables = strdup(row->tunables),
                               .seconds = row->seconds,
                               .gpts = row->gpts,
                               .gbs = row->gbs,
                               .roof = row->roof};
    LIFT_ASSERT(at->tunables);
    snprintf(at->try, sizeof at->try, "%s", row->try);
    snprintf(at->candidate, sizeof at->candidate, "%s", row->candidate);
    return ++top->count < top->most;
}

bool cli_top_load(struct cli_top *top, struct lift_db *db, struct lift_hash problem,
                  struct lift_hash device)
{
    top->rows = calloc((size_t)top->most + 1, sizeof *top->rows);
    LIFT_ASSERT(top->rows);
    return lift_db_top(db, problem, device, take_top, top);
}

void cli_top_fini(struct cli_top *top)
{
    for (int i = 0; i < top->count; i++)
        free(top->rows[i].tunables);
    free(top->rows);
    *top = (struct cli_top){.most = top->most};
}
