/* "nx=256,ny=256": the sizes given on a command line. */
#include "lift/sizes.h"
#include "lift/locale.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool malformed(struct lift_diags *diags, const char *text)
{
    lift_diags_add(diags, NULL, (struct lift_span){0},
                   "'%s' is not a list of sizes like 'nx=256,ny=256'", text);
    return false;
}

static const char *read_one(struct lift_arena *arena, const char *s,
                            struct lift_size_setting *out)
{
    const char *start = s;
    char *end;

    while (lift_is_alnum(*s) || *s == '_')
        s++;
    if (s == start || lift_is_digit(*start) || *s != '=' || !lift_is_digit(s[1]))
        return NULL;
    out->name = lift_arena_strndup(arena, start, (size_t)(s - start));
    errno = 0;
    out->value = strtoll(s + 1, &end, 10);
    return errno ? NULL : end;
}

bool lift_sizes_parse(struct lift_arena *arena, const char *text,
                      const struct lift_size_setting **out, int *count,
                      struct lift_diags *diags)
{
    struct lift_size_setting *items =
        LIFT_NEW_ARRAY(arena, struct lift_size_setting, LIFT_MAX_SIZES);
    const char *s = text;

    *out = items;
    *count = 0;
    if (!text)
        return malformed(diags, "");
    do {
        if (*count == LIFT_MAX_SIZES)
            return malformed(diags, text);
        s = read_one(arena, s, &items[*count]);
        if (!s)
            return malformed(diags, text);
        for (int i = 0; i < *count; i++)
            if (strcmp(items[i].name, items[*count].name) == 0)
                return malformed(diags, text);
        ++*count;
    } while (*s++ == ',');
    return s[-1] == '\0' || malformed(diags, text);
}
