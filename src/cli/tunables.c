/* Former names of tunables on command lines. */
#include "cli/cli.h"
#include "ir/tunable.h"
#include <string.h>

static void say(const char *former, const char *now)
{
    fprintf(stderr, "tunable '%s' is now called '%s'\n", former, now);
}

const char *cli_tunable(const char *said)
{
    const char *now = lift_tunable_now(said);

    if (strcmp(now, said) != 0)
        say(said, now);
    return now;
}

void cli_say_tunables(const struct lift_tunable *known, int known_count,
                      const struct lift_size_setting *said, int count)
{
    for (int i = 0; i < count; i++) {
        cli_tunable(said[i].name);
        for (int k = 0; k < known_count; k++)
            if (strcmp(known[k].name, said[i].name) != 0 &&
                lift_tunable_called(known[k].name, known[k].key, said[i].name))
                say(said[i].name, known[k].name);
    }
}
