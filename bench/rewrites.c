/* Speed and memory of a derivation graph: all shipped rules at all places, breadth first,
 * equal terms merged, up to a number of terms. Macros take part if the third argument is
 * 'macros'; their steps are in the graph in any case. Seconds are processor time. */
#include "base/table.h"
#include "bench.h"
#include "rules/rule.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct graph {
    lift_expr *terms;
    int count, limit;
    struct lift_ptrmap known;
    long rewrites, merged;
    int64_t matched; /* rules against places */
    int rules;
    bool macros;
};

static bool add(void *user, const struct lift_rewrite *rewrite)
{
    struct graph *g = user;

    g->rewrites++;
    if (lift_ptrmap_get(&g->known, rewrite->term)) {
        g->merged++;
        return true;
    }
    lift_ptrmap_put(&g->known, rewrite->term, (void *)rewrite->term);
    g->terms[g->count++] = rewrite->term;
    return g->count < g->limit;
}

static void grow(struct lift_ir *ir, const struct lift_rules *rules, struct graph *g)
{
    int n = lift_rules_count(rules);
    const struct lift_rule **all = calloc((size_t)n, sizeof *all);

    struct lift_rewrite_sweep sweep = {ir, all, 0, add, g};

    for (int i = 0; i < n; i++)
        if (g->macros || lift_rules_get(rules, i)->form != LIFT_RULE_MACRO)
            all[sweep.rule_count++] = lift_rules_get(rules, i);
    g->rules = sweep.rule_count;
    for (int i = 0; i < g->count && g->count < g->limit; i++)
        lift_rewrite_count(&sweep, g->terms[i], &g->matched);
    free(all);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "programs/jacobi3d7.lift";
    struct graph g = {.limit = argc > 2 ? atoi(argv[2]) : 10000,
                      .macros = argc > 3 && strcmp(argv[3], "macros") == 0};
    struct lift_ir *ir = lift_ir_create();
    struct lift_rules *rules = lift_rules_shipped();
    double start, seconds, bytes;

    g.terms = calloc((size_t)g.limit, sizeof *g.terms);
    g.terms[g.count++] = bench_program(ir, path, true)->body;
    bytes = (double)lift_arena_bytes(lift_ir_arena(ir));
    start = bench_processor_seconds();
    grow(ir, rules, &g);
    seconds = bench_processor_seconds() - start;
    bytes = (double)lift_arena_bytes(lift_ir_arena(ir)) - bytes;
    printf("%s: %d terms by %ld rewrites of %d rules in %.3f s: %.0f rewrites/s, "
           "%.2f million rules matched/s\n",
           path, g.count, g.rewrites, g.rules, seconds, (double)g.rewrites / seconds,
           (double)g.matched / seconds * 1e-6);
    printf("%.1f%% merged; %u nodes; %.0f bytes a term; peak memory %.1f MB\n",
           100.0 * (double)g.merged / (double)(g.rewrites ? g.rewrites : 1),
           lift_ir_expr_count(ir), bytes / g.count, bench_peak_memory() / 1e6);
    lift_ptrmap_fini(&g.known);
    free(g.terms);
    lift_rules_destroy(rules);
    lift_ir_destroy(ir);
    return 0;
}
