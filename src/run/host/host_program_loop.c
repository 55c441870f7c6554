/* The time loop of an emitted program. */
#include "run/host/host_program.h"

/* The number of an array among those of its owner. */
static int number_of(const struct explore_shape *list, int index)
{
    int number = 0;

    while (index > number && list[index - number - 1].owner == list[index].owner)
        number++;
    return number;
}

/* -1: there is none. */
static int array_of(const struct explore_shape *list, int count, int owner, int number)
{
    for (int i = 0; i < count; i++)
        if (list[i].owner == owner && number_of(list, i) == number)
            return i;
    return -1;
}

/* Where each input of the next step comes from, array by array. */
static void add_origins(const struct host *h)
{
    static const char *const kinds[] = {"SAME", "OF_INPUT", "OF_OUTPUT"};
    const struct lift_program *program = h->chosen->problem->program;

    lift_str_addf(h->out, "static const struct origin %snext[] = {\n", h->prefix);
    for (int i = 0; i < h->input_count; i++) {
        const struct lift_program_input *input = &program->inputs[h->inputs[i].owner];
        bool output = input->next == LIFT_NEXT_OUTPUT;
        int from = array_of(output ? h->outputs : h->inputs,
                            output ? h->output_count : h->input_count, input->next_index,
                            number_of(h->inputs, i));

        lift_str_addf(h->out, "    {%s, %d},\n", kinds[input->next],
                      input->next == LIFT_NEXT_SAME ? i : from);
    }
    lift_str_add(h->out, "};\n");
}

void host_loop(const struct host *h)
{
    const struct host *one = h->single;
    int outputs, temps;

    if (!one) {
        lift_str_add(h->out, host_text("launch.c.in"));
        return;
    }
    lift_str_add(h->out,
                 "\n/* ---- The time loop: launches, and single steps for what is "
                 "left over. */\n\n"
                 "enum origin_kind { SAME, OF_INPUT, OF_OUTPUT };\n\n"
                 "struct origin {\n    enum origin_kind kind;\n    int index;\n};\n\n");
    host_add_table(one, one->module, LIFT_BIND_INPUT, "inputs");
    outputs = host_add_table(one, one->module, LIFT_BIND_OUTPUT, "outputs");
    temps = host_add_table(one, one->module, LIFT_BIND_TEMP, "temps");
    add_origins(h);
    add_origins(one);
    lift_str_addf(h->out,
                  "enum { SINGLE_OUTPUTS = %d, SINGLE_TEMPS = %d };\n"
                  "static struct buffer single_in[INPUTS + 1], "
                  "single_out[SINGLE_OUTPUTS + 1],\n    single_temp[SINGLE_TEMPS + 1];\n",
                  outputs, temps);
    host_call_single(one);
    lift_str_add(h->out, host_text("loop.c.in"));
}
