/* Describes a chosen kernel as JSON, for other programs. */
#include "base/bug.h"
#include "base/json.h"
#include "run/chosen.h"
#include <stdlib.h>

static json_t *numbers(const int64_t *list, int count)
{
    json_t *json = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(json, json_integer(list[i]));
    return json;
}

static json_t *layout(const struct lift_chosen *c, const struct lift_bind *bind)
{
    const struct lift_layout *l = bind->layout;
    LIFT_SCOPED(lift_str) why = {0};
    struct place place;
    json_t *json;

    if (!l)
        return json_null();
    json =
        json_pack("{s:o, s:o, s:I, s:I, s:I}", "length", numbers(l->length, l->dims),
                  "stride", numbers(l->stride, l->dims), "offset", (json_int_t)l->offset,
                  "multiple", (json_int_t)l->multiple, "at", (json_int_t)l->at);
    if (runner_place(c->problem, c->problem->param_values, bind, &place, &why) &&
        place.filled)
        json_object_set_new(json, "fill", json_real(place.fill));
    return json;
}

static json_t *buffers(const struct lift_chosen *c)
{
    static const char *const kinds[] = {"input", "output", "temporary", "parameter"};
    const struct lift_module *m = c->module.module;
    json_t *list = json_array();

    for (int i = 0; i < m->bind_count; i++) {
        const struct lift_bind *b = &m->binds[i];
        json_t *json = json_pack(
            "{s:s, s:s, s:s, s:s, s:i, s:I, s:o}", "name", b->label, "identifier",
            b->name, "kind", kinds[b->kind], "type", lift_scalar_name(b->scalar), "index",
            b->index, "elements", (json_int_t)b->count, "layout", layout(c, b));

        if (b->kind == LIFT_BIND_OUTPUT && b->in_place >= 0)
            json_object_set_new(json, "stored_in", json_integer(b->in_place));
        if (b->kind == LIFT_BIND_PARAM)
            json_object_set_new(json, "value",
                                json_real(c->problem->param_values[b->index]));
        json_array_append_new(list, json);
    }
    return list;
}

static json_t *sizes(const size_t *size, int dims)
{
    json_t *json = json_array();

    for (int d = 0; d < dims; d++)
        json_array_append_new(json, json_integer((json_int_t)size[d]));
    return json;
}

/* Describes the tensors, with the innermost dimension first, in elements. */
static json_t *tensors(const struct lift_kernel *kernel)
{
    json_t *list = json_array();

    for (int i = 0; i < kernel->tensor_count; i++) {
        const struct lift_tensor *t = &kernel->tensors[i];
        json_t *lengths = json_array(), *strides = json_array(), *box = json_array();

        for (int d = t->dims - 1; d >= 0; d--) {
            json_array_append_new(lengths, json_integer((json_int_t)t->length[d]));
            json_array_append_new(box, json_integer(t->box[d]));
            if (d < t->dims - 1)
                json_array_append_new(strides, json_integer((json_int_t)t->stride[d]));
        }
        json_array_append_new(list,
                              json_pack("{s:i, s:I, s:o, s:o, s:o}", "buffer", t->bind,
                                        "offset", (json_int_t)t->offset, "length",
                                        lengths, "stride", strides, "box", box));
    }
    return list;
}

static json_t *kernels(const struct lift_module *m)
{
    json_t *list = json_array();

    for (int k = 0; k < m->kernel_count; k++) {
        const struct lift_kernel *kernel = &m->kernels[k];
        json_t *arguments = json_array();

        for (int i = 0; i < kernel->arg_count; i++)
            json_array_append_new(arguments, json_integer(kernel->args[i]));
        json_array_append_new(
            list,
            json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:I, s:i, s:I}", "name",
                      kernel->name, "bytes_read", (json_int_t)kernel->read_bytes,
                      "bytes_written", (json_int_t)kernel->written_bytes, "arguments",
                      arguments, "tensors", tensors(kernel), "global_size",
                      sizes(kernel->launch.global, kernel->launch.dims), "local_size",
                      sizes(kernel->launch.local, kernel->launch.dims), "local_bytes",
                      (json_int_t)kernel->local_bytes, "first", kernel->first, "times",
                      (json_int_t)kernel->times));
    }
    return list;
}

static json_t *steps(const struct lift_chosen_facts *f)
{
    json_t *list = json_array();

    for (int i = 0; i < f->step_count; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s}", "rule", f->steps[i].rule,
                                        "position", f->steps[i].position, "args",
                                        f->steps[i].args, "macros", f->steps[i].macros));
    return list;
}

json_t *chosen_parsed(const char *text)
{
    json_t *json = lift_json_read(text, 0);

    return json ? json : json_string(text);
}

/* Describes the measurement of the kernel; null if there is no measurement. */
static json_t *measured(const struct lift_chosen_facts *f)
{
    char hex[LIFT_HASH_HEX];

    if (f->how == LIFT_CHOSEN_DEFAULT)
        return json_null();
    return json_pack("{s:s, s:o, s:o, s:s, s:f, s:f, s:f}", "device", f->from_device,
                     "sizes", chosen_parsed(f->from_sizes), "tunables",
                     chosen_parsed(f->from_tunables), "trial",
                     lift_hash_hex(f->trial, hex), "seconds", f->seconds, "gpts", f->gpts,
                     "gbs", f->gbs);
}

void lift_chosen_json(const struct lift_chosen *c, struct lift_str *out)
{
    const struct lift_chosen_facts *f = lift_chosen_facts(c);
    char hex[LIFT_HASH_HEX], *text;
    json_t *json;

    if (!c)
        return;
    json =
        json_pack("{s:s, s:o, s:s, s:i, s:s, s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:o, "
                  "s:o, s:o, s:o, "
                  "s:s, "
                  "s:I, "
                  "s:I}",
                  "program", f->program, "sizes", chosen_parsed(f->sizes), "dtype",
                  f->dtype, "steps", f->at_once, "device", f->device, "runtime",
                  f->runtime, "chosen", lift_chosen_how_name(f->how), "why", f->words,
                  "tunables", chosen_parsed(f->tunables), "flags", f->flags, "expr",
                  lift_hash_hex(f->expr, hex), "expression", f->expression, "measured",
                  measured(f), "derivation", steps(f), "buffers", buffers(c), "kernels",
                  kernels(c->module.module), "source", f->source, "points",
                  (json_int_t)c->problem->points, "bytes", (json_int_t)c->problem->bytes);

    LIFT_ASSERT(json);
    text = lift_json_print(json, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    LIFT_ASSERT(text);
    lift_str_addf(out, "%s\n", text);
    free(text);
    json_decref(json);
}
