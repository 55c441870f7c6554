#include "explore/story.h"
#include "lift/bug.h"
#include <stdlib.h>
#include <string.h>

struct story {
    struct lift_str *out;
    struct lift_str word; /* the last, not written yet */
    int count;
    const struct lift_rules *rules; /* of one from a database */
};

/* NULL ends the story. */
static void add(struct story *s, const char *word)
{
    if (word && s->count && !strcmp(word, lift_str_get(&s->word))) {
        s->count++;
        return;
    }
    if (s->count)
        lift_str_addf(s->out, "%s%s", s->out->len ? " " : "", lift_str_get(&s->word));
    if (s->count > 1)
        lift_str_addf(s->out, "*%d", s->count);
    lift_str_clear(&s->word);
    s->count = 1;
    if (word)
        lift_str_add(&s->word, word);
    else
        lift_str_fini(&s->word);
}

/* The nodes of the way, the root first. */
struct way {
    int *nodes;
    int count;
};

static const struct derive_edge *first_edge(const struct derivation *d, int node)
{
    const struct derive_edge *e = d->nodes[node].edges;

    while (e && e->next)
        e = e->next;
    return e;
}

static struct way way_to(const struct derivation *d, int node)
{
    struct way w = {NULL, 1};
    const struct derive_edge *e;
    int at = node;

    while ((e = first_edge(d, at))) {
        at = e->parent;
        w.count++;
    }
    w.nodes = malloc(sizeof *w.nodes * (size_t)w.count);
    LIFT_ASSERT(w.nodes);
    for (int i = w.count; i-- > 0;) {
        w.nodes[i] = node;
        e = first_edge(d, node);
        node = e ? e->parent : -1;
    }
    return w;
}

/* The macro, part of no other, that leads from a node to another; of several the first by
 * name, as lift_db_derivation has them. NULL if there is none. */
static const char *macro_between(const struct derivation *d, int from, int to)
{
    const char *name = NULL;

    for (const struct derive_macro *m = d->nodes[to].macros; m; m = m->next)
        if (m->parent == from && m->depth == 0 &&
            (!name || strcmp(m->macro->name, name) < 0))
            name = m->macro->name;
    return name;
}

/* The longest macro that begins at place 'at' of the way; its end goes to '*end'. */
static const char *macro_from(const struct derivation *d, const struct way *w, int at,
                              int *end)
{
    for (int i = w->count - 1; i > at; i--) {
        const char *name = macro_between(d, w->nodes[at], w->nodes[i]);

        if (name) {
            *end = i;
            return name;
        }
    }
    return NULL;
}

void explore_story(const struct derivation *d, int leaf, struct lift_str *out)
{
    struct way w = way_to(d, d->leaves[leaf].node);
    struct story s = {.out = out};

    for (int at = 0; at + 1 < w.count;) {
        int end = at + 1;
        const char *macro = macro_from(d, &w, at, &end);

        add(&s, macro ? macro : first_edge(d, w.nodes[end])->rule->name);
        at = end;
    }
    add(&s, NULL);
    free(w.nodes);
}

static void add_recorded(struct story *s, const char *name)
{
    const struct lift_rule *rule = lift_rules_find_recorded(s->rules, name);

    add(s, rule ? rule->name : name);
}

static bool add_step(void *user, const struct lift_db_step *step)
{
    if (step->macro_count == 0)
        add_recorded(user, step->rule);
    else if (step->macros[0].first == step->step)
        add_recorded(user, step->macros[0].macro);
    return true;
}

bool explore_story_stored(struct lift_db *db, const struct lift_rules *rules,
                          struct lift_hash root, struct lift_hash expr,
                          struct lift_str *out)
{
    struct story s = {.out = out, .rules = rules};
    bool good = lift_db_derivation_from(db, &root, expr, add_step, &s);

    add(&s, NULL);
    return good;
}
