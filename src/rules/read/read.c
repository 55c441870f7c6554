/* Reads rules and macros from text. */
#include "rules/read/read.h"
#include "rules/native/native.h"
#include "rules/read/read_file.h"
#include "rules/read/typing.h"
#include "rules/strategy/strategy.h"
#include <string.h>

/* ---- clauses */

void read_class(struct piece *x)
{
    struct syntax_parser *p = x->p;

    if (syntax_accept_word(p, "exact")) {
        x->rule->soundness = LIFT_RULE_EXACT;
    } else if (syntax_accept_word(p, "reassociates")) {
        x->rule->soundness = LIFT_RULE_REASSOCIATES;
    } else if (syntax_accept_word(p, "interior")) {
        x->rule->soundness = LIFT_RULE_INTERIOR;
        syntax_expect(p, TOKEN_LPAREN, "'('");
        x->rule->margin = read_count(p, "a small number", 0, 100000);
        syntax_expect(p, TOKEN_RPAREN, "')'");
    } else {
        syntax_expected(p, "'exact', 'reassociates' or 'interior(margin)'");
    }
}

const char *read_string(struct piece *x)
{
    const char *text = syntax_peek(x->p)->text;

    syntax_expect(x->p, TOKEN_STRING, "a text in quotes");
    return text;
}

/* Rejects the former syntax in which explorations used rules directly. The message shows
 * the new syntax. */
__attribute__((noreturn)) static void refuse_explore(struct piece *x)
{
    syntax_error(
        x->p, syntax_peek(x->p)->span,
        "explorations take rules as options of decisions: write 'option NAME of "
        "DECISION exact like RULE = STRATEGY'; 'decision NAME default not' makes "
        "a separate decision");
}

/* Adds the tunable 'base', or 'base[dim]'. */
static void add_tunable(struct piece *x, const char *base, int dim, struct lift_span span)
{
    struct rule_def *def = x->def;
    const char *name =
        dim < 0 ? base : lift_arena_printf(x->file->arena, "%s[%d]", base, dim);
    int nat = read_nat_meta(&x->r, name, span);

    if (def->tunable_count == RULE_MAX_TUNABLES || x->r.nat_tunable[nat])
        syntax_error(x->p, span, "one tunable too many: '%s'", name);
    x->r.nat_bound[nat] = x->r.nat_tunable[nat] = true;
    def->tunables[def->tunable_count++] =
        (struct rule_tunable){.nat = nat, .word = base, .dim = dim};
}

/* Reads 'k as WORD in LO .. HI', or 'k[2] as WORD in LO .. HI' for a tunable in each of
 * two dimensions. Records the tokens of the clause. */
static void read_tunable(struct piece *x, const struct syntax_node *bounds[][2])
{
    int first = x->def->tunable_count, count = 0, begin = syntax_at(x->p) - 1;
    struct lift_span span;
    const char *name = syntax_expect_name(x->p, "the name of a tunable", &span);
    const char *word = name;
    bool alike;

    if (syntax_accept(x->p, TOKEN_LBRACKET)) {
        count = read_count(x->p, "a number of dimensions", 1, LIFT_MAX_DIMS);
        syntax_expect(x->p, TOKEN_RBRACKET, "']'");
    }
    for (int i = count ? 0 : -1; i < count; i++)
        add_tunable(x, name, i, span);
    if (syntax_accept_word(x->p, "as"))
        word = syntax_expect_name(x->p, "what the tunable sizes", &span);
    alike = syntax_accept_word(x->p, "alike");
    syntax_expect(x->p, TOKEN_IN, "'in'");
    bounds[first][0] = syntax_expr(x->p);
    syntax_expect(x->p, TOKEN_DOTDOT, "'..'");
    bounds[first][1] = syntax_expr(x->p);
    for (int i = first; i < x->def->tunable_count; i++) {
        x->def->tunables[i].alike = alike;
        x->def->tunables[i].word = word;
        bounds[i][0] = bounds[first][0];
        bounds[i][1] = bounds[first][1];
    }
    x->tunables[first][0] = begin;
    x->tunables[first][1] = syntax_at(x->p);
}

/* Reads doc, source and tunable clauses in any order. */
static void read_clauses(struct piece *x, const struct syntax_node *bounds[][2])
{
    x->clauses = syntax_at(x->p);
    for (;;)
        if (syntax_accept_word(x->p, "doc"))
            x->rule->doc = read_string(x);
        else if (syntax_accept_word(x->p, "source"))
            x->rule->source = read_string(x);
        else if (syntax_at_word(x->p, "explore"))
            refuse_explore(x);
        else if (bounds && syntax_accept_word(x->p, "tunable"))
            read_tunable(x, bounds);
        else
            break;
    x->body = syntax_at(x->p);
}

/* ---- equations */

static void check_nats(struct rule_reader *r)
{
    for (int i = 0; i < r->def->names.nat_count; i++)
        if (r->def->names.nats[i].of < 0 && !r->nat_bound[i])
            read_mistake(
                r, r->nat_span[i],
                "'%s' never stands alone on the left-hand side, so it has no value",
                r->def->names.nats[i].name);
}

/* Reads the left-hand side. Afterwards, new names are errors. */
static void read_left(struct piece *x, const struct syntax_node *lhs)
{
    struct pat_scope scope = {0};

    x->def->lhs = read_pattern(&x->r, lhs, &scope);
    if (x->def->lhs->kind != PAT_PRIM && x->def->lhs->kind != PAT_META)
        syntax_error(x->p, lhs->span, "expected a primitive on the left-hand side");
    x->def->root = x->def->lhs->kind == PAT_PRIM ? x->def->lhs->op : LIFT_OP_COUNT;
    x->r.rhs = true;
    check_nats(&x->r);
}

static void read_bounds(struct piece *x, const struct syntax_node *bounds[][2])
{
    for (int i = 0; i < x->def->tunable_count; i++) {
        struct rule_tunable *t = &x->def->tunables[i];

        x->r.dim = t->dim;
        t->lo = read_nat(&x->r, bounds[i][0], false);
        t->hi = read_nat(&x->r, bounds[i][1], false);
        x->r.dim = -1;
    }
}

static bool uses_nat(const struct pat *p, lift_nat var)
{
    int args = p->kind == PAT_LAMBDA ? 1 : p->count;

    for (int i = 0; i < LIFT_MAX_NATS; i++)
        if (p->nats[i] && lift_nat_has(p->nats[i], var))
            return true;
    for (int i = 0; i < args; i++)
        if (uses_nat(p->args[i], var))
            return true;
    return false;
}

/* Rejects tunables without effect, which would only enlarge the search space. */
static void check_tunables(struct piece *x)
{
    for (int i = 0; i < x->def->tunable_count; i++) {
        int nat = x->def->tunables[i].nat;

        if (!uses_nat(x->def->rhs, x->def->names.nats[nat].var))
            read_mistake(&x->r, x->r.nat_span[nat],
                         "the tunable '%s' does not occur on the right-hand side",
                         x->def->names.nats[nat].name);
    }
}

/* Types the equation. A rule that the set keeps for the check records its first type
 * error. */
static void type_equation(struct piece *x)
{
    size_t before = lift_error_count(x->file->errors);

    x->rule->type = type_rule(&x->r);
    if (x->r.failed && x->file->rules->keep_mistyped) {
        x->rule->mistyped = lift_arena_strdup(
            x->file->arena, lift_str_get(&lift_error_at(x->file->errors, before)->text));
        x->r.failed = false;
    }
}

static void read_equation(struct piece *x, const struct syntax_node *bounds[][2])
{
    const struct syntax_node *sides[2];
    struct pat_scope scope = {0};

    sides[0] = syntax_expr(x->p);
    syntax_expect(x->p, x->two ? TOKEN_BOTH_WAYS : TOKEN_REWRITE,
                  x->two ? "'<~>'" : "'~>'");
    sides[1] = syntax_expr(x->p);
    x->rule->form = LIFT_RULE_EQUATION;
    read_left(x, sides[x->back]);
    if (x->r.failed)
        return;
    x->def->rhs = read_pattern(&x->r, sides[!x->back], &scope);
    read_check_options(&x->r);
    read_bounds(x, bounds);
    if (syntax_accept_word(x->p, "where"))
        do
            read_condition(&x->r, syntax_expr(x->p));
        while (syntax_accept(x->p, TOKEN_COMMA));
    if (!x->r.failed)
        check_tunables(x);
    if (!x->r.failed)
        type_equation(x);
}

/* True if the numbers of a native rule are in range: the first of two numbers, and the
 * last number. */
static bool in_range(const struct rule_native *native, int first, int last)
{
    int dims = LIFT_MAX_DIMS - 1, most = native->most ? native->most : dims;

    return first >= 0 && first <= most && last >= 1 &&
           last <= (native->numbers == 1 ? most : dims);
}

/* Reads like PATTERN { or PATTERN }. */
static void read_likes(struct piece *x)
{
    struct rule_def *def = x->def;

    if (!syntax_accept_word(x->p, "like"))
        syntax_expected(x->p, "'like' and a redex of the rule");
    x->r.drawn = true;
    do {
        const struct syntax_node *node = syntax_expr(x->p);
        struct pat_scope scope = {0};
        const struct pat *p = read_pattern(&x->r, node, &scope);

        if (def->like_count == RULE_MAX_LIKES)
            syntax_error(x->p, node->span, "at most %d redexes are allowed",
                         RULE_MAX_LIKES);
        if (def->root != LIFT_OP_COUNT && (p->kind != PAT_PRIM || p->op != def->root))
            syntax_error(x->p, node->span, "expected '%s'",
                         lift_prim_info(def->root)->name);
        def->likes[def->like_count++] = p;
    } while (syntax_accept_word(x->p, "or"));
}

/* Reads a native rule: its row in the table of native rules, doc and source. */
static void read_native(struct piece *x)
{
    const struct rule_name *name = &x->name;
    const struct rule_native *native = rule_native_find(name->base);
    int first = name->first, dims = name->dims;

    x->rule->form = LIFT_RULE_NATIVE;
    if (!native)
        syntax_error(x->p, name->span, "there is no native rule '%s'", name->base);
    if (native->numbers != name->part_count)
        syntax_error(x->p, name->span, "'%s' takes %d number%s, not %d", native->name,
                     native->numbers, native->numbers == 1 ? "" : "s", name->part_count);
    if (native->numbers && !in_range(native, first, dims))
        syntax_error(x->p, name->span, "'%s' knows 1 to %d%s", native->name,
                     native->most && native->numbers == 1 ? native->most
                                                          : LIFT_MAX_DIMS - 1,
                     native->most && native->numbers == 1 ? "" : " dimensions");
    if (native->numbers)
        x->def->numbers = (struct rule_numbers){.first = first, .dims = dims};
    x->def->native = native;
    x->def->root = x->def->numbers.first == 1 ? native->flat : native->root;
    if (!native->redex)
        read_likes(x);
    read_clauses(x, NULL);
}

/* ---- macros */

/* Checks that the class of a macro covers the classes of its rules. */
static void check_class(struct piece *x, struct lift_span name)
{
    const struct lift_rule *rule = strategy_unsound(x->def->strategy, x->rule->soundness);

    if (rule)
        syntax_error(x->p, name, "a macro that is '%s' cannot use '%s', which is '%s'",
                     lift_rule_class_name(x->rule->soundness), rule->name,
                     lift_rule_class_name(rule->soundness));
}

/* Checks that the strategy can begin with the random redexes of 'like'. */
static void check_like(struct piece *x, struct lift_span span)
{
    enum lift_op drawn = x->def->like->def->root, root = x->def->root;

    if (drawn != root && drawn != LIFT_OP_COUNT && root != LIFT_OP_COUNT)
        syntax_error(x->p, span, "'%s' is for '%s', but the strategy begins with '%s'",
                     x->def->like->name, lift_prim_info(drawn)->name,
                     lift_prim_info(root)->name);
}

/* Returns a reader. A strategy may name earlier rules of the file, and rules of the set.
 */
static struct strategy_reader reader_of(struct piece *x)
{
    return (struct strategy_reader){
        .arena = x->file->arena,
        .p = x->p,
        .scope = {x->file->items, x->file->count, x->file->rules},
        .self = x->rule->name};
}

static void read_like(struct piece *x)
{
    struct strategy_reader reader = reader_of(x);

    x->rule->form = LIFT_RULE_MACRO;
    if (x->def->like && syntax_accept(x->p, TOKEN_ASSIGN))
        return;
    if (!syntax_accept_word(x->p, "like"))
        syntax_expected(x->p, "'like' and a rule with the same redexes");
    x->def->like = strategy_read_rule(&reader);
    syntax_expect(x->p, TOKEN_ASSIGN, "'='");
}

void read_strategy(struct piece *x)
{
    struct strategy_reader reader = reader_of(x);
    struct lift_span like = syntax_peek_at(x->p, 1)->span, span;

    read_like(x);
    span = syntax_peek(x->p)->span;
    x->def->strategy = strategy_read(&reader);
    x->def->root = strategy_root(x->def->strategy);
    check_class(x, span);
    check_like(x, like);
}

/* ---- pieces */

/* Finds a rule in conflict with the name. The names are equal, or the bases are equal and
 * only one name has numbers. */
static const struct lift_rule *taken(const struct file_reader *f,
                                     const struct rule_name *name)
{
    for (int i = 0; i < f->count + f->rules->count; i++) {
        const struct lift_rule *rule =
            i < f->count ? f->items[i] : f->rules->items[i - f->count];

        if (rule->base[0] == name->base[0] && strcmp(rule->base, name->base) == 0 &&
            (strcmp(rule->name, name->full) == 0 ||
             (rule->part_count == 0) != (name->part_count == 0)))
            return rule;
    }
    return NULL;
}

static void check_name(struct piece *x, const struct rule_name *name)
{
    const struct lift_rule *other = taken(x->file, name);

    if (other)
        syntax_error(x->p, name->span, "the rule '%s' exists already", other->name);
    if (name->part_count && strategy_is_word(name->base))
        syntax_error(x->p, name->span, "'%s' is a word of strategies", name->base);
}

/* Reads ", NAME": the rule for the reverse direction, which has equal parameters. */
static void read_second_name(struct piece *x)
{
    struct rule_name other =
        read_rule_name(x->file->arena, x->p, "the name of the rule for the way back");

    if (strcmp(other.full + strlen(other.base), x->name.full + strlen(x->name.base)) != 0)
        syntax_error(x->p, other.span, "'%s' and '%s' have different parameters",
                     x->name.full, other.full);
    if (x->back)
        x->name = other;
}

/* Reads NAME, or the name for the current direction in "NAME, NAME", and the class. */
static void read_rule_head(struct piece *x)
{
    x->name = read_declared_name(x->file->arena, x->p);
    x->two = !x->macro && syntax_accept(x->p, TOKEN_COMMA);
    if (x->two)
        read_second_name(x);
    check_name(x, &x->name);
    x->rule->name = x->name.full;
    x->rule->base = x->name.base;
    x->rule->part_count = x->name.part_count;
    x->rule->dims = x->name.dims;
    read_class(x);
}

void read_rule(struct piece *x)
{
    const struct syntax_node *bounds[RULE_MAX_TUNABLES + 1][2];

    read_rule_head(x);
    if (!x->two && syntax_accept_word(x->p, "native")) {
        read_native(x);
        return;
    }
    read_clauses(x, bounds);
    read_equation(x, bounds);
}

/* Reads macro NAME class like RULE = strategy clauses. */
void read_macro(struct piece *x)
{
    x->macro = true;
    read_rule_head(x);
    read_strategy(x);
    read_clauses(x, NULL);
}
