#include "explore/standings.h"
#include <string.h>

static int find(const struct standings *s, const struct lift_choice *choice)
{
    for (int i = 0; i < s->count; i++)
        if (lift_choice_equal(&s->rows[i].choice, choice))
            return i;
    return -1;
}

void standings_drop(struct standings *s, const struct lift_choice *choice)
{
    int at = find(s, choice);

    if (at < 0)
        return;
    s->count--;
    memmove(&s->rows[at], &s->rows[at + 1], sizeof s->rows[0] * (size_t)(s->count - at));
}

void standings_put(struct standings *s, const struct lift_choice *choice, double seconds)
{
    struct standing row = {*choice, seconds};
    int at;

    standings_drop(s, &row.choice);
    for (at = s->count; at > 0 && s->rows[at - 1].seconds > seconds; at--)
        if (at < STANDINGS)
            s->rows[at] = s->rows[at - 1];
    if (at == STANDINGS)
        return;
    s->rows[at] = row;
    s->count += s->count < STANDINGS;
}
