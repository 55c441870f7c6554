/* Makes names and keys of new tunables. The first free name and key are chosen, so that
 * both depend only on the term. */
#include "base/memory.h"
#include "ir/cut.h"
#include "ir/tunable.h"
#include "rules/rule_t.h"
#include <stdlib.h>
#include <string.h>

void rule_fresh_fini(struct rule_fresh *fresh)
{
    free(fresh->vars);
    fresh->vars = NULL;
    fresh->count = fresh->cap = 0;
}

void rule_fresh_reset(struct rule_fresh *fresh)
{
    fresh->count = fresh->base;
}

int rule_fresh_mark(const struct rule_fresh *fresh)
{
    return fresh->known ? fresh->count : -1;
}

void rule_fresh_rewind(struct rule_fresh *fresh, int mark)
{
    fresh->count = mark < 0 ? fresh->base : mark;
}

static void add_var(struct rule_fresh *fresh, struct rule_fresh_var var)
{
    for (int i = 0; i < fresh->count; i++)
        if (strcmp(fresh->vars[i].key, var.key) == 0)
            return;
    LIFT_ROOM(fresh->vars, fresh->count, fresh->cap);
    fresh->vars[fresh->count++] = var;
}

static void note_var(void *user, const struct lift_var *var)
{
    if (var->kind == LIFT_VAR_TUNABLE)
        add_var(user, (struct rule_fresh_var){var->name, var->key});
}

static bool collect(void *fresh, lift_expr e)
{
    for (int i = 0; e->kind == LIFT_EXPR_PRIM && i < lift_prim_info(e->op)->nat_count;
         i++)
        if (lift_nat_mentions(e->u.prim.nats[i], LIFT_VAR_TUNABLE))
            lift_nat_each_var(e->u.prim.nats[i], note_var, fresh);
    return true;
}

static void learn_vars(struct rule_fresh *fresh)
{
    if (fresh->known)
        return;
    lift_expr_each(fresh->term, collect, fresh);
    fresh->known = true;
    fresh->base = fresh->count;
}

/* ---- keys of tunables */

/* True if a key has this letter and number, with any range. */
static bool is_numbered(const struct rule_fresh *fresh, const char *letter, int number)
{
    char stem[LIFT_TUNABLE_NAME];
    size_t len;

    lift_tunable_key(stem, letter, number, 1, INT32_MAX);
    len = strlen(stem);
    for (int i = 0; i < fresh->count; i++)
        if (strncmp(fresh->vars[i].key, stem, len) == 0 &&
            (fresh->vars[i].key[len] == '_' || fresh->vars[i].key[len] == '\0'))
            return true;
    return false;
}

/* False if another variable of the pool has this name. */
static bool is_free(struct lift_nats *nats, const char *key, int64_t lo, int64_t hi)
{
    lift_nat var = lift_nat_find_var(nats, key);
    enum lift_var_kind kind;

    if (!var)
        return true;
    lift_nat_is_var(var, &kind);
    return kind == LIFT_VAR_TUNABLE && lift_nat_lo(var) == lo && lift_nat_hi(var) == hi;
}

/* ---- names of tunables */

static bool is_named(const struct rule_fresh *fresh, const char *name)
{
    for (int i = 0; i < fresh->count; i++)
        if (!strcmp(fresh->vars[i].name, name))
            return true;
    return lift_nat_find_var(lift_ir_nats(fresh->ir), name) != NULL;
}

static int dimension_of(const struct rule_tunable_word *word)
{
    const struct lift_tunable_word *row = lift_tunable_word(word->word);

    return row && row->kind != LIFT_TUNABLE_DIMENSIONAL ? -1 : word->dim;
}

static bool is_sized(lift_type t)
{
    for (; t->kind == LIFT_TYPE_ARRAY; t = t->elem)
        if (lift_nat_mentions(t->len, LIFT_VAR_TUNABLE))
            return true;
    return false;
}

static void find_name(const struct rule_fresh *fresh,
                      const struct rule_tunable_word *word, char name[LIFT_TUNABLE_NAME])
{
    int nth = 0;

    do
        lift_tunable_name(name, word->word, dimension_of(word), nth++,
                          is_sized(fresh->at->type));
    while (is_named(fresh, name));
}

static const char *letter_of(const struct rule_tunable_word *word)
{
    const struct lift_tunable_word *row = lift_tunable_word(word->word);

    return row ? row->former : word->word;
}

static lift_nat add_tunable(struct rule_fresh *fresh, const char *name, const char *key,
                            int64_t lo, int64_t hi)
{
    add_var(fresh, (struct rule_fresh_var){lift_ir_name(fresh->ir, name),
                                           lift_ir_name(fresh->ir, key)});
    return lift_nat_tunable(lift_ir_nats(fresh->ir), name, key, lo, hi);
}

lift_nat rule_fresh_tunable(struct rule_fresh *fresh, struct rule_tunable_word word,
                            int64_t lo, int64_t hi)
{
    char name[LIFT_TUNABLE_NAME], key[LIFT_TUNABLE_NAME];
    int number = -1;

    learn_vars(fresh);
    do
        lift_tunable_key(key, letter_of(&word), ++number, lo, hi);
    while (is_numbered(fresh, letter_of(&word), number) ||
           !is_free(lift_ir_nats(fresh->ir), key, lo, hi));
    find_name(fresh, &word, name);
    return add_tunable(fresh, name, key, lo, hi);
}

lift_nat rule_same_tunable(struct rule_fresh *fresh, struct rule_tunable_word word,
                           int number, int64_t lo, int64_t hi)
{
    char name[LIFT_TUNABLE_NAME], key[LIFT_TUNABLE_NAME];

    learn_vars(fresh);
    lift_tunable_key(key, letter_of(&word), number, lo, hi);
    if (!is_free(lift_ir_nats(fresh->ir), key, lo, hi))
        return NULL;
    lift_tunable_name(name, word.word, dimension_of(&word), 0, false);
    return add_tunable(fresh, name, key, lo, hi);
}
