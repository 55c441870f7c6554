/* Time from a low-level term to source. Each explored expression is emitted with the
 * tunables of its trial in a separate context, as in the explorer.
 *
 *     bench/emit DATABASE
 */
#include "base/stats.h"
#include "bench.h"
#include "codegen/kernel.h"
#include "lift/parse.h"
#include "tuner/db_query.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4000, VARS = 32 };

struct emit {
    struct lift_db *db;
    struct lift_nats *into; /* of the context being generated in */
    json_t *sizes, *tunables;
    enum lift_dialect dialect;
    double seconds[MOST];
    int count, failed;
    size_t longest;
};

static lift_nat number_of(void *user, lift_nat var)
{
    struct emit *e = user;
    const char *name = lift_nat_is_var(var, NULL);
    json_t *v = json_object_get(e->sizes, name);

    if (!v)
        v = json_object_get(e->tunables, name);
    return v ? lift_nat_const(e->into, json_integer_value(v)) : NULL;
}

/* The free variables: arrays are inputs, scalars parameters. */
static void find_frees(lift_expr e, struct lift_codegen_options *o, lift_expr *in,
                       lift_expr *par)
{
    if (e->kind == LIFT_EXPR_FREE) {
        bool array = e->type->kind == LIFT_TYPE_ARRAY;
        lift_expr *list = array ? in : par;
        int *count = array ? &o->input_count : &o->param_count;

        for (int i = 0; i < *count; i++)
            if (list[i] == e)
                return;
        if (*count < VARS)
            list[(*count)++] = e;
    }
    for (int i = 0; i < lift_expr_child_count(e); i++)
        find_frees(lift_expr_child(e, i), o, in, par);
}

static void local_sizes(struct emit *e, int local[3])
{
    static const char *const names[] = {"block_x", "block_y", "block_z"};
    static const char *const former[] = {"local0", "local1", "local2"};

    for (int d = 0; d < 3; d++)
        local[d] = (int)json_integer_value(json_object_get(
            e->tunables, json_object_get(e->tunables, names[d]) ? names[d] : former[d]));
}

static void time_one(struct emit *e, lift_expr symbolic)
{
    struct lift_codegen_options o = {.dialect = e->dialect, .name = "kernel"};
    static const char *const outputs[] = {"out"};
    struct lift_ir *ir = lift_ir_create();
    const struct lift_module *m = NULL;
    lift_expr in[VARS], par[VARS], body;
    bool dying[VARS]; /* terms of the database were checked with their programs */
    struct lift_type_error error = {0};
    struct lift_str why = {0};
    double start = bench_now();

    e->into = lift_ir_nats(ir);
    body = lift_expr_subst(ir, symbolic, number_of, e, &error);
    if (body) {
        find_frees(body, &o, in, par);
        memset(dying, true, sizeof dying);
        o.dying = dying;
        o.inputs = in;
        o.params = par;
        o.outputs = outputs;
        o.output_count = 1;
        local_sizes(e, o.local);
        m = lift_codegen(ir, body, &o, &why);
    }
    if (m) {
        e->seconds[e->count++] = bench_now() - start;
        if (strlen(m->source) > e->longest)
            e->longest = strlen(m->source);
    } else {
        fprintf(stderr, "emit: %s\n", body ? lift_str_get(&why) : error.text);
        e->failed++;
    }
    lift_str_fini(&why);
    lift_ir_destroy(ir);
}

static bool each_trial(void *user, const struct lift_db_tried *row)
{
    struct emit *e = user;
    struct lift_ir *ir = lift_ir_create();
    struct lift_error errors = {0};
    struct lift_str text = {0};
    char id[LIFT_HASH_HEX];
    lift_expr term = NULL;

    if (lift_db_text(e->db, LIFT_DB_TEXT_EXPR, lift_hash_hex(row->expr, id), &text)) {
        struct lift_source source = {id, lift_str_get(&text), text.len};

        term = lift_term_parse(ir, &source, &errors);
    }
    lift_error_print(&errors, stderr);
    e->tunables = json_loads(row->tunables, 0, NULL);
    if (term)
        time_one(e, term);
    json_decref(e->tunables);
    lift_error_fini(&errors);
    lift_str_fini(&text);
    lift_ir_destroy(ir);
    return e->count < MOST;
}

static bool each_best(void *user, const struct lift_db_best *row)
{
    struct emit *e = user;
    double median;

    e->sizes = json_loads(row->sizes, 0, NULL);
    e->dialect = strcmp(row->runtime, "host") ? LIFT_DIALECT_OPENCL : LIFT_DIALECT_OPENMP;
    e->count = e->failed = 0;
    e->longest = 0;
    lift_db_tried(e->db, row->problem, row->device_id, each_trial, e);
    qsort(e->seconds, (size_t)e->count, sizeof *e->seconds, lift_by_value);
    median = lift_median(e->seconds, e->count);
    printf("%-10s %-7s %5d terms, %d without code: median %.3f ms, worst %.3f ms, "
           "longest source %zu bytes\n",
           row->program, row->runtime, e->count, e->failed, 1e3 * median,
           e->count ? 1e3 * e->seconds[e->count - 1] : 0, e->longest);
    json_decref(e->sizes);
    return true;
}

int main(int argc, char **argv)
{
    static struct emit e;
    struct lift_error error = {0};
    struct lift_db_filter all = {0};

    e.db = argc > 1 ? lift_db_open(argv[1], LIFT_DB_READ, &error) : NULL;
    if (!e.db) {
        fprintf(stderr, "emit: %s\n",
                argc > 1 ? lift_error_text(&error) : "bench/emit DATABASE");
        return 2;
    }
    lift_db_best(e.db, &all, each_best, &e);
    lift_db_close(e.db);
    return 0;
}
