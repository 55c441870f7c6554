/* Reads sizes of a command line, "nx=256,ny=256", or as printed, {"nx":256,"ny":256}.
 * Also reads tunables, some of which have words as values. */
#include "ir/sizes.h"
#include "base/locale.h"
#include "ir/tunable.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool malformed(struct lift_error *errors, const char *text)
{
    lift_fail_at(errors, NULL, (struct lift_span){0},
                 "'%s' is not a list of sizes like 'nx=256,ny=256'", text);
    return false;
}

/* Reads a name up to its quote, or to '='; NULL if there is no name. */
static const char *read_name(struct lift_arena *arena, const char *s, bool json,
                             const char **out)
{
    const char *start;

    if (json && *s++ != '"')
        return NULL;
    start = s;
    while (lift_is_alnum(*s) || *s == '_')
        s++;
    if (s == start || lift_is_digit(*start))
        return NULL;
    *out = lift_arena_strndup(arena, start, (size_t)(s - start));
    if (json && *s++ != '"')
        return NULL;
    return *s == (json ? ':' : '=') ? s + 1 : NULL;
}

static const char *read_one(struct lift_arena *arena, const char *s, bool json,
                            struct lift_size_setting *out)
{
    size_t len = 0;
    char *end;

    s = read_name(arena, s, json, &out->name);
    while (s && lift_is_alpha(s[len]))
        len++;
    if (len) {
        out->value = lift_tunable_value(out->name, s, len);
        return out->value < 0 ? NULL : s + len;
    }
    if (!s || !lift_is_digit(*s))
        return NULL;
    errno = 0;
    out->value = strtoll(s, &end, 10);
    return errno ? NULL : end;
}

bool lift_sizes_parse(struct lift_arena *arena, const char *text,
                      const struct lift_size_setting **out, int *count,
                      struct lift_error *errors)
{
    struct lift_size_setting *items =
        LIFT_NEW_ARRAY(arena, struct lift_size_setting, LIFT_MAX_SIZES);
    bool json = text && *text == '{';
    const char *s = json ? text + 1 : text;

    *out = items;
    *count = 0;
    if (!text)
        return malformed(errors, "");
    if (!strcmp(text, "{}"))
        return true;
    do {
        if (*count == LIFT_MAX_SIZES)
            return malformed(errors, text);
        s = read_one(arena, s, json, &items[*count]);
        if (!s)
            return malformed(errors, text);
        for (int i = 0; i < *count; i++)
            if (strcmp(items[i].name, items[*count].name) == 0)
                return malformed(errors, text);
        ++*count;
    } while (*s++ == ',');
    if (json && s[-1] == '}')
        s++;
    else if (json)
        return malformed(errors, text);
    return s[-1] == '\0' || malformed(errors, text);
}
