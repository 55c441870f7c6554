/* A random program of tests/random_cut.h, for its number: 'random_cut N'. The first line
 * says, in a comment, its dimensions and planes, how many parts it is for, with weights,
 * and after how many steps these exchange. */
#include "random_cut.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct lift_rng rng;
    struct lift_str text = {0};
    int64_t parts, every, planes;

    lift_rng_seed(&rng, argc > 1 ? strtoull(argv[1], NULL, 10) : 1);
    parts = lift_rng_range(&rng, 2, 5);
    every = (int64_t)1 << below(&rng, 3);
    planes = 5 * parts * lift_rng_range(&rng, 6 * every, 8 * every + 6) / 3;
    random_cut(&text, &rng, planes);
    printf("// %d %d %d %d ", strstr(lift_str_get(&text), "[[") ? 2 : 1, (int)planes,
           (int)parts, (int)every);
    for (int64_t i = 0; i < parts; i++)
        printf("%s%d", i ? "," : "", (int)lift_rng_range(&rng, 3, 5));
    printf("\nexact\n%s", lift_str_get(&text));
    lift_str_fini(&text);
    return 0;
}
