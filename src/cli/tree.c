#include "cli/tree.h"
#include "base/memory.h"
#include "rules/rule.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A tree without branches has one node: the program. Steps inside a macro are no
 * nodes, so two macros with equal first steps are two branches. */
struct node {
    struct lift_hash expr;
    char *rule,
        *position; /* of the rule or outermost macro that made the node from its parent */
    int parent;    /* -1: the program */
    int first, next; /* child and sibling; -1: none */
    int trials;      /* of the expression itself */
    double seconds;  /* the best time of these trials; HUGE_VAL: none */
    double best;     /* the best time of the node and its descendants */
};

struct tree {
    struct node *nodes;
    int count, cap;
    int at;                 /* node that the current derivation has reached */
    struct lift_db_use use; /* the current macro; zero steps: none */
    struct lift_db *db;
    bool good;
};

/* ---- building */

static int add_node(struct tree *t, struct lift_hash expr, const struct lift_db_use *use,
                    int parent)
{
    struct node n = {.expr = expr,
                     .rule = lift_strdup(use->macro),
                     .position = lift_strdup(use->position),
                     .parent = parent};

    LIFT_ROOM(t->nodes, t->count, t->cap);
    n.first = n.next = -1;
    n.seconds = n.best = HUGE_VAL;
    if (parent >= 0) {
        n.next = t->nodes[parent].first;
        t->nodes[parent].first = t->count;
    }
    t->nodes[t->count] = n;
    return t->count++;
}

/* Finds the child made by this rule or macro at this place. */
static int find_child(const struct tree *t, struct lift_hash expr,
                      const struct lift_db_use *use)
{
    int child = t->nodes[t->at].first;

    while (child >= 0 && !(lift_hash_equal(t->nodes[child].expr, expr) &&
                           !strcmp(t->nodes[child].rule, use->macro) &&
                           !strcmp(t->nodes[child].position, use->position)))
        child = t->nodes[child].next;
    return child;
}

/* The outermost macro that begins at a step, or the step itself. */
static struct lift_db_use use_of(const struct lift_db_step *step)
{
    for (int i = 0; i < step->macro_count; i++)
        if (step->macros[i].first == step->step)
            return step->macros[i];
    return (struct lift_db_use){step->rule, step->position, step->step, 1};
}

static int last_step(const struct lift_db_use *use)
{
    return use->first + use->steps - 1;
}

static bool follow(void *user, const struct lift_db_step *step)
{
    struct tree *t = user;
    LIFT_SCOPED(lift_str) now = {0};
    struct lift_db_use use;
    int child;

    if (step->step > last_step(&t->use))
        t->use = use_of(step);
    if (step->step < last_step(&t->use))
        return true;
    use = t->use;
    use.macro = lift_name_now(use.macro, &now);
    child = find_child(t, step->expr, &use);
    t->at = child >= 0 ? child : add_node(t, step->expr, &use, t->at);
    return true;
}

/* Searches only nodes with trials: an expression may also be an intermediate of
 * another one. */
static int find_tried(const struct tree *t, struct lift_hash expr)
{
    for (int i = 0; i < t->count; i++)
        if (t->nodes[i].trials && lift_hash_equal(t->nodes[i].expr, expr))
            return i;
    return -1;
}

static bool take_trial(void *user, const struct lift_db_tried *row)
{
    struct tree *t = user;
    struct node *n;
    int at = find_tried(t, row->expr);

    if (at < 0) {
        t->at = 0;
        t->use = (struct lift_db_use){"", "", 0, 0};
        t->good = lift_db_derivation(t->db, row->expr, follow, t);
        at = t->at;
    }
    n = &t->nodes[at];
    n->expr = row->expr; /* also sets the program's node */
    n->trials++;
    if (row->status == LIFT_TRIAL_OK && row->seconds > 0 && row->seconds < n->seconds)
        n->seconds = row->seconds;
    return t->good;
}

/* Children come after their parents in the list, so one backward pass suffices. */
static void find_best(struct tree *t)
{
    for (int i = t->count - 1; i >= 0; i--) {
        struct node *n = &t->nodes[i];

        n->best = n->seconds < n->best ? n->seconds : n->best;
        if (n->parent >= 0 && n->best < t->nodes[n->parent].best)
            t->nodes[n->parent].best = n->best;
    }
}

/* Sorts the children by time, the fastest first. */
static void sort_children(struct tree *t, int parent)
{
    int sorted = -1, next;

    for (int i = t->nodes[parent].first; i >= 0; i = next) {
        int *at = &sorted;

        next = t->nodes[i].next;
        while (*at >= 0 && t->nodes[*at].best <= t->nodes[i].best)
            at = &t->nodes[*at].next;
        t->nodes[i].next = *at;
        *at = i;
    }
    t->nodes[parent].first = sorted;
}

/* ---- chains */

/* The last node of a chain: a node with trials, with branches, or without children. */
static int end_of_chain(const struct tree *t, int at)
{
    for (;;) {
        const struct node *n = &t->nodes[at];

        if (n->trials || n->first < 0 || t->nodes[n->first].next >= 0)
            return at;
        at = n->first;
    }
}

enum { SHOWN_GROUPS = 6 };

/* Prints "tiling(3) at 0.1, mapSeq x 4, ... (9 more)": equal neighbours are counted. */
static void name_chain(const struct tree *t, int from, int to, struct lift_str *out)
{
    int groups = 0, hidden = 0;

    for (int at = from;; at = t->nodes[at].first) {
        const char *rule = t->nodes[at].rule;
        int times = 1;

        while (at != to && !strcmp(rule, t->nodes[t->nodes[at].first].rule)) {
            at = t->nodes[at].first;
            times++;
        }
        if (groups++ >= SHOWN_GROUPS) {
            hidden += times;
        } else {
            lift_str_addf(out, "%s%s", groups > 1 ? ", " : "", rule);
            if (times > 1)
                lift_str_addf(out, " x %d", times);
            else if (groups == 1)
                lift_str_addf(out, " at %s", t->nodes[at].position);
        }
        if (at == to)
            break;
    }
    if (hidden)
        lift_str_addf(out, ", ... (%d more)", hidden);
}

static void name_node(const struct node *n, struct lift_str *out)
{
    char hex[LIFT_HASH_HEX];

    if (!n->trials)
        return;
    lift_str_addf(out, "%.12s, %d %s", lift_hash_hex(n->expr, hex), n->trials,
                  n->trials == 1 ? "trial" : "trials");
    if (n->seconds < HUGE_VAL)
        lift_str_addf(out, ", %.4g ms", 1e3 * n->seconds);
    else
        lift_str_add(out, ", no time");
}

/* ---- printing */

static void print_text(const struct tree *t, int parent, struct lift_str *margin)
{
    for (int i = t->nodes[parent].first; i >= 0; i = t->nodes[i].next) {
        int end = end_of_chain(t, i);
        size_t len = margin->len;
        LIFT_SCOPED(lift_str) label = {0}, node = {0};

        name_chain(t, i, end, &label);
        name_node(&t->nodes[end], &node);
        printf("%s+- %s%s%s\n", lift_str_get(margin), lift_str_get(&label),
               node.len ? ": " : "", lift_str_get(&node));
        lift_str_add(margin, t->nodes[i].next >= 0 ? "|  " : "   ");
        print_text(t, end, margin);
        margin->len = len;
        margin->data[len] = '\0';
    }
}

static void print_dot(const struct tree *t, int parent)
{
    for (int i = t->nodes[parent].first; i >= 0; i = t->nodes[i].next) {
        int end = end_of_chain(t, i);
        struct lift_str label = {0}, node = {0};

        name_chain(t, i, end, &label);
        name_node(&t->nodes[end], &node);
        printf("  n%d [label=\"%s\"];\n  n%d -> n%d [label=\"%s\"];\n", end,
               lift_str_get(&node), parent, end, lift_str_get(&label));
        print_dot(t, end);
        lift_str_fini(&label);
        lift_str_fini(&node);
    }
}

static void print_tree(struct tree *t, const struct lift_db_explored *problem, bool dot)
{
    struct lift_str margin = {0}, node = {0};

    name_node(&t->nodes[0], &node);
    if (dot) {
        printf("digraph \"%s\" {\n  rankdir=LR;\n  node [shape=box];\n"
               "  n0 [label=\"%s of %s %s\"];\n",
               problem->program, problem->program, problem->dtype, lift_str_get(&node));
        print_dot(t, 0);
        puts("}");
    } else {
        cli_print_subject(&(struct cli_subject){problem->program, problem->sizes,
                                                problem->dtype, problem->device,
                                                problem->runtime, problem->steps});
        printf("%s%s\n", node.len ? ": " : "", lift_str_get(&node));
        print_text(t, 0, &margin);
    }
    lift_str_fini(&margin);
    lift_str_fini(&node);
}

bool cli_tree(struct lift_db *db, const struct lift_db_explored *problem, bool dot)
{
    struct tree t = {.db = db, .good = true};

    add_node(&t, (struct lift_hash){0}, &(struct lift_db_use){"", "", 0, 0}, -1);
    t.good =
        lift_db_tried(db, problem->problem, problem->device_id, take_trial, &t) && t.good;
    find_best(&t);
    for (int i = 0; i < t.count; i++)
        sort_children(&t, i);
    if (t.good)
        print_tree(&t, problem, dot);
    for (int i = 0; i < t.count; i++) {
        free(t.nodes[i].rule);
        free(t.nodes[i].position);
    }
    free(t.nodes);
    return t.good;
}
