/* Reads rule files. Lines that begin with 'rule', 'macro' or another keyword split a file
 * into pieces. The reader reads each piece separately, so that an error in one piece does
 * not hide errors in other pieces. A piece is read once for each instance of its
 * parameters, each direction and each of several options. */
#include "rules/read/read_file.h"
#include "base/memory.h"
#include <string.h>

/* ---- pieces */

static const struct {
    const char *word;
    void (*read)(struct piece *x);
    bool is_rule; /* the piece adds a rule to the set */
} pieces[] = {{"rule", read_rule, true},
              {"macro", read_macro, true},
              {"decision", read_decision, false},
              {"option", read_option, false},
              {"family", read_family, false}};

enum { PIECES = sizeof pieces / sizeof *pieces };

static const char a_piece[] = "'rule', 'macro', 'decision', 'option' or 'family'";

void read_add_rule(struct file_reader *f, const struct lift_rule *rule)
{
    LIFT_ARENA_ROOM(f->arena, f->items, f->count, f->cap);
    f->items[f->count++] = rule;
}

/* Accepts the keyword of a piece and returns its index in 'pieces'; PIECES if there is no
 * keyword. */
static int accept_piece(struct syntax_parser *p)
{
    int i = 0;

    while (i < PIECES && !syntax_accept_word(p, pieces[i].word))
        i++;
    return i;
}

static bool read_whole(struct piece *x, bool *is_rule)
{
    jmp_buf failed;
    int i;

    if (setjmp(failed))
        return false;
    syntax_fail_to(x->p, &failed);
    i = accept_piece(x->p);
    if (i == PIECES)
        syntax_expected(x->p, a_piece);
    *is_rule = pieces[i].is_rule;
    pieces[i].read(x);
    if (!x->r.failed)
        syntax_expect(x->p, TOKEN_END, "the end of the rule");
    return !x->r.failed;
}

/* Keeps the source text of a declaration. Parameters keep their names. */
static void keep_text(const struct piece *x, struct rule_declared *out)
{
    const struct syntax_parser *p = x->of->p;
    LIFT_SCOPED(lift_str) text = {0};

    syntax_copy(p, 0, x->clauses, &text);
    lift_str_addc(&text, '\n');
    out->head = lift_arena_strdup(x->file->arena, lift_str_get(&text));
    lift_str_clear(&text);
    for (int i = 0; i < x->def->tunable_count; i++) {
        if (!x->tunables[i][1]) /* an earlier tunable has the text of this clause */
            continue;
        lift_str_add(&text, "  ");
        syntax_copy(p, x->tunables[i][0], x->tunables[i][1], &text);
        lift_str_addc(&text, '\n');
    }
    if (x->body < syntax_at(x->p)) {
        lift_str_add(&text, "  ");
        syntax_copy(p, x->body, syntax_at(x->p), &text);
        lift_str_addc(&text, '\n');
    }
    out->body = lift_arena_strdup(x->file->arena, lift_str_get(&text));
}

/* Reads one item of the declaration 'of': the item number 'which', from 0. Sets '*count'
 * to the number of items: two for a rule in both directions, or the number of options. */
static bool read_one(struct file_reader *f, const struct lift_source *source,
                     struct syntax_parser *p, struct declaration *of, int which,
                     int *count)
{
    struct piece x = {.file = f, .p = p, .of = of, .back = which == 1, .which = which};
    bool is_rule = false, good;

    x.rule = LIFT_NEW(f->arena, struct lift_rule);
    x.def = LIFT_NEW(f->arena, struct rule_def);
    x.def->numbers = (struct rule_numbers){.first = 1, .dims = 1};
    *x.rule = (struct lift_rule){
        .group = f->group, .doc = "", .source = "", .type = "", .def = x.def};
    x.r = (struct rule_reader){.arena = f->arena,
                               .p = p,
                               .source = source,
                               .errors = f->errors,
                               .def = x.def,
                               .nats = f->rules->nats,
                               .ir = f->ir,
                               .dim = -1};
    good = read_whole(&x, &is_rule);
    if (!good) {
        f->failed = true;
        return false;
    }
    if (is_rule) {
        x.def->declared = of->declared;
        x.rule->instance = of->made++;
        if (x.rule->instance == 0)
            keep_text(&x, of->declared);
        read_add_rule(f, x.rule);
    }
    *count = x.two ? 2 : x.several;
    return true;
}

static bool read_ways(struct file_reader *f, const struct lift_source *source,
                      struct syntax_parser *p, struct declaration *of)
{
    int count = 1;
    bool good = true;

    for (int i = 0; good && (i == 0 || i < count); i++)
        good = read_one(f, source, syntax_with(p, NULL, 0), of, i, &count);
    return good;
}

static bool read_instance(void *user, const struct syntax_value *values, int count)
{
    struct declaration *d = user;
    size_t before = lift_error_count(d->file->errors);

    if (read_ways(d->file, d->source, syntax_with(d->p, values, count), d))
        return true;
    read_say_values(d->file->errors, before, values, count);
    return false;
}

/* True for declarations that may have parameters. */
static bool at_rule(const struct syntax_parser *p)
{
    for (int i = 0; i < PIECES; i++)
        if (pieces[i].is_rule && syntax_at_word(p, pieces[i].word))
            return true;
    return false;
}

static void read_piece(struct file_reader *f, const struct lift_source *source,
                       size_t begin)
{
    struct declaration d = {.file = f, .source = source};
    jmp_buf failed;

    if (setjmp(failed)) {
        f->failed = true;
        return;
    }
    d.p = syntax_open_at(f->arena, source, begin, f->errors, &failed);
    if (at_rule(d.p))
        read_params(d.p, &d.params);
    d.declared = LIFT_NEW(f->arena, struct rule_declared);
    if (d.params.count == 0)
        read_ways(f, source, d.p, &d);
    else
        f->failed |= !read_instances(d.p, &d.params, read_instance, &d);
}

static bool begins_piece(const char *line)
{
    for (int i = 0; i < PIECES; i++) {
        size_t len = strlen(pieces[i].word);

        if (strncmp(line, pieces[i].word, len) == 0 && line[len] == ' ')
            return true;
    }
    return false;
}

/* Returns the offset of the next line at or after 'at' that begins a piece, or the end.
 */
static size_t next_piece(const struct lift_source *source, size_t at)
{
    while (at < source->len && !begins_piece(source->text + at)) {
        const char *end = memchr(source->text + at, '\n', source->len - at);

        at = end ? (size_t)(end - source->text) + 1 : source->len;
    }
    return at;
}

static size_t next_line(const struct lift_source *source, size_t at)
{
    at += strcspn(source->text + at, "\n");
    return at < source->len ? at + 1 : at;
}

/* Returns the source up to 'end', without trailing spaces. Offsets and lines are
 * unchanged. */
static const struct lift_source *until(struct lift_arena *arena,
                                       const struct lift_source *source, size_t end)
{
    struct lift_source *part = LIFT_NEW(arena, struct lift_source);

    while (end > 0 && strchr(" \n", source->text[end - 1]))
        end--;
    *part = (struct lift_source){source->name, source->text, end};
    return part;
}

/* True if only comments precede the first piece. */
static bool check_head(struct file_reader *f, const struct lift_source *head)
{
    struct syntax_parser *p;
    jmp_buf failed;

    if (setjmp(failed))
        return false;
    p = syntax_open(f->arena, head, f->errors, &failed);
    if (syntax_peek(p)->kind != TOKEN_END)
        syntax_expected(p, a_piece);
    return true;
}

static void read_file(struct file_reader *f, const struct lift_source *source)
{
    size_t at = next_piece(source, 0);

    f->failed = !check_head(f, until(f->arena, source, at));
    while (at < source->len) {
        size_t end = next_piece(source, next_line(source, at));

        read_piece(f, until(f->arena, source, end), at);
        at = end;
    }
}

/* Converts "a/b/tiling.rules" to "tiling". */
static const char *group_of(struct lift_arena *arena, const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    const char *dot = strrchr(base, '.');

    return lift_arena_strndup(arena, base, dot ? (size_t)(dot - base) : strlen(base));
}

bool lift_rules_load(struct lift_rules *rules, const char *name, const char *text,
                     struct lift_error *errors)
{
    struct file_reader f = {.rules = rules, .arena = rules->arena, .errors = errors};
    struct lift_source source = {lift_arena_strdup(rules->arena, name),
                                 lift_arena_strdup(rules->arena, text), strlen(text)};

    f.group = group_of(rules->arena, name);
    f.ir = lift_ir_create_on(rules->nats);
    read_file(&f, &source);
    lift_ir_destroy(f.ir);
    for (int i = 0; i < f.count && !f.failed; i++) {
        LIFT_ROOM(rules->items, rules->count, rules->cap);
        ((struct lift_rule *)f.items[i])->index = rules->count;
        rules->items[rules->count++] = f.items[i];
    }
    if (!f.failed)
        read_commit(&f);
    return !f.failed;
}
