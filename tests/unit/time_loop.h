/* The time loop of a program, by values. */
#ifndef LIFT_TESTS_TIME_LOOP_H
#define LIFT_TESTS_TIME_LOOP_H

#include "ir/eval.h"
#include "lift/program.h"
#include <string.h>

/* One step: the program's results for 'env' become the inputs that its time loop names,
 * which are the first bindings. */
static inline void advance_once(const struct lift_program *p,
                                const struct lift_eval_env *env, struct lift_arena *arena,
                                struct lift_binding *b)
{
    struct lift_binding old[LIFT_MAX_ARGS];
    struct lift_value got;
    struct lift_str error = {0};

    if (!lift_eval(env, p->body, arena, &got, &error))
        fail_msg("%s", lift_str_get(&error));
    memcpy(old, b, (size_t)p->input_count * sizeof *b);
    for (int i = 0; i < p->input_count; i++) {
        const struct lift_program_input *in = &p->inputs[i];

        if (in->next == LIFT_NEXT_INPUT)
            b[i].value = old[in->next_index].value;
        else if (in->next == LIFT_NEXT_OUTPUT)
            b[i].value = p->output_count > 1 ? got.u.items[in->next_index] : got;
    }
}

#endif
