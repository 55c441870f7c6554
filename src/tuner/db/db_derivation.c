/* Finds the derivation of an expression in the rows of single rewrites. Rows of other
 * programs may be invalid: they may form cycles, or lead to another program. */
#include "base/arena.h"
#include "base/memory.h"
#include "base/table.h"
#include "tuner/db/db_internal.h"
#include "tuner/db_query.h"
#include <stdlib.h>
#include <string.h>

enum {
    MOST_STEPS = 1000,
    MOST_NODES = 100000, /* nodes examined for a derivation from a given root */
};

/* An expression on a path back from the target, and the rewrite from it to 'next'. */
struct node {
    struct lift_hash id;
    const struct node *next; /* NULL: the target */
    const char *rule, *position, *args;
    int back; /* number of rewrites between the node and the target */
};

struct search {
    struct lift_db *db;
    const struct lift_hash *root; /* NULL: the root that first-found parents lead to */
    struct lift_arena *arena;
    struct lift_table seen; /* nodes */
    struct node **open;     /* a stack: the last is examined next */
    int count, cap;
    const struct node *end; /* the root */
};

static bool is_node(const void *entry, const void *key)
{
    return lift_hash_equal(((const struct node *)entry)->id,
                           *(const struct lift_hash *)key);
}

static void push(struct search *s, struct node *n)
{
    LIFT_ROOM(s->open, s->count, s->cap);
    s->open[s->count++] = n;
}

struct expansion {
    struct search *search;
    const struct node *from;
};

static bool read_parent(sqlite3_stmt *stmt, void *user)
{
    const struct expansion *x = user;
    struct lift_arena *arena = x->search->arena;
    struct node *n = LIFT_NEW(arena, struct node);

    *n = (struct node){.id = db_hash(stmt, 0),
                       .next = x->from,
                       .rule = lift_arena_strdup(arena, db_text(stmt, 1)),
                       .position = lift_arena_strdup(arena, db_text(stmt, 2)),
                       .args = lift_arena_strdup(arena, db_text(stmt, 3)),
                       .back = x->from->back + 1};
    push(x->search, n);
    return x->search->root != NULL;
}

/* Adds the parents of a node. The search examines the first-found parent first. */
static bool expand(struct search *s, const struct node *n)
{
    struct expansion x = {s, n};
    int first = s->count;

    if (n->back == MOST_STEPS)
        return true;
    if (!db_each_row(s->db, db_query(s->db, DB_PARENTS, "h", n->id), read_parent, &x))
        return false;
    for (int i = first, j = s->count - 1; i < j; i++, j--) {
        struct node *n2 = s->open[i];

        s->open[i] = s->open[j];
        s->open[j] = n2;
    }
    return true;
}

static bool note_row(sqlite3_stmt *stmt, void *user)
{
    (void)stmt;
    *(bool *)user = true;
    return false;
}

static bool is_end(struct search *s, const struct node *n, bool *end)
{
    *end = s->root && lift_hash_equal(n->id, *s->root);
    if (s->root)
        return true;
    return db_each_row(s->db, db_query(s->db, DB_IS_ROOT, "h", n->id), note_row, end);
}

static bool look(struct search *s, struct lift_hash expr)
{
    struct node *n = LIFT_NEW(s->arena, struct node);
    bool end = false;

    *n = (struct node){.id = expr};
    push(s, n);
    while (s->count && !end && s->seen.count < MOST_NODES) {
        n = s->open[--s->count];
        if (lift_table_find(&s->seen, n->id.lo, &n->id, is_node))
            continue;
        lift_table_insert(&s->seen, n->id.lo, n);
        if (!is_end(s, n, &end) || (!end && !expand(s, n)))
            return false;
        if (end || !s->root)
            s->end = n;
    }
    return true;
}

/* ---- macros */

struct use {
    struct lift_db_use use;
    int depth;
};

/* The nodes of a derivation, root first, and the macros between them. */
struct way {
    struct search *search;
    const struct node **nodes;
    int count, at;
    struct use *uses;
    int use_count, use_cap;
};

/* Reads a macro. The macro is part of the derivation if both its ends are, with its
 * number of rewrites between them. */
static bool read_use(sqlite3_stmt *stmt, void *user)
{
    struct way *w = user;
    int64_t steps = db_count(stmt, 3);

    if (steps < 1 || steps >= w->count - w->at ||
        !lift_hash_equal(w->nodes[w->at + steps]->id, db_hash(stmt, 0)))
        return true;
    LIFT_ROOM(w->uses, w->use_count, w->use_cap);
    w->uses[w->use_count++] =
        (struct use){{.macro = lift_arena_strdup(w->search->arena, db_text(stmt, 1)),
                      .position = lift_arena_strdup(w->search->arena, db_text(stmt, 2)),
                      .first = w->at + 1,
                      .steps = (int)steps},
                     db_int(stmt, 4)};
    return true;
}

static int outermost_first(const void *a, const void *b)
{
    const struct use *x = a, *y = b;

    if (x->use.steps != y->use.steps)
        return y->use.steps - x->use.steps;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    if (x->use.first != y->use.first)
        return x->use.first - y->use.first;
    return strcmp(x->use.macro, y->use.macro);
}

static bool find_uses(struct way *w)
{
    struct lift_db *db = w->search->db;

    for (w->at = 0; w->at < w->count; w->at++)
        if (!db_each_row(db, db_query(db, DB_MACROS_OF, "h", w->nodes[w->at]->id),
                         read_use, w))
            return false;
    if (w->use_count)
        qsort(w->uses, (size_t)w->use_count, sizeof *w->uses, outermost_first);
    return true;
}

/* ---- steps */

static void find_nodes(struct way *w)
{
    for (const struct node *n = w->search->end; n; n = n->next)
        w->count++;
    w->nodes = LIFT_NEW_ARRAY(w->search->arena, const struct node *, w->count + 1);
    w->count = 0;
    for (const struct node *n = w->search->end; n; n = n->next)
        w->nodes[w->count++] = n;
}

static void add_uses(struct lift_db_step *step, const struct way *w)
{
    for (int i = 0; i < w->use_count && step->macro_count < LIFT_DB_STEP_MACROS; i++) {
        const struct lift_db_use *use = &w->uses[i].use;

        if (step->step >= use->first && step->step < use->first + use->steps)
            step->macros[step->macro_count++] = *use;
    }
}

static bool tell(struct search *s, lift_db_step_row *row, void *user)
{
    struct way w = {.search = s};
    bool good, more = true;

    find_nodes(&w);
    good = find_uses(&w);
    for (int i = 0; i + 1 < w.count && good && more; i++) {
        struct lift_db_step step = {.step = i + 1,
                                    .rule = w.nodes[i]->rule,
                                    .position = w.nodes[i]->position,
                                    .args = w.nodes[i]->args,
                                    .expr = w.nodes[i + 1]->id};

        add_uses(&step, &w);
        more = row(user, &step);
    }
    free(w.uses);
    return good;
}

bool lift_db_derivation_from(struct lift_db *db, const struct lift_hash *root,
                             struct lift_hash expr, lift_db_step_row *row, void *user)
{
    struct search s = {.db = db, .root = root, .arena = lift_arena_create()};
    bool good = look(&s, expr) && tell(&s, row, user);

    lift_table_fini(&s.seen);
    free(s.open);
    lift_arena_destroy(s.arena);
    return good;
}

bool lift_db_derivation(struct lift_db *db, struct lift_hash expr, lift_db_step_row *row,
                        void *user)
{
    return lift_db_derivation_from(db, NULL, expr, row, user);
}
