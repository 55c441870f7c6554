#include "run/ranks/parts_ranks.h"
#include <stdlib.h>

enum { MOST_MESSAGES = 2 * PARTS_SIDES * EXPLORE_MAX_LEAVES };

/* What goes to one side, and what comes from there. Tags say at which end of the part
 * that takes them planes belong: in a ring of two, both neighbours are one rank. */
static bool add_messages(struct part *p, int input, int side, struct mpi_message *out)
{
    struct planes from = parts_planes_at(p, input, side, false);
    struct planes to = parts_planes_at(p, input, side, true);
    size_t plane = planes_bytes(to.array);
    void **ghost = &p->ghost[side][input];

    if (!*ghost && to.count)
        *ghost = malloc((size_t)to.count * plane);
    if (!*ghost && to.count)
        return plan_fail(&p->error, LIFT_PLAN_RUN, "out of memory");
    out[0] = (struct mpi_message){.data = *ghost,
                                  .bytes = (size_t)to.count * plane,
                                  .peer = p->beside[side],
                                  .tag = PARTS_SIDES * input + side};
    out[1] = (struct mpi_message){.data = p->edge[side][input],
                                  .bytes = (size_t)from.count * plane,
                                  .peer = p->beside[side],
                                  .tag = PARTS_SIDES * input + 1 - side,
                                  .send = true};
    return true;
}

static bool put_ghosts(struct part *p)
{
    for (int side = 0; side < PARTS_SIDES; side++)
        for (int i = 0; p->beside[side] >= 0 && i < p->plan->input_count; i++) {
            struct planes to = parts_planes_at(p, i, side, true);

            if (!planes_put(&to, &p->between, p->ghost[side][i], &p->error))
                return false;
        }
    return true;
}

bool parts_exchange_ranks(struct part *p)
{
    struct mpi_message messages[MOST_MESSAGES];
    struct lift_str why = {0};
    int count = 0;
    bool good;

    for (int side = 0; side < PARTS_SIDES; side++)
        for (int i = 0; p->beside[side] >= 0 && i < p->plan->input_count; i++) {
            if (!add_messages(p, i, side, &messages[count]))
                return false;
            count += 2;
        }
    good = ranks_swap(p->all->ranks, messages, count, &why) ||
           plan_fail(&p->error, LIFT_PLAN_RUN, "%s", lift_str_get(&why));
    lift_str_fini(&why);
    return good && put_ghosts(p);
}
