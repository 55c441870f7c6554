#include "explore/session/fastest.h"
#include <string.h>

static int find(const struct fastest *s, const struct lift_choice *choice)
{
    for (int i = 0; i < s->count; i++)
        if (lift_choice_equal(&s->rows[i].choice, choice))
            return i;
    return -1;
}

const struct fastest_row *fastest_find(const struct fastest *s,
                                       const struct lift_choice *choice)
{
    int at = find(s, choice);

    return at < 0 ? NULL : &s->rows[at];
}

static void remove_at(struct fastest *s, int at)
{
    s->count--;
    memmove(&s->rows[at], &s->rows[at + 1], sizeof s->rows[0] * (size_t)(s->count - at));
}

void fastest_drop(struct fastest *s, const struct lift_choice *choice)
{
    int at = find(s, choice);

    if (at < 0)
        return;
    built_release(&s->rows[at].built);
    remove_at(s, at);
}

void fastest_put(struct fastest *s, const struct lift_choice *choice, double seconds,
                 const struct built *built)
{
    struct fastest_row row = {*choice, seconds};
    int at = find(s, choice);

    if (at >= 0) {
        row.built = s->rows[at].built;
        remove_at(s, at);
    }
    for (at = s->count; at > 0 && s->rows[at - 1].seconds > seconds; at--)
        ;
    if (at == FASTEST_ROWS) {
        built_release(&row.built);
        return;
    }
    if (built) {
        built_release(&row.built);
        built_copy(&row.built, built);
    }
    if (s->count == FASTEST_ROWS)
        built_release(&s->rows[--s->count].built);
    memmove(&s->rows[at + 1], &s->rows[at], sizeof row * (size_t)(s->count - at));
    s->rows[at] = row;
    s->count++;
}

void fastest_fini(struct fastest *s)
{
    while (s->count)
        built_release(&s->rows[--s->count].built);
}
