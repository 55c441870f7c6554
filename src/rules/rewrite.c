/* Rewrites whole terms, at one place or at all places. */
#include "base/table.h"
#include "rules/rule_t.h"

static bool make_rewrite(struct lift_ir *ir, lift_expr term, const struct rule_results *r,
                         int choice, struct lift_rewrite *out)
{
    const struct rule_result *item = &r->items[choice];

    out->choice = choice;
    out->to = item->expr;
    out->term = lift_path_replace(ir, term, &out->at, item->expr);
    out->condition_count = item->count;
    out->conditions =
        item->count ? lift_arena_copy(lift_ir_arena(ir), r->conditions + item->first,
                                      (size_t)item->count * sizeof *r->conditions)
                    : NULL;
    return out->term != NULL;
}

bool lift_rewrite_at(struct lift_ir *ir, const struct lift_rule *rule, lift_expr term,
                     const struct lift_path *at, int choice, struct lift_rewrite *out)
{
    LIFT_SCOPED(rule_fresh) fresh = {.ir = ir, .term = term};
    struct rule_results results;
    lift_expr e = lift_path_get(term, at);

    if (!e || choice < 0)
        return false;
    rule_apply(ir, rule, e, &fresh, &results);
    *out = (struct lift_rewrite){.rule = rule, .from = e};
    out->at = *at;
    return choice < results.count && make_rewrite(ir, term, &results, choice, out);
}

/* ---- all rewrites */

/* Lists of rules by the root operation of their redexes. 'next' links the rules of a list
 * in the given order. */
struct buckets {
    const struct lift_rule *const *rules;
    int first[LIFT_OP_COUNT + 1];
    int *next;
};

struct sweep {
    struct lift_ir *ir;
    lift_expr term;
    struct rule_fresh fresh;
    struct buckets buckets;
    struct lift_ptrmap barren; /* nodes without a rewrite at or below them */
    lift_rewrite_visit *visit;
    void *user;
    struct lift_rewrite now;
    int calls;
    int64_t matched;
    bool stopped;
};

static void fill_buckets(struct buckets *b, struct lift_arena *arena,
                         const struct lift_rule *const *rules, int count)
{
    b->rules = rules;
    b->next = LIFT_NEW_ARRAY(arena, int, count);
    for (int op = 0; op <= LIFT_OP_COUNT; op++)
        b->first[op] = -1;
    for (int i = count - 1; i >= 0; i--) {
        int *first = &b->first[rules[i]->def->root];

        b->next[i] = *first;
        *first = i;
    }
}

/* Applies a rule from the names of the term alone. Fresh names thus depend only on the
 * term, the rule and the place, not on earlier rules. */
static void try_rule(struct sweep *s, const struct lift_rule *rule, lift_expr e)
{
    struct rule_results results;

    s->matched++;
    rule_fresh_reset(&s->fresh);
    rule_apply(s->ir, rule, e, &s->fresh, &results);
    for (int i = 0; i < results.count && !s->stopped; i++) {
        s->now.rule = rule;
        s->now.from = e;
        if (!make_rewrite(s->ir, s->term, &results, i, &s->now))
            continue;
        s->calls++;
        s->stopped = !s->visit(s->user, &s->now);
    }
}

/* Merges the list of the operation with the list of rules for any operation, in the given
 * order. */
static void try_rules(struct sweep *s, lift_expr e)
{
    const struct buckets *b = &s->buckets;
    int any = b->first[LIFT_OP_COUNT];
    int own = e->kind == LIFT_EXPR_PRIM ? b->first[e->op] : -1;

    while (!s->stopped && (any >= 0 || own >= 0)) {
        int *next = own < 0 || (any >= 0 && any < own) ? &any : &own;

        try_rule(s, b->rules[*next], e);
        *next = b->next[*next];
    }
}

static void sweep(struct sweep *s, lift_expr e)
{
    int calls = s->calls;

    if (lift_ptrmap_get(&s->barren, e))
        return;
    if (e->kind != LIFT_EXPR_LAMBDA)
        try_rules(s, e);
    if (s->now.at.count < LIFT_MAX_PATH)
        for (int i = 0; i < lift_expr_child_count(e) && !s->stopped; i++) {
            s->now.at.steps[s->now.at.count++] = (uint8_t)i;
            sweep(s, lift_expr_child(e, i));
            s->now.at.count--;
        }
    if (s->calls == calls && !s->stopped)
        lift_ptrmap_put(&s->barren, e, s);
}

int lift_rewrite_count(const struct lift_rewrite_sweep *asked, lift_expr term,
                       int64_t *matched)
{
    struct sweep s = {
        .ir = asked->ir, .term = term, .visit = asked->visit, .user = asked->user};
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();

    s.fresh = (struct rule_fresh){.ir = asked->ir, .term = term};
    fill_buckets(&s.buckets, arena, asked->rules, asked->rule_count);
    sweep(&s, term);
    rule_fresh_fini(&s.fresh);
    lift_ptrmap_fini(&s.barren);
    *matched += s.matched;
    return s.calls;
}

int lift_rewrite_each(struct lift_ir *ir, const struct lift_rule *const *rules, int count,
                      lift_expr term, lift_rewrite_visit *visit, void *user)
{
    struct lift_rewrite_sweep asked = {ir, rules, count, visit, user};
    int64_t matched = 0;

    return lift_rewrite_count(&asked, term, &matched);
}
