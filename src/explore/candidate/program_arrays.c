#include "explore/program_arrays.h"
#include "base/bug.h"
#include "base/fail.h"
#include "ir/type.h"

struct shape_list {
    const struct explore_problem *p;
    struct explore_shape *items;
    int count;
};

static void add_length(struct explore_shape *s, int64_t length)
{
    LIFT_ASSERT(s->dims <= LIFT_LAYOUT_DIMS);
    s->length[s->dims++] = length;
    s->count *= length;
}

/* Adds the buffers of an array inside arrays of the lengths of 'outer'. */
static void add_array(struct shape_list *list, lift_type t, struct explore_shape outer)
{
    int64_t length;

    for (; t->kind == LIFT_TYPE_ARRAY; t = t->elem) {
        bool known =
            lift_nat_eval(t->len, lift_nat_env_value, (void *)&list->p->sizes, &length);

        LIFT_ASSERT(known);
        add_length(&outer, length);
    }
    if (t->kind == LIFT_TYPE_TUPLE) {
        for (int i = 0; i < t->count; i++)
            add_array(list, t->parts[i], outer);
        return;
    }
    if (t->kind == LIFT_TYPE_VECTOR)
        add_length(&outer, t->count);
    outer.scalar = t->scalar;
    LIFT_ASSERT(list->count < EXPLORE_MAX_LEAVES);
    list->items[list->count++] = outer;
}

static int most_lengths(lift_type t)
{
    int most = 0, outer = lift_type_rank(t);

    for (; t->kind == LIFT_TYPE_ARRAY; t = t->elem)
        ;
    for (int i = 0; t->kind == LIFT_TYPE_TUPLE && i < t->count; i++) {
        int inner = most_lengths(t->parts[i]);

        most = most < inner ? inner : most;
    }
    return outer + (t->kind == LIFT_TYPE_VECTOR ? 1 : most);
}

bool explore_has_shapes(const struct explore_problem *p, struct lift_str *why)
{
    for (int i = 0; i < p->input_count + p->output_count; i++) {
        int output = i - p->input_count;
        lift_type t = output < 0 ? p->inputs[i]->type : p->program->outputs[output].type;

        if (most_lengths(t) > LIFT_LAYOUT_DIMS + 1)
            return LIFT_FAIL(why, "'%s' has %d dimensions: at most %d are expected",
                             output < 0 ? p->program->inputs[i].name
                                        : p->program->outputs[output].name,
                             most_lengths(t), LIFT_LAYOUT_DIMS + 1);
    }
    return true;
}

int explore_input_shapes(const struct explore_problem *p,
                         struct explore_shape out[EXPLORE_MAX_LEAVES])
{
    struct shape_list list = {p, out, 0};

    for (int i = 0; i < p->input_count; i++)
        add_array(&list, p->inputs[i]->type,
                  (struct explore_shape){
                      .name = p->program->inputs[i].name, .owner = i, .count = 1});
    return list.count;
}

int explore_output_shapes(const struct explore_problem *p,
                          struct explore_shape out[EXPLORE_MAX_LEAVES])
{
    struct shape_list list = {p, out, 0};

    for (int i = 0; i < p->output_count; i++)
        add_array(&list, p->program->outputs[i].type,
                  (struct explore_shape){
                      .name = p->program->outputs[i].name, .owner = i, .count = 1});
    return list.count;
}

/* The index of an array among the arrays of its owner. */
static int number_of(const struct explore_shape *list, int index)
{
    int number = 0;

    while (index > number && list[index - number - 1].owner == list[index].owner)
        number++;
    return number;
}

int explore_next_array(const struct explore_problem *p, const struct explore_shape *in,
                       int in_count, const struct explore_shape *out, int out_count,
                       int i)
{
    const struct lift_program_input *input = &p->program->inputs[in[i].owner];
    bool output = input->next == LIFT_NEXT_OUTPUT;
    const struct explore_shape *list = output ? out : in;

    if (input->next == LIFT_NEXT_SAME)
        return i;
    for (int k = 0; k < (output ? out_count : in_count); k++)
        if (list[k].owner == input->next_index && number_of(list, k) == number_of(in, i))
            return output ? in_count + k : k;
    LIFT_BUG("no array of '%s' is the next '%s'", p->program->name, in[i].name);
}
