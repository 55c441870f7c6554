#include "explore/session/fastest.h"
#include <string.h>

static int find(const struct fastest *s, const struct lift_choice *choice)
{
    for (int i = 0; i < s->count; i++)
        if (lift_choice_equal(&s->rows[i].choice, choice))
            return i;
    return -1;
}

void fastest_drop(struct fastest *s, const struct lift_choice *choice)
{
    int at = find(s, choice);

    if (at < 0)
        return;
    s->count--;
    memmove(&s->rows[at], &s->rows[at + 1], sizeof s->rows[0] * (size_t)(s->count - at));
}

void fastest_put(struct fastest *s, const struct lift_choice *choice, double seconds)
{
    struct fastest_row row = {*choice, seconds};
    int at;

    fastest_drop(s, &row.choice);
    for (at = s->count; at > 0 && s->rows[at - 1].seconds > seconds; at--)
        if (at < FASTEST_ROWS)
            s->rows[at] = s->rows[at - 1];
    if (at == FASTEST_ROWS)
        return;
    s->rows[at] = row;
    s->count += s->count < FASTEST_ROWS;
}
