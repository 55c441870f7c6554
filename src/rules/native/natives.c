/* The table of native rules; natives.def has one line for each rule. */
#include "rules/native/natives.h"
#include "ir/spine.h"
#include "rules/check/check_gen.h"
#include <string.h>

static const struct rule_native natives[] = {
#define redex_like NULL
#define NATIVE(name, root, flat, numbers, rule, redex, most)                             \
    {#name, LIFT_##root, LIFT_##flat, numbers, rule_##rule, redex_##redex, most, NULL},
#define PLANES(name, column, redex)                                                      \
    {#name, LIFT_MAP_SEQ_SLIDE, LIFT_MAP_SEQ_SLIDE, 1, rule_planes, redex_##redex,       \
     0,     rule_##column},
#include "rules/native/natives.def"
};

const struct rule_native *rule_native_find(const char *name)
{
    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++)
        if (strcmp(natives[i].name, name) == 0)
            return &natives[i];
    return NULL;
}
