#include "ir/prim.h"
#include "base/bug.h"
#include "base/str.h"
#include <string.h>

static const char *const lift_pad_kind_words[] = {"clamp", "mirror", "wrap", "any", NULL};
#define WORDS(tag, list) static const char *const tag##_words[] = {list NULL};
#define WORD(value, text) text,
#include "ir/attributes.def"

static const struct {
    enum lift_op op;
    struct lift_attr_info attrs[LIFT_MAX_ATTRS];
} attributes[] = {
#define ATTRIBUTES(op, member, list) {LIFT_##op, {list}},
#define NUMBER(name, option) {#name, NULL, option},
#define CHOICE(name, tag, option) {#name, tag##_words, option},
#include "ir/attributes.def"
};

_Static_assert(sizeof(union lift_attrs) == LIFT_MAX_ATTRS * sizeof(int),
               "members are attributes by number");

static struct lift_prim_info infos[] = {
#define PRIM(op, name, params, level, scheme, meaning)                                   \
    {name, params, LIFT_LEVEL_##level, scheme, meaning, 0, 0, 0, {{0}}},
#include "lift/prims.def"
#undef PRIM
};

static void count_params(struct lift_prim_info *info)
{
    for (const char *p = info->params; *p; p++) {
        info->nat_count += *p == 'N';
        info->expr_count += *p == 'E' || *p == 'F';
    }
    if (strchr(info->params, '*'))
        info->expr_count = -1;
}

/* Derives the fields that follow from the parameter letters; idempotent. Runs before any
 * thread starts. */
static __attribute__((constructor)) void complete(void)
{
    for (size_t i = 0; i < LIFT_OP_COUNT; i++)
        count_params(&infos[i]);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        struct lift_prim_info *info = &infos[attributes[i].op];

        memcpy(info->attrs, attributes[i].attrs, sizeof info->attrs);
        while (info->attr_count < LIFT_MAX_ATTRS && info->attrs[info->attr_count].name)
            info->attr_count++;
    }
}

const struct lift_prim_info *lift_prim_info(enum lift_op op)
{
    LIFT_ASSERT(op < LIFT_OP_COUNT);
    return &infos[op];
}

int lift_prim_option(const struct lift_prim_info *info, const char *name)
{
    for (int i = 0; i < info->attr_count; i++)
        if (info->attrs[i].option && strcmp(info->attrs[i].name, name) == 0)
            return i;
    return -1;
}

int lift_attr_value(const struct lift_attr_info *attr, const char *word)
{
    for (int i = 0; attr->words && attr->words[i]; i++)
        if (strcmp(attr->words[i], word) == 0)
            return i;
    return -1;
}

void lift_attr_print(const struct lift_attr_info *attr, int value, struct lift_str *out)
{
    if (attr->words)
        lift_str_add(out, attr->words[value]);
    else
        lift_str_addf(out, "%d", value);
}

enum lift_op lift_prim_find(const char *name)
{
    int op = 0;

    while (op < LIFT_OP_COUNT && strcmp(infos[op].name, name) != 0)
        op++;
    return (enum lift_op)op;
}

int lift_prim_fun_arity(enum lift_op op, int slot)
{
    int at = 0;

    for (const char *p = lift_prim_info(op)->params; *p; p++) {
        if (*p == 'F' && at == slot)
            return p[1] - '0';
        at += *p == 'F' || *p == 'E';
    }
    return 0;
}

bool lift_pad_is_wide(enum lift_pad_kind kind)
{
    return kind == LIFT_PAD_CLAMP || kind == LIFT_PAD_ANY;
}

enum lift_op_class lift_op_class_of(enum lift_op op)
{
    static const enum lift_op_class classes[LIFT_OP_COUNT] = {
#define SCALAR(op, class, value) [LIFT_##op] = LIFT_CLASS_##class,
#include "ir/scalar_prims.def"
    };

    return classes[op];
}

bool lift_op_is_arithmetic(enum lift_op op)
{
    enum lift_op_class class = lift_op_class_of(op);

    return class == LIFT_CLASS_numbers || class == LIFT_CLASS_ints ||
           class == LIFT_CLASS_floats;
}

bool lift_op_is_map(enum lift_op op)
{
    switch (op) {
    case LIFT_MAP:
    case LIFT_MAP_SEQ:
    case LIFT_MAP_UNROLL:
    case LIFT_MAP_PAR:
    case LIFT_MAP_TASK:
    case LIFT_MAP_SIMD:
    case LIFT_MAP_VEC:
    case LIFT_MAP_GLB:
    case LIFT_MAP_WRG:
    case LIFT_MAP_LCL:
        return true;
    default:
        return false;
    }
}

bool lift_op_is_reduce(enum lift_op op)
{
    return op == LIFT_REDUCE || op == LIFT_REDUCE_SEQ || op == LIFT_REDUCE_UNROLL;
}
