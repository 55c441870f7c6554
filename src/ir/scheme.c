#include "ir/scheme.h"
#include "base/bug.h"
#include "base/locale.h"
#include <stdlib.h>
#include <string.h>

static struct lift_scheme schemes[LIFT_OP_COUNT];
static struct lift_scheme_type types[512];
static struct lift_scheme_size sizes[256];
static int type_count, size_count;

struct reader {
    struct lift_scheme *s;
    const char *at;
    bool failed;
};

static struct lift_scheme_type *new_type(struct lift_scheme_type type)
{
    LIFT_ASSERT(type_count < (int)(sizeof types / sizeof *types));
    types[type_count] = type;
    return &types[type_count++];
}

static struct lift_scheme_size *new_size(struct lift_scheme_size size)
{
    LIFT_ASSERT(size_count < (int)(sizeof sizes / sizeof *sizes));
    sizes[size_count] = size;
    return &sizes[size_count++];
}

static bool accept(struct reader *r, const char *text)
{
    r->at += strspn(r->at, " ");
    if (strncmp(r->at, text, strlen(text)) != 0)
        return false;
    r->at += strlen(text);
    return true;
}

static void expect(struct reader *r, const char *text)
{
    if (!accept(r, text))
        r->failed = true;
}

static int heads_of(const char *word)
{
    static const struct {
        const char *word;
        int heads;
    } kinds[] = {{"s", HEADS_NUMBER},    {"number", HEADS_NUMBER},
                 {"float", HEADS_FLOAT}, {"int", HEADS_INTEGER},
                 {"t", HEADS_LANE},      {"scalar", HEADS_SCALAR}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(word, kinds[i].word) == 0)
            return kinds[i].heads;
    return HEADS_ANY;
}

/* Reads a name and returns its index. */
static int read_name(struct reader *r)
{
    struct lift_scheme *s = r->s;
    size_t len = 0;

    r->at += strspn(r->at, " ");
    while (lift_is_alpha(r->at[len]) || lift_is_digit(r->at[len]))
        len++;
    for (int i = 0; i < s->name_count; i++)
        if (strlen(s->names[i].text) == len && !memcmp(s->names[i].text, r->at, len)) {
            r->at += len;
            return i;
        }
    if (len == 0 || len >= sizeof s->names->text || s->name_count == LIFT_SCHEME_NAMES) {
        r->failed = true;
        return 0;
    }
    memcpy(s->names[s->name_count].text, r->at, len);
    s->names[s->name_count].heads = heads_of(s->names[s->name_count].text);
    r->at += len;
    return s->name_count++;
}

/* Accepts more items after a comma or a '+': "..." repeats the last item. Its names from
 * 'first' on are new in each repetition. */
static bool accept_more(struct reader *r, int first)
{
    if (!accept(r, "..."))
        return false;
    for (int i = first; i < r->s->name_count; i++)
        r->s->names[i].each = true;
    return true;
}

static const struct lift_scheme_size *read_size(struct reader *r, bool sum);

static const struct lift_scheme_size *read_atom(struct reader *r)
{
    const struct lift_scheme_size *p;
    char *end;

    r->at += strspn(r->at, " ");
    if (lift_is_digit(*r->at)) {
        p = new_size(
            (struct lift_scheme_size){.op = '1', .value = (int)strtol(r->at, &end, 10)});
        r->at = end;
        return p;
    }
    if (accept(r, "(")) {
        p = read_size(r, true);
        expect(r, ")");
        return p;
    }
    return new_size((struct lift_scheme_size){.op = 'n', .value = read_name(r)});
}

/* Reads operands of sums, or of products, from left to right. */
static const struct lift_scheme_size *read_size(struct reader *r, bool sum)
{
    const struct lift_scheme_size *p = sum ? read_size(r, false) : read_atom(r);

    for (;;) {
        struct lift_scheme_size next = {.a = p};

        r->at += strspn(r->at, " ");
        if (!*r->at || !strchr(sum ? "+-" : "*/", *r->at))
            return p;
        next.op = *r->at++;
        if (accept_more(r, r->s->name_count)) {
            ((struct lift_scheme_size *)p)->more = true;
            return p;
        }
        next.b = sum ? read_size(r, false) : read_atom(r);
        p = new_size(next);
    }
}

static const struct lift_scheme_type *read_type(struct reader *r);

/* Reads the types of a list: "a, b)", "a, b, ...)". */
static void read_tuple(struct reader *r, struct lift_scheme_type *tuple)
{
    int first;

    do {
        first = r->s->name_count;
        tuple->parts[tuple->count++] = read_type(r);
        if (!accept(r, ","))
            break;
        tuple->more = accept_more(r, first);
    } while (!tuple->more && tuple->count < 4);
    expect(r, ")");
}

static const struct lift_scheme_type *read_word(struct reader *r)
{
    int before = r->s->name_count, name = read_name(r);
    struct lift_scheme_type t = {.kind = SCHEME_NAME, .name = name};

    for (int i = 0; i < LIFT_SCALARS && !r->failed; i++)
        if (!strcmp(r->s->names[name].text, lift_scalar_name((enum lift_scalar)i))) {
            r->s->names[name] = (struct lift_scheme_name){.text = ""};
            r->s->name_count = before;
            t = (struct lift_scheme_type){.kind = SCHEME_SCALAR, .scalar = i};
        }
    return new_type(t);
}

static const struct lift_scheme_type *read_type(struct reader *r)
{
    struct lift_scheme_type t = {.kind = SCHEME_TUPLE};

    if (accept(r, "(")) {
        read_tuple(r, &t);
        return new_type(t);
    }
    t.kind = accept(r, "[") ? SCHEME_ARRAY : SCHEME_VECTOR;
    t.elem = t.kind == SCHEME_ARRAY ? read_type(r) : read_word(r);
    if (t.kind == SCHEME_ARRAY)
        expect(r, "]");
    else if (!accept(r, "<"))
        return t.elem;
    t.len = t.kind == SCHEME_ARRAY ? read_atom(r) : read_size(r, true);
    if (t.kind == SCHEME_VECTOR)
        expect(r, ">");
    return new_type(t);
}

static void read_slot(struct reader *r, int arity)
{
    struct lift_scheme_slot *slot = &r->s->slots[r->s->slot_count++];
    bool list;

    r->at += strspn(r->at, " ");
    slot->arity = arity;
    slot->text = r->at;
    list = arity && accept(r, "(");
    for (int i = 0; i < arity; i++) {
        if (i)
            expect(r, ",");
        slot->params[i] = read_type(r);
    }
    if (list)
        expect(r, ")");
    if (arity)
        expect(r, "->");
    slot->type = read_type(r);
    slot->text_len = (int)(r->at - slot->text);
    while (slot->text_len && slot->text[slot->text_len - 1] == ' ')
        slot->text_len--;
}

static void read_params(struct reader *r, const char *letters)
{
    struct lift_scheme *s = r->s;
    int nat = 0;

    for (const char *p = letters; *p && !r->failed; p += *p == 'F' ? 2 : 1) {
        if (p != letters)
            expect(r, ",");
        if (*p == 'A') /* an attribute has no type: "clamp | mirror | wrap | any" */
            r->at += strcspn(r->at, ",)");
        else if (*p == 'N')
            s->nats[nat++] = read_name(r);
        else
            read_slot(r, *p == 'F' ? p[1] - '0' : 0);
        if (*p == '*') {
            int first = s->name_count;

            expect(r, ",");
            read_slot(r, 0);
            expect(r, ",");
            s->variadic = accept_more(r, first);
        }
    }
}

/* "as map", "(dim, ...) as map": uses the scheme of another primitive. */
static bool parse(enum lift_op op)
{
    const struct lift_prim_info *info = lift_prim_info(op);
    const char *as = strstr(info->scheme, "as ");
    struct reader r = {.s = &schemes[op], .at = info->scheme};
    enum lift_op other = as ? lift_prim_find(as + 3) : LIFT_OP_COUNT;

    if (other != LIFT_OP_COUNT) {
        schemes[op] = schemes[other];
        return true;
    }
    if (strchr(info->params, 'S') || !info->params[0])
        return false;
    if (info->params[0] == '*' || info->params[info->params[0] == 'F' ? 2 : 1]) {
        expect(&r, "(");
        read_params(&r, info->params);
        expect(&r, ")");
    } else {
        read_params(&r, info->params);
    }
    expect(&r, "->");
    r.s->result = read_type(&r);
    return !r.failed && !*r.at;
}

/* Runs before any thread starts. */
static __attribute__((constructor)) void parse_all(void)
{
    for (int op = 0; op < LIFT_OP_COUNT; op++)
        if (!parse((enum lift_op)op))
            schemes[op].result = NULL;
}

lift_nat lift_scheme_size_op(char op, lift_nat a, lift_nat b)
{
    return op == '+'   ? lift_nat_add(a, b)
           : op == '-' ? lift_nat_sub(a, b)
           : op == '*' ? lift_nat_mul(a, b)
                       : lift_nat_div(a, b);
}

const struct lift_scheme *lift_prim_scheme(enum lift_op op)
{
    return schemes[op].result ? &schemes[op] : NULL;
}
