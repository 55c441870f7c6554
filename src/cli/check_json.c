/* 'lift check': the facts about a program. */
#include "base/number.h"
#include "cli/check.h"
#include "ir/cut.h"
#include "ir/expr.h"

static json_t *type_json(const char *name, lift_type t)
{
    LIFT_SCOPED(lift_str) text = {0};
    json_t *shape = json_array();
    int64_t length;

    lift_type_print(t, &text);
    for (lift_type a = t; a->kind == LIFT_TYPE_ARRAY; a = a->elem)
        if (lift_nat_is_const(a->len, &length))
            json_array_append_new(shape, json_integer(length));
    return json_pack("{s:s, s:s, s:o, s:I}", "name", name, "type", lift_str_get(&text),
                     "shape", shape, "bytes", (json_int_t)lift_footprint_bytes(t));
}

static json_t *outputs_json(const struct lift_program *p, unsigned outputs)
{
    json_t *list = json_array();

    for (int o = 0; o < p->output_count; o++)
        if (outputs & 1u << o)
            json_array_append_new(list, json_string(p->outputs[o].name));
    return list;
}

static json_t *dim_json(const struct lift_footprint_dim *dim)
{
    static const char *const kinds[] = {"exact", "about", "anywhere"};
    json_t *out = json_pack("{s:s}", "kind", kinds[dim->kind]), *pads = json_array();

    if (dim->kind != LIFT_FOOTPRINT_ANYWHERE) {
        json_object_set_new(out, "follows",
                            dim->follows < 0 ? json_null() : json_integer(dim->follows));
        json_object_set_new(out, "step", json_integer(dim->step));
        json_object_set_new(out, "from", json_integer(dim->from));
        json_object_set_new(out, "to", json_integer(dim->to));
    }
    /* The halo, if the dimension follows a dimension of the output with step 1. */
    if (dim->kind != LIFT_FOOTPRINT_ANYWHERE && dim->step == 1)
        json_object_set_new(out, "halo",
                            json_pack("[I, I]",
                                      (json_int_t)lift_max(-dim->from, (int64_t)0),
                                      (json_int_t)lift_max(dim->to, (int64_t)0)));
    for (int i = 0; i < dim->pad_count; i++)
        json_array_append_new(pads,
                              json_pack("{s:s, s:I, s:I}", "kind", dim->pads[i].kind,
                                        "before", (json_int_t)dim->pads[i].before,
                                        "after", (json_int_t)dim->pads[i].after));
    json_object_set_new(out, "pads", pads);
    return out;
}

/* The accesses of an input. */
static json_t *footprint_json(const struct lift_program *p,
                              const struct lift_footprint *f)
{
    json_t *dims = json_array();

    for (int d = 0; d < f->dim_count; d++)
        json_array_append_new(dims, dim_json(&f->dims[d]));
    return json_pack("{s:o, s:o, s:o, s:o}", "outputs", outputs_json(p, f->outputs),
                     "points", f->points ? json_integer(f->points) : json_null(), "shape",
                     f->star  ? json_string("star")
                     : f->box ? json_string("box")
                              : json_null(),
                     "dims", dims);
}

static json_t *inputs_json(const struct cli_checked *c)
{
    const struct lift_program *p = c->program;
    json_t *list = json_array();

    for (int i = 0; i < p->input_count; i++) {
        const struct lift_program_input *in = &p->inputs[i];
        json_t *one = type_json(in->name, in->type), *reads = json_array();

        for (int k = 0; k < c->prints->count; k++)
            if (c->prints->items[k].input == i)
                json_array_append_new(reads, footprint_json(p, &c->prints->items[k]));
        json_object_set_new(one, "reads", c->prints->complete ? reads : json_null());
        if (!c->prints->complete)
            json_decref(reads);
        json_object_set_new(one, "next",
                            in->next == LIFT_NEXT_SAME ? json_string(in->name)
                            : in->next == LIFT_NEXT_INPUT
                                ? json_string(p->inputs[in->next_index].name)
                                : json_string(p->outputs[in->next_index].name));
        json_object_set_new(one, "in_place", outputs_json(p, c->prints->in_place[i]));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *ops_json(const struct lift_footprint_ops *ops)
{
    json_t *by = json_object();

    for (int op = 0; op < LIFT_OP_COUNT; op++)
        if (ops->by[op] > 0)
            json_object_set_new(by, lift_prim_info((enum lift_op)op)->name,
                                json_real(ops->by[op]));
    return json_pack("{s:f, s:o, s:f, s:f}", "flops", ops->flops, "by", by, "calls",
                     ops->calls, "others", ops->others);
}

static json_t *functions_json(const struct cli_checked *c)
{
    json_t *list = json_array();

    for (int i = 0; i < c->program->function_count; i++) {
        const struct lift_program_function *f = &c->program->functions[i];
        struct lift_user_types types;
        bool known = lift_user_types(f->text, &types);
        int line, column;

        lift_source_position(c->source, f->place.begin, &line, &column);
        json_array_append_new(
            list, json_pack("{s:s%, s:i}", "name", known ? types.name : "",
                            known ? (size_t)types.name_length : 0, "line", line));
    }
    return list;
}

/* ---- planes exchanged by devices that share the grids */

/* The input fields that a step changes. */
static json_t *fields_json(const struct lift_cut *cut, const struct lift_program *p)
{
    json_t *list = json_array();

    for (int i = 0; i < p->input_count; i++) {
        struct lift_fetched one = lift_cut_fetched(cut, p, i, 1);
        struct lift_fetched two = lift_cut_fetched(cut, p, i, 2);
        enum lift_scalar scalar = lift_type_base(p->inputs[i].type)->scalar;

        if (two.before + two.after > 0)
            json_array_append_new(
                list, json_pack("{s:s, s:[II], s:i}", "name", p->inputs[i].name, "planes",
                                (json_int_t)one.before, (json_int_t)one.after, "bytes",
                                (int)lift_scalar_bytes(scalar)));
    }
    return list;
}

static json_t *exchange_json(const struct cli_checked *c)
{
    LIFT_SCOPED(lift_error) errors = {0};
    LIFT_SCOPED(lift_str) why = {0};
    LIFT_OWNED(lift_ir) *ir = lift_ir_create();
    const struct lift_program *p =
        lift_program_load_general(&ir, c->source, c->sizes, &errors);
    struct lift_cut cut;

    if (!p || !p->iterative)
        return json_null();
    if (!lift_cut_find(ir, p, 0, 1, &cut, &why))
        return json_pack("{s:s}", "why", lift_str_get(&why));
    return json_pack("{s:[II], s:o}", "wrong", (json_int_t)cut.before,
                     (json_int_t)cut.after, "fields", fields_json(&cut, p));
}

json_t *cli_check_json(const struct cli_checked *c)
{
    const struct lift_program *p = c->program;
    json_t *sizes = json_object(), *params = json_array(), *outputs = json_array();
    json_t *traffic = json_pack("{s:I, s:I}", "read", (json_int_t)c->prints->read,
                                "written", (json_int_t)c->prints->written);

    for (int i = 0; i < p->size_count; i++)
        json_object_set_new(sizes, p->sizes[i].name, json_integer(p->sizes[i].value));
    for (int i = 0; i < p->param_count; i++)
        json_array_append_new(params,
                              json_pack("{s:s, s:s, s:f}", "name", p->params[i].name,
                                        "type", lift_scalar_name(p->params[i].scalar),
                                        "value", p->params[i].value));
    for (int i = 0; i < p->output_count; i++)
        json_array_append_new(outputs, type_json(p->outputs[i].name, p->outputs[i].type));
    return json_pack(
        "{s:s, s:b, s:s, s:s, s:b, s:b, s:i, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o, "
        "s:f, s:o, s:o}",
        "file", c->file, "valid", 1, "program", p->name, "dtype",
        lift_program_precision(p), "exact", p->exact, "time_loop", p->iterative, "steps",
        p->steps, "sizes", sizes, "parameters", params, "inputs", inputs_json(c),
        "outputs", outputs, "points", (json_int_t)c->prints->points, "points_inside",
        (json_int_t)c->prints->inside, "traffic", traffic, "operations_per_point",
        ops_json(&c->prints->ops), "intensity", c->prints->intensity, "c_functions",
        functions_json(c), "exchange", exchange_json(c));
}
