/* Files of rules. A file is cut at the lines that begin with 'rule' or 'macro', and each
 * piece is read by itself, so that a mistake in one does not hide those in the others. */
#include "read.h"
#include "lift/bug.h"
#include "native.h"
#include "read_file.h"
#include "strategy.h"
#include "typing.h"
#include <stdlib.h>
#include <string.h>

static const struct lift_rule *find_rule(const struct file_reader *f, const char *name)
{
    for (int i = 0; i < f->count; i++)
        if (strcmp(f->items[i]->name, name) == 0)
            return f->items[i];
    return lift_rules_find(f->rules, name);
}

/* ---- clauses */

static bool read_small(struct piece *x, int *out)
{
    const struct syntax_token *token = syntax_peek(x->p);

    if (token->kind == TOKEN_INT && token->integer <= 100000) {
        *out = (int)token->integer;
        syntax_next(x->p);
        return true;
    }
    syntax_expected(x->p, "a small number");
    return false;
}

bool read_class(struct piece *x)
{
    struct syntax_parser *p = x->p;

    if (syntax_accept_word(p, "exact")) {
        x->rule->soundness = LIFT_RULE_EXACT;
        return true;
    }
    if (syntax_accept_word(p, "reassociates")) {
        x->rule->soundness = LIFT_RULE_REASSOCIATES;
        return true;
    }
    if (!syntax_accept_word(p, "interior")) {
        syntax_expected(p, "'exact', 'reassociates' or 'interior(margin)'");
        return false;
    }
    x->rule->soundness = LIFT_RULE_INTERIOR;
    if (!syntax_expect(p, TOKEN_LPAREN, "'('"))
        return false;
    return read_small(x, &x->rule->margin) && syntax_expect(p, TOKEN_RPAREN, "')'");
}

bool read_string(struct piece *x, const char **out)
{
    const char *text = syntax_peek(x->p)->text;

    if (!syntax_expect(x->p, TOKEN_STRING, "a text in quotes"))
        return false;
    *out = text;
    return true;
}

/* Files that were written when rules were explored by themselves are told what to write
 * instead. */
static void refuse_explore(struct piece *x)
{
    syntax_error(
        x->p, syntax_peek(x->p)->span,
        "explorations take rules as options of decisions: write 'option NAME of "
        "DECISION exact like RULE = STRATEGY'; 'decision NAME default not' makes "
        "a decision of its own");
}

static bool read_tunable(struct piece *x, const struct syntax_node *bounds[2])
{
    struct rule_def *def = x->def;
    struct lift_span span;
    const char *name = syntax_expect_name(x->p, "the name of a tunable", &span);
    int nat = name ? read_nat_meta(&x->r, name, span) : -1;

    if (nat < 0)
        return false;
    if (def->tunable_count == RULE_MAX_TUNABLES || x->r.nat_tunable[nat]) {
        read_error(&x->r, span, "one tunable too many: '%s'", name);
        return false;
    }
    x->r.nat_bound[nat] = x->r.nat_tunable[nat] = true;
    def->tunables[def->tunable_count].nat = nat;
    if (!syntax_expect(x->p, TOKEN_IN, "'in'"))
        return false;
    bounds[0] = syntax_expr(x->p);
    if (!bounds[0] || !syntax_expect(x->p, TOKEN_DOTDOT, "'..'"))
        return false;
    bounds[1] = syntax_expr(x->p);
    def->tunable_count++;
    return bounds[1] != NULL;
}

/* doc, source, tunable: in any order. */
static bool read_clauses(struct piece *x, const struct syntax_node *bounds[][2])
{
    for (;;) {
        if (syntax_accept_word(x->p, "doc")) {
            if (!read_string(x, &x->rule->doc))
                return false;
        } else if (syntax_accept_word(x->p, "source")) {
            if (!read_string(x, &x->rule->source))
                return false;
        } else if (syntax_at_word(x->p, "explore")) {
            refuse_explore(x);
            return false;
        } else if (bounds && syntax_accept_word(x->p, "tunable")) {
            if (!read_tunable(x, bounds[x->def->tunable_count]))
                return false;
        } else {
            return true;
        }
    }
}

/* ---- equations */

static bool all_nats_bound(struct rule_reader *r)
{
    for (int i = 0; i < r->def->names.nat_count; i++)
        if (!r->nat_bound[i])
            read_error(
                r, r->nat_span[i],
                "'%s' never stands alone on the left-hand side, so it has no value",
                r->def->names.nats[i]);
    return !r->failed;
}

/* From here on, names that are new are mistakes. */
static bool read_left(struct piece *x, const struct syntax_node *lhs)
{
    struct pat_scope scope = {0};

    x->def->lhs = read_pattern(&x->r, lhs, &scope);
    if (!x->def->lhs || !all_nats_bound(&x->r))
        return false;
    if (x->def->lhs->kind != PAT_PRIM && x->def->lhs->kind != PAT_META) {
        read_error(&x->r, lhs->span, "expected a primitive on the left-hand side");
        return false;
    }
    x->def->root = x->def->lhs->kind == PAT_PRIM ? x->def->lhs->op : LIFT_OP_COUNT;
    x->r.rhs = true;
    return true;
}

static bool read_bounds(struct piece *x, const struct syntax_node *bounds[][2])
{
    bool ok = true;

    for (int i = 0; i < x->def->tunable_count; i++) {
        struct rule_tunable *t = &x->def->tunables[i];

        t->lo = read_nat(&x->r, bounds[i][0], false);
        t->hi = read_nat(&x->r, bounds[i][1], false);
        ok = t->lo && t->hi && ok;
    }
    return ok;
}

static bool nat_uses(const struct nat_pat *p, int nat)
{
    return (p->kind == NAT_META && p->index == nat) || (p->a && nat_uses(p->a, nat)) ||
           (p->b && nat_uses(p->b, nat));
}

static bool uses_nat(const struct pat *p, int nat)
{
    int args = p->kind == PAT_LAMBDA ? 1 : p->count;

    for (int i = 0; i < LIFT_MAX_NATS; i++)
        if (p->nats[i] && nat_uses(p->nats[i], nat))
            return true;
    for (int i = 0; i < args; i++)
        if (uses_nat(p->args[i], nat))
            return true;
    return false;
}

/* A tunable without effect would only make the tuning space larger. */
static bool all_tunables_used(struct piece *x)
{
    for (int i = 0; i < x->def->tunable_count; i++) {
        int nat = x->def->tunables[i].nat;

        if (!uses_nat(x->def->rhs, nat))
            read_error(&x->r, x->r.nat_span[nat],
                       "the tunable '%s' does not occur on the right-hand side",
                       x->def->names.nats[nat]);
    }
    return !x->r.failed;
}

static bool read_conditions(struct piece *x)
{
    bool ok = true;

    if (!syntax_accept_word(x->p, "where"))
        return true;
    do {
        const struct syntax_node *node = syntax_expr(x->p);

        ok = node && read_condition(&x->r, node) && ok;
    } while (syntax_accept(x->p, TOKEN_COMMA));
    return ok;
}

/* A rule that is kept for the check has its first mistake written on it. */
static void type_equation(struct piece *x)
{
    size_t before = x->file->diags->count;

    x->rule->type = type_rule(&x->r);
    if (x->r.failed && x->file->rules->keep_mistyped) {
        x->rule->mistyped =
            lift_arena_strdup(x->file->arena, x->file->diags->items[before].message);
        x->r.failed = false;
    }
}

static bool read_equation(struct piece *x, const struct syntax_node *bounds[][2])
{
    const struct syntax_node *lhs = syntax_expr(x->p), *rhs;
    struct pat_scope scope = {0};
    bool ok;

    if (!lhs || !syntax_expect(x->p, TOKEN_REWRITE, "'~>'"))
        return false;
    rhs = syntax_expr(x->p);
    x->rule->form = LIFT_RULE_EQUATION;
    if (!rhs || !read_left(x, lhs))
        return false;
    x->def->rhs = read_pattern(&x->r, rhs, &scope);
    ok = read_bounds(x, bounds);
    ok = read_conditions(x) && ok;
    if (!x->def->rhs || !ok || !all_tunables_used(x))
        return false;
    type_equation(x);
    return true;
}

/* A number of dimensions, and perhaps a second digit that chooses among them. */
static bool is_variant(int variant)
{
    int dims = variant < 10 ? variant : variant / 10;

    return dims >= 1 && dims < LIFT_MAX_DIMS &&
           (variant < 10 || variant % 10 < LIFT_MAX_DIMS);
}

/* native name(variant) */
static bool read_native(struct piece *x)
{
    struct lift_span span;
    const char *name = syntax_expect_name(x->p, "the name of a native rule", &span);

    if (!name)
        return false;
    x->rule->form = LIFT_RULE_NATIVE;
    x->def->native = rule_native_find(name);
    if (!x->def->native) {
        read_error(&x->r, span, "there is no native rule '%s'", name);
        return false;
    }
    x->def->root = x->def->native->flat;
    x->def->variant = 1;
    if (!syntax_accept(x->p, TOKEN_LPAREN))
        return true;
    if (!read_small(x, &x->def->variant))
        return false;
    if (x->def->variant % 10 != 1)
        x->def->root = x->def->native->root;
    if (!is_variant(x->def->variant))
        read_error(&x->r, span, "'%s' knows 1 to %d dimensions", name, LIFT_MAX_DIMS - 1);
    return syntax_expect(x->p, TOKEN_RPAREN, "')'");
}

/* ---- macros */

static const struct lift_rule *find_for_strategy(void *user, const char *name)
{
    return find_rule(user, name);
}

static void guess_for_strategy(void *user, struct lift_guess *guess)
{
    const struct file_reader *f = user;

    for (int i = 0; i < f->count; i++)
        lift_guess_add(guess, f->items[i]->name);
    lift_rules_guess(f->rules, guess);
}

/* The class of a macro covers those of its rules. */
static bool check_class(struct piece *x, struct lift_span name)
{
    const struct lift_rule *rule = strategy_unsound(x->def->strategy, x->rule->soundness);

    if (rule)
        read_error(&x->r, name, "a macro that is '%s' cannot use '%s', which is '%s'",
                   lift_rule_class_name(x->rule->soundness), rule->name,
                   lift_rule_class_name(rule->soundness));
    return !rule;
}

/* The random redexes of 'like' must be some that the strategy can begin with. */
static bool check_like(struct piece *x, struct lift_span span)
{
    enum lift_op drawn = x->def->like->def->root, root = x->def->root;

    if (drawn == root || drawn == LIFT_OP_COUNT || root == LIFT_OP_COUNT)
        return true;
    read_error(&x->r, span, "'%s' is for '%s', but the strategy begins with '%s'",
               x->def->like->name, lift_prim_info(drawn)->name,
               lift_prim_info(root)->name);
    return false;
}

static struct strategy_reader reader_of(struct piece *x)
{
    return (struct strategy_reader){.arena = x->file->arena,
                                    .p = x->p,
                                    .r = &x->r,
                                    .find = find_for_strategy,
                                    .guess = guess_for_strategy,
                                    .user = x->file,
                                    .self = x->rule->name};
}

bool read_like(struct piece *x)
{
    struct strategy_reader reader = reader_of(x);

    x->rule->form = LIFT_RULE_MACRO;
    if (!syntax_accept_word(x->p, "like")) {
        syntax_expected(x->p, "'like' and a rule with the same redexes");
        return false;
    }
    x->like = syntax_peek(x->p)->span;
    x->def->like = strategy_read_rule(&reader);
    return x->def->like != NULL;
}

bool read_strategy(struct piece *x)
{
    struct strategy_reader reader = reader_of(x);
    struct lift_span span;

    if (!syntax_expect(x->p, TOKEN_ASSIGN, "'='"))
        return false;
    span = syntax_peek(x->p)->span;
    x->def->strategy = strategy_read(&reader);
    if (!x->def->strategy)
        return false;
    x->def->root = strategy_root(x->def->strategy);
    return check_class(x, span) && check_like(x, x->like);
}

/* macro NAME class like RULE clauses = strategy */
static bool read_macro_body(struct piece *x)
{
    return read_like(x) && read_clauses(x, NULL) && read_strategy(x);
}

static bool read_rule_body(struct piece *x)
{
    const struct syntax_node *bounds[RULE_MAX_TUNABLES + 1][2];

    if (!read_clauses(x, bounds))
        return false;
    return syntax_accept_word(x->p, "native") ? read_native(x) : read_equation(x, bounds);
}

/* ---- pieces */

static bool read_rule_head(struct piece *x)
{
    struct lift_span span;

    x->rule->name = syntax_expect_name(x->p, "the name of the rule", &span);
    if (!x->rule->name)
        return false;
    if (find_rule(x->file, x->rule->name)) {
        read_error(&x->r, span, "the rule '%s' exists already", x->rule->name);
        return false;
    }
    return read_class(x);
}

static bool read_rule(struct piece *x)
{
    return read_rule_head(x) && read_rule_body(x);
}

static bool read_macro(struct piece *x)
{
    return read_rule_head(x) && read_macro_body(x);
}

static const struct {
    const char *word;
    bool (*read)(struct piece *x);
    bool is_rule; /* one is added to the set */
} pieces[] = {{"rule", read_rule, true},
              {"macro", read_macro, true},
              {"decision", read_decision, false},
              {"option", read_option, false},
              {"family", read_family, false}};

enum { PIECES = sizeof pieces / sizeof *pieces };

static const char a_piece[] = "'rule', 'macro', 'decision', 'option' or 'family'";

void read_add_rule(struct file_reader *f, const struct lift_rule *rule)
{
    if (f->count == f->cap) {
        const struct lift_rule **items;

        f->cap = f->cap ? 2 * f->cap : 64;
        items = LIFT_NEW_ARRAY(f->arena, const struct lift_rule *, f->cap);
        if (f->count)
            memcpy(items, f->items, (size_t)f->count * sizeof *items);
        f->items = items;
    }
    f->items[f->count++] = rule;
}

static bool read_any(struct piece *x, bool *is_rule)
{
    for (int i = 0; i < PIECES; i++)
        if (syntax_accept_word(x->p, pieces[i].word)) {
            *is_rule = pieces[i].is_rule;
            return pieces[i].read(x);
        }
    syntax_expected(x->p, a_piece);
    return false;
}

static void read_piece(struct file_reader *f, const struct lift_source *source)
{
    struct piece x = {.file = f};
    bool is_rule = false, ok;

    x.rule = LIFT_NEW(f->arena, struct lift_rule);
    x.def = LIFT_NEW(f->arena, struct rule_def);
    *x.rule = (struct lift_rule){
        .group = f->group, .doc = "", .source = "", .type = "", .def = x.def};
    x.p = syntax_open(f->arena, source, f->diags);
    x.r = (struct rule_reader){
        .arena = f->arena, .source = source, .diags = f->diags, .def = x.def};
    ok = read_any(&x, &is_rule) && syntax_expect(x.p, TOKEN_END, "the end of the rule");
    if (!ok || x.r.failed || syntax_failed(x.p))
        f->failed = true;
    else if (is_rule)
        read_add_rule(f, x.rule);
}

static bool begins_piece(const char *line)
{
    size_t len = strcspn(line, " \n");

    for (int i = 0; i < PIECES; i++)
        if (line[len] == ' ' && strlen(pieces[i].word) == len &&
            strncmp(line, pieces[i].word, len) == 0)
            return true;
    return false;
}

/* The offset of the next line at or after 'at' that begins a piece, or the end. */
static size_t next_piece(const struct lift_source *source, size_t at)
{
    while (at < source->len && !begins_piece(source->text + at)) {
        const char *end = memchr(source->text + at, '\n', source->len - at);

        at = end ? (size_t)(end - source->text) + 1 : source->len;
    }
    return at;
}

/* The source with all but begin..end blanked: offsets and lines stay what they are. */
static const struct lift_source *
only(struct lift_arena *arena, const struct lift_source *source, size_t begin, size_t end)
{
    struct lift_source *part = LIFT_NEW(arena, struct lift_source);
    char *text = lift_arena_strndup(arena, source->text, source->len);

    for (size_t i = 0; i < source->len; i++)
        if ((i < begin || i >= end) && text[i] != '\n')
            text[i] = ' ';
    *part = (struct lift_source){source->name, text, source->len};
    return part;
}

static void read_file(struct file_reader *f, const struct lift_source *source)
{
    size_t at = next_piece(source, 0);
    struct syntax_parser *head =
        syntax_open(f->arena, only(f->arena, source, 0, at), f->diags);

    if (!syntax_failed(head) && syntax_peek(head)->kind != TOKEN_END)
        syntax_expected(head, "'rule' or 'macro' at the beginning of a line");
    f->failed = syntax_failed(head);
    while (at < source->len) {
        size_t line = at + strcspn(source->text + at, "\n");
        size_t end = next_piece(source, line < source->len ? line + 1 : line);

        read_piece(f, only(f->arena, source, at, end));
        at = end;
    }
}

/* "a/b/tiling.rules" gives "tiling". */
static const char *group_of(struct lift_arena *arena, const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    const char *dot = strrchr(base, '.');

    return lift_arena_strndup(arena, base, dot ? (size_t)(dot - base) : strlen(base));
}

static void add_rule(struct lift_rules *rules, const struct lift_rule *rule)
{
    if (rules->count == rules->cap) {
        rules->cap = rules->cap ? 2 * rules->cap : 64;
        rules->items =
            realloc((void *)rules->items, (size_t)rules->cap * sizeof *rules->items);
        LIFT_ASSERT(rules->items);
    }
    ((struct lift_rule *)rule)->index = rules->count;
    rules->items[rules->count++] = rule;
}

bool lift_rules_load(struct lift_rules *rules, const char *name, const char *text,
                     struct lift_diags *diags)
{
    struct file_reader f = {.rules = rules, .arena = rules->arena, .diags = diags};
    struct lift_source source = {lift_arena_strdup(rules->arena, name), text,
                                 strlen(text)};

    f.group = group_of(rules->arena, name);
    read_file(&f, &source);
    for (int i = 0; i < f.count && !f.failed; i++)
        add_rule(rules, f.items[i]);
    if (!f.failed)
        read_commit(&f);
    return !f.failed;
}
