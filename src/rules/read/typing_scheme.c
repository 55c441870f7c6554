/* The types of the primitives, read from the schemes of their table (lift/prims.def), so
 * that a new primitive needs nothing here. Letters are type variables, 's', 'float' and
 * 'number' those of scalars and vectors; a size is what stands behind a bracket. */
#include "rules/read/typing.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 12 };

struct scheme {
    struct typer *t;
    const char *at;
    bool failed;
    struct {
        char name[8];
        struct ty *type;
        const struct nat_pat *size;
    } names[MAX_NAMES];
    int name_count;
};

/* ---- reading */

static void blanks(struct scheme *x)
{
    while (*x->at == ' ')
        x->at++;
}

static bool accept(struct scheme *x, const char *text)
{
    blanks(x);
    if (strncmp(x->at, text, strlen(text)) != 0)
        return false;
    x->at += strlen(text);
    return true;
}

static void expect(struct scheme *x, const char *text)
{
    if (!accept(x, text))
        x->failed = true;
}

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* The number of the name that comes next, -1 after an error. */
static int read_word(struct scheme *x)
{
    size_t len = 0;

    blanks(x);
    while (letter(x->at[len]))
        len++;
    for (int i = 0; i < x->name_count; i++)
        if (strlen(x->names[i].name) == len &&
            memcmp(x->names[i].name, x->at, len) == 0) {
            x->at += len;
            return i;
        }
    if (len == 0 || len >= sizeof x->names->name || x->name_count == MAX_NAMES) {
        x->failed = true;
        return -1;
    }
    memcpy(x->names[x->name_count].name, x->at, len);
    x->at += len;
    return x->name_count++;
}

static const struct nat_pat *read_level(struct scheme *x, bool sum);

static const struct nat_pat *read_atom(struct scheme *x)
{
    const struct nat_pat *p;
    int name;

    blanks(x);
    if (*x->at >= '0' && *x->at <= '9')
        return size_const(&x->t->sizes, strtol(x->at, (char **)&x->at, 10));
    if (accept(x, "(")) {
        p = read_level(x, true);
        expect(x, ")");
        return p;
    }
    name = read_word(x);
    if (name < 0)
        return size_const(&x->t->sizes, 1);
    if (!x->names[name].size)
        x->names[name].size = size_unknown(&x->t->sizes);
    return x->names[name].size;
}

/* Operands of sums, or of products, from left to right. */
static const struct nat_pat *read_level(struct scheme *x, bool sum)
{
    const struct nat_pat *p = sum ? read_level(x, false) : read_atom(x);

    for (;;) {
        bool first = accept(x, sum ? "+" : "*");

        if (!first && !accept(x, sum ? "-" : "/"))
            return p;
        p = size_make(&x->t->sizes,
                      sum     ? first ? NAT_ADD : NAT_SUB
                      : first ? NAT_MUL
                              : NAT_DIV,
                      p, sum ? read_level(x, false) : read_atom(x));
    }
}

static struct ty *type_of_word(struct scheme *x, const char *word)
{
    static const struct {
        const char *word;
        int heads;
    } kinds[] = {{"s", HEADS_NUMBER}, {"number", HEADS_NUMBER}, {"float", HEADS_FLOAT}};

    for (int i = 0; i < LIFT_SCALARS; i++)
        if (strcmp(word, lift_scalar_name((enum lift_scalar)i)) == 0)
            return ty_scalar(x->t, (enum lift_scalar)i);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(word, kinds[i].word) == 0)
            return ty_var(x->t, kinds[i].heads);
    return ty_var(x->t, HEADS_ANY);
}

static struct ty *read_type(struct scheme *x);

/* "(a, b)", after the bracket. */
static struct ty *read_tuple(struct scheme *x)
{
    struct ty *parts[LIFT_MAX_ARGS];
    int count = 0;

    do
        parts[count++] = read_type(x);
    while (count < LIFT_MAX_ARGS && accept(x, ","));
    expect(x, ")");
    return ty_tuple(x->t, parts, count, false);
}

static struct ty *read_type(struct scheme *x)
{
    struct ty *type, *elem;
    int name;

    if (accept(x, "("))
        return read_tuple(x);
    if (accept(x, "[")) {
        elem = read_type(x);
        expect(x, "]");
        return ty_array(x->t, elem, read_atom(x));
    }
    name = read_word(x);
    if (name < 0)
        return ty_var(x->t, HEADS_ANY);
    if (!x->names[name].type)
        x->names[name].type = type_of_word(x, x->names[name].name);
    type = x->names[name].type;
    if (!accept(x, "<"))
        return type;
    type = ty_vector(x->t, type, read_level(x, true));
    expect(x, ">");
    return type;
}

/* "(a, b) -> c", "a -> b" */
static void read_fun(struct scheme *x, int slot, int arity, struct signature *out)
{
    bool list = accept(x, "(");

    out->fun_arity[slot] = arity;
    for (int i = 0; i < arity && i < 2; i++) {
        out->params[slot][i] = read_type(x);
        if (i + 1 < arity)
            expect(x, ",");
    }
    if (list)
        expect(x, ")");
    expect(x, "->");
    out->fun_results[slot] = read_type(x);
}

/* ---- arguments */

/* Attributes have no type: "clamp | mirror | wrap | any". */
static void skip_attribute(struct scheme *x)
{
    x->at += strcspn(x->at, ",)");
}

static void name_size(struct scheme *x, const struct nat_pat *size)
{
    int name = read_word(x);

    if (name < 0)
        return;
    if (x->names[name].size) /* it stood in the type of a function before */
        size_bind(&x->t->sizes, x->names[name].size, size);
    x->names[name].size = size;
}

static void read_data(struct scheme *x, int slot, const char *letters,
                      struct signature *out)
{
    blanks(x);
    out->texts[slot] = x->at;
    if (*letters == 'F')
        read_fun(x, slot, letters[1] - '0', out);
    else
        out->args[slot] = read_type(x);
    out->text_lens[slot] = (int)(x->at - out->texts[slot]);
    while (out->text_lens[slot] && out->texts[slot][out->text_lens[slot] - 1] == ' ')
        out->text_lens[slot]--;
}

static void read_params(struct scheme *x, const char *letters, bool attributes,
                        const struct nat_pat *const *nats, struct signature *out)
{
    int nat = 0, slot = 0;
    bool first = true;

    for (; *letters && !x->failed; letters += *letters == 'F' ? 2 : 1) {
        if (*letters == 'A' && !attributes)
            continue;
        if (!first)
            expect(x, ",");
        first = false;
        if (*letters == 'A')
            skip_attribute(x);
        else if (*letters == 'N')
            name_size(x, nats[nat++]);
        else
            read_data(x, slot++, letters, out);
    }
}

/* "as map", "(dim, ...) as map": the scheme of another, in which attributes do not occur.
 */
static const char *scheme_text(enum lift_op op, bool *attributes)
{
    const char *text = lift_prim_info(op)->scheme, *as = strstr(text, "as ");

    *attributes = !as;
    if (!as)
        return text;
    op = lift_prim_find(as + 3);
    return op == LIFT_OP_COUNT ? "" : lift_prim_info(op)->scheme;
}

/* 's<w>' is a vector of scalars. */
static void narrow_lanes(struct scheme *x, const char *text)
{
    for (int i = 0; i < x->name_count; i++)
        if (strcmp(x->names[i].name, "s") == 0 && x->names[i].type && strstr(text, "s<"))
            x->names[i].type->heads = HEADS_SCALAR;
}

bool scheme_signature(struct typer *t, enum lift_op op, const struct nat_pat *const *nats,
                      struct signature *out)
{
    const char *letters = lift_prim_info(op)->params;
    struct scheme x = {.t = t};
    bool attributes, list;
    const char *text = scheme_text(op, &attributes);

    *out = (struct signature){.result = NULL};
    if (strchr(letters, '*') || strchr(letters, 'S'))
        return false;
    x.at = text;
    list = letters[letters[0] == 'F' ? 2 : 1] && accept(&x, "(");
    read_params(&x, letters, attributes, nats, out);
    if (list)
        expect(&x, ")");
    expect(&x, "->");
    out->result = read_type(&x);
    blanks(&x);
    narrow_lanes(&x, text);
    return !x.failed && !*x.at;
}
