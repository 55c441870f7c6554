/* Reads, prints and replaces places in terms. */
#include "base/bug.h"
#include "base/locale.h"
#include "rules/rule.h"
#include <stdlib.h>

lift_expr lift_path_get(lift_expr term, const struct lift_path *at)
{
    for (int i = 0; i < at->count; i++) {
        if (at->steps[i] >= lift_expr_child_count(term))
            return NULL;
        term = lift_expr_child(term, at->steps[i]);
    }
    return term;
}

static lift_expr replace(struct lift_ir *ir, lift_expr term, const struct lift_path *at,
                         int from, lift_expr with)
{
    int step = from < at->count ? at->steps[from] : 0;

    if (from == at->count)
        return with;
    LIFT_ASSERT(step < lift_expr_child_count(term));
    return lift_expr_with_child(
        ir, term, step, replace(ir, lift_expr_child(term, step), at, from + 1, with));
}

lift_expr lift_path_replace(struct lift_ir *ir, lift_expr term,
                            const struct lift_path *at, lift_expr with)
{
    return replace(ir, term, at, 0, with);
}

void lift_path_print(const struct lift_path *at, struct lift_str *out)
{
    if (at->count == 0)
        lift_str_addc(out, '.');
    for (int i = 0; i < at->count; i++)
        lift_str_addf(out, "%s%d", i ? "." : "", at->steps[i]);
}

static bool parse_step(const char **text, struct lift_path *out)
{
    char *end;
    long step;

    if (!lift_is_digit(**text) || out->count == LIFT_MAX_PATH)
        return false;
    step = strtol(*text, &end, 10);
    if (step > UINT8_MAX)
        return false;
    out->steps[out->count++] = (uint8_t)step;
    *text = end;
    return true;
}

bool lift_path_parse(const char *text, struct lift_path *out)
{
    out->count = 0;
    if (text[0] == '.' && !text[1])
        return true;
    if (!parse_step(&text, out))
        return false;
    while (*text) {
        if (*text++ != '.' || !parse_step(&text, out))
            return false;
    }
    return true;
}
