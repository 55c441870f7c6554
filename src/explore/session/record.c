#include "explore/record.h"
#include "base/memory.h"
#include "lift/parse.h"
#include <stdio.h>

/* The text of terms between program and kernel is not stored: there are many, and
 * repeating the derivation makes them again. */
static bool put_expr(struct recorder *r, lift_expr term, enum lift_db_level level,
                     bool whole)
{
    LIFT_SCOPED(lift_str) text = {0};

    if (whole)
        lift_term_print(term, &text);
    return lift_db_put_expr(r->db, &(struct lift_db_expr){term->hash, lift_str_get(&text),
                                                          level, (int)term->size});
}

static struct lift_db_problem problem_row(const struct explore_problem *p)
{
    return (struct lift_db_problem){.program = lift_program_id(p->program),
                                    .root = p->root->hash,
                                    .sizes = p->sizes_json,
                                    .params = p->params_json,
                                    .dtype = p->dtype,
                                    .steps = p->program->steps,
                                    .points = p->points,
                                    .bytes = p->bytes};
}

void record_ids(struct recorder *r)
{
    struct lift_db_problem problem = problem_row(r->problem);

    r->problem_id = lift_db_problem_id(&problem);
    r->device_id = lift_device_hash(r->device);
}

bool record_problem(struct recorder *r)
{
    const struct explore_problem *p = r->problem;
    struct lift_db_program program;
    struct lift_db_problem problem;

    if (r->stored)
        return true;
    record_ids(r);
    problem = problem_row(p);
    program = (struct lift_db_program){problem.program, p->name, p->text};
    r->stored =
        lift_db_begin(r->db) &&
        lift_db_end(r->db, lift_db_put_device(r->db, r->device) &&
                               lift_db_put_program(r->db, &program) &&
                               put_expr(r, p->root, LIFT_DB_HIGH, true) &&
                               lift_db_put_problem(r->db, &problem, &r->problem_id));
    return r->stored;
}

static bool put_edges(struct recorder *r, int node)
{
    const struct derivation *d = r->derivation;
    const struct derive_edge *edges[64];
    LIFT_SCOPED(lift_str) at = {0};
    int count = 0;
    bool done = true;

    for (const struct derive_edge *e = d->nodes[node].edges; e && count < 64; e = e->next)
        edges[count++] = e;
    while (done && count-- > 0) { /* in order of discovery */
        char args[32];
        struct lift_db_deriv deriv = {d->nodes[node].term->hash,
                                      d->nodes[edges[count]->parent].term->hash,
                                      edges[count]->rule->name, NULL, args};

        lift_str_clear(&at);
        lift_path_print(&edges[count]->at, &at);
        deriv.position = lift_str_get(&at);
        args[0] = '\0';
        if (edges[count]->choice)
            snprintf(args, sizeof args, "choice %d", edges[count]->choice);
        done = lift_db_put_deriv(r->db, &deriv);
    }
    return done;
}

static bool put_macros(struct recorder *r, int node)
{
    const struct derivation *d = r->derivation;
    LIFT_SCOPED(lift_str) at = {0};
    bool done = true;

    for (const struct derive_macro *m = d->nodes[node].macros; m && done; m = m->next) {
        lift_str_clear(&at);
        lift_path_print(&m->at, &at);
        done = lift_db_put_macro(
            r->db, &(struct lift_db_macro){d->nodes[node].term->hash,
                                           d->nodes[m->parent].term->hash, m->macro->name,
                                           lift_str_get(&at), m->steps, m->depth});
    }
    return done;
}

/* Records a node once: ancestors first, then the edges from them, which may form cycles.
 * The derivation determines the depth. */
static bool put_node(struct recorder *r, int node, enum lift_db_level level)
{
    struct derive_node *n = &r->derivation->nodes[node];

    if (n->stored)
        return true;
    n->stored = true;
    if (!put_expr(r, n->term, level, level == LIFT_DB_LOW))
        return false;
    for (const struct derive_edge *e = n->edges; e; e = e->next)
        if (!put_node(r, e->parent, LIFT_DB_HIGH))
            return false;
    for (const struct derive_macro *m = n->macros; m; m = m->next)
        if (!put_node(r, m->parent, LIFT_DB_HIGH))
            return false;
    return put_edges(r, node) && put_macros(r, node);
}

static bool put_point(struct recorder *r, const struct derive_leaf *leaf)
{
    const struct lift_rules *rules = r->derivation->rules;
    struct lift_db_option options[LIFT_MAX_DECISIONS];
    int count = 0;

    for (int i = 0; i < lift_decision_count(rules); i++) {
        const struct lift_option *o =
            lift_configuration_option(rules, &leaf->configuration, i);

        if (o->index > 0)
            options[count++] = (struct lift_db_option){o->decision->name, o->name};
    }
    return lift_db_put_configuration(r->db, r->derivation->nodes[leaf->node].term->hash,
                                     options, count);
}

bool record_leaf(struct recorder *r, const struct derive_leaf *leaf)
{
    struct derive_node *n = &r->derivation->nodes[leaf->node];
    bool passed = n->stored; /* on the way to another node */

    if (n->configuration_stored)
        return true;
    if (!lift_db_begin(r->db))
        return false;
    n->configuration_stored = put_node(r, leaf->node, LIFT_DB_LOW) &&
                              (!passed || put_expr(r, n->term, LIFT_DB_LOW, true)) &&
                              put_point(r, leaf);
    return lift_db_end(r->db, n->configuration_stored);
}

bool record_start(struct recorder *r, const struct candidate_space *candidates,
                  const int *point, enum lift_trial_phase phase, struct lift_hash *id)
{
    struct lift_db_trial trial = {.problem = r->problem_id,
                                  .device = r->device_id,
                                  .session = r->session,
                                  .phase = phase,
                                  .env = r->env};
    LIFT_FREED char *json = lift_space_json(candidates->space, point);
    bool done =
        lift_db_put_candidate(r->db, candidates->term->hash, json, &trial.candidate);

    return done && lift_db_trial_start(r->db, &trial, id);
}

bool record_end(struct recorder *r, struct lift_hash id, const struct lift_db_end *end,
                const struct trial_reply *build, const char *texts)
{
    struct lift_db_build row = {.compiler = r->device->compiler,
                                .driver = r->device->driver};
    struct lift_db_end final = *end;

    if (build && build->job_size) {
        row.source = texts;
        row.flags = texts + build->source_size;
        row.log = build->log_size ? texts + build->job_size : "";
        row.resources = build->resources;
        final.build = &row;
    }
    return lift_db_trial_finish(r->db, id, &final);
}

bool record_finish(struct recorder *r, struct lift_hash id, const struct trial_reply *end,
                   const struct trial_reply *build, const char *texts)
{
    const struct lift_db_end row = {.status = end->status,
                                    .reason = end->reason,
                                    .checks = end->checks,
                                    .check_count = end->check_count,
                                    .samples = end->samples,
                                    .sample_count = end->sample_count,
                                    .clocks = end->clocks,
                                    .compile_s = build ? build->compile_s : 0,
                                    .check_s = end->check_s,
                                    .measure_s = end->measure_s};

    return record_end(r, id, &row, build, texts);
}
