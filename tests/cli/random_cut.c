/* A random program of tests/random_cut.h, for its number: 'random_cut N [rows]'. The
 * first line says, in a comment, its dimensions and planes, how many parts it is for,
 * with weights, after how many steps these exchange, and how they are cut: 'PxR'. */
#include "random_cut.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many that no part is too thin. */
static int64_t length_for(struct lift_rng *rng, int64_t parts, int64_t every)
{
    return 5 * parts * lift_rng_range(rng, 6 * every, 8 * every + 6) / 3;
}

int main(int argc, char **argv)
{
    bool rows = argc > 2 && strcmp(argv[2], "rows") == 0;
    struct lift_rng rng;
    struct lift_str text = {0};
    int64_t parts, of_rows = 1, every, planes;

    lift_rng_seed(&rng, argc > 1 ? strtoull(argv[1], NULL, 10) : 1);
    parts = rows ? lift_rng_range(&rng, 1, 3) : lift_rng_range(&rng, 2, 5);
    of_rows = rows ? lift_rng_range(&rng, 2, parts < 3 ? 3 : 2) : 1;
    every = (int64_t)1 << below(&rng, rows ? 2 : 3);
    planes = length_for(&rng, parts, every);
    random_cut(&text, &rng, planes, rows ? length_for(&rng, of_rows, every) : 0);
    printf("// %d %d %d %d ", strstr(lift_str_get(&text), "[[") ? 2 : 1, (int)planes,
           (int)(parts * of_rows), (int)every);
    for (int64_t i = 0; i < parts * of_rows; i++)
        printf("%s%d", i ? "," : "", (int)lift_rng_range(&rng, 3, 5));
    printf(" %dx%d\nexact\n%s", (int)parts, (int)of_rows, lift_str_get(&text));
    lift_str_fini(&text);
    return 0;
}
