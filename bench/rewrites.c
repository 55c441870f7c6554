/* Rewrites per second and memory of a derivation graph: all shipped rules at all places,
 * breadth first, equal terms merged, until there are so many terms. */
#include "bench.h"
#include "lift/rule.h"
#include "lift/table.h"
#include <stdio.h>
#include <stdlib.h>

struct graph {
    lift_expr *terms;
    int count, limit;
    struct lift_ptrmap known;
    long rewrites, merged;
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

    for (int i = 0; i < n; i++)
        all[i] = lift_rules_get(rules, i);
    for (int i = 0; i < g->count && g->count < g->limit; i++)
        lift_rewrite_each(ir, all, n, g->terms[i], add, g);
    free(all);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "programs/jacobi3d7.lift";
    struct graph g = {.limit = argc > 2 ? atoi(argv[2]) : 10000};
    struct lift_ir *ir = lift_ir_create();
    struct lift_rules *rules = lift_rules_shipped();
    double start, seconds, bytes;

    g.terms = calloc((size_t)g.limit, sizeof *g.terms);
    g.terms[g.count++] = bench_program(ir, path, true)->body;
    bytes = (double)lift_arena_bytes(lift_ir_arena(ir));
    start = bench_now();
    grow(ir, rules, &g);
    seconds = bench_now() - start;
    bytes = (double)lift_arena_bytes(lift_ir_arena(ir)) - bytes;
    printf("%s: %d terms by %ld rewrites in %.3f s: %.0f rewrites/s\n", path, g.count,
           g.rewrites, seconds, (double)g.rewrites / seconds);
    printf("%.1f%% merged; %u nodes; %.0f bytes a term; peak memory %.1f MB\n",
           100.0 * (double)g.merged / (double)(g.rewrites ? g.rewrites : 1),
           lift_ir_expr_count(ir), bytes / g.count, bench_peak_memory() / 1e6);
    lift_ptrmap_fini(&g.known);
    free(g.terms);
    lift_rules_destroy(rules);
    lift_ir_destroy(ir);
    return 0;
}
