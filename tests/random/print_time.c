/* The time loop of a program as text. */
#include "print.h"

void rp_print_time(const struct rp_program *p, struct lift_str *out)
{
    const char *between = "";

    if (!p->loops)
        return;
    lift_str_add(out, "\ntime (");
    for (int i = 0; i < p->input_count; i++)
        if (p->next[i] != -1 - i) {
            lift_str_addf(out, "%s%s", between, p->inputs[i].name);
            between = ", ";
        }
    lift_str_add(out, ") <- (");
    between = "";
    for (int i = 0; i < p->input_count; i++)
        if (p->next[i] != -1 - i) {
            lift_str_addf(out, "%s%s", between,
                          p->next[i] < 0 ? p->inputs[-1 - p->next[i]].name
                                         : p->outputs[p->next[i]]);
            between = ", ";
        }
    lift_str_add(out, ")\n");
}
