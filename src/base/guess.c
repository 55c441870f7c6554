#include "base/guess.h"
#include "base/locale.h"
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 64 }; /* longer names are not compared */

static int least(int a, int b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return lift_to_lower(a) == lift_to_lower(b);
}

/* Optimal string alignment, which needs only three rows of the table. */
int lift_edit_distance(const char *a, const char *b)
{
    int rows[3][LONGEST + 1];
    int n = (int)strlen(a), m = (int)strlen(b);

    if (n > LONGEST || m > LONGEST)
        return n > m ? n : m;
    for (int j = 0; j <= m; j++)
        rows[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *now = rows[i % 3];
        const int *before = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];

        now[0] = i;
        for (int j = 1; j <= m; j++) {
            now[j] = least(least(before[j], now[j - 1]) + 1,
                           before[j - 1] + !same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                now[j] = least(now[j], second[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

void lift_guess_add(struct lift_guess *guess, const char *name)
{
    size_t a = strlen(guess->word), b = strlen(name), longer = a > b ? a : b;
    int distance = lift_edit_distance(guess->word, name);

    if (longer < 2 || distance > (int)(longer + 2) / 3 || (size_t)distance >= longer)
        return;
    if (guess->name && guess->distance <= distance)
        return;
    guess->name = name;
    guess->distance = distance;
}

void lift_guess_print(const struct lift_guess *guess, struct lift_str *out)
{
    if (guess->name)
        lift_str_addf(out, "; did you mean '%s'?", guess->name);
}

const char *lift_guess_text(const struct lift_guess *guess, struct lift_arena *arena)
{
    return guess->name ? lift_arena_printf(arena, "; did you mean '%s'?", guess->name)
                       : "";
}
