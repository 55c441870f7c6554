#include "run/devices/messages.h"
#include "run/devices/nccl.h"
#include "run/ranks/team.h"
#include <stdlib.h>

/* ---- the messages of an exchange */

static int add(const struct part *p, messages_planes *planes_at, int end, bool send,
               struct message *out)
{
    int count = 0;

    for (int i = 0; p->beside[end] >= 0 && i < p->plan->input_count; i++) {
        struct planes planes = planes_at(p, i, end, !send);

        /* The tag is the end of the receiving part. */
        if (planes_any(&planes))
            out[count++] = (struct message){.planes = planes,
                                            .peer = p->beside[end],
                                            .tag = PARTS_ENDS * i +
                                                   (send ? parts_opposite(end) : end),
                                            .send = send};
    }
    return count;
}

/* In a periodic chain of two parts, both neighbours are one part: messages to its lower
 * side come from the upper side. */
int messages_of(const struct part *p, messages_planes *planes_at, int dim,
                struct message *out)
{
    int before = dim * PARTS_SIDES + PARTS_BEFORE, after = parts_opposite(before);
    int count = add(p, planes_at, before, true, out);

    count += add(p, planes_at, after, true, out + count);
    count += add(p, planes_at, after, false, out + count);
    return count + add(p, planes_at, before, false, out + count);
}

struct lift_message messages_direct(const struct message *m)
{
    struct lift_message out = {.peer = m->peer, .tag = m->tag, .send = m->send};

    out.data = planes_place(&m->planes, &out.bytes);
    return out;
}

/* ---- through the host, and from device to device */

static bool stage(struct part *p, const struct message *m, struct lift_message *out)
{
    struct parts_memory *memory = &p->staged[m->send][m->tag];
    size_t bytes = planes_sum(&m->planes);

    if (memory->bytes < bytes) {
        free(memory->data);
        *memory = (struct parts_memory){malloc(bytes), bytes};
        if (!memory->data) {
            memory->bytes = 0;
            return lift_fail(&p->error, LIFT_ERROR_RUN, "out of memory");
        }
    }
    *out = (struct lift_message){memory->data, bytes, m->peer, m->tag, m->send};
    return !m->send || planes_get(&m->planes, memory->data, &p->error);
}

bool messages_pack(struct part *p, messages_planes *planes_at, int dim,
                   struct messages *m)
{
    bool good = !p->all->direct || plan_wait(p->plan, &p->error);

    m->count = messages_of(p, planes_at, dim, m->planes);
    for (int i = 0; good && i < m->count; i++)
        if (p->all->direct)
            m->list[i] = messages_direct(&m->planes[i]);
        else if (p->all->way != PARTS_PEER &&
                 (p->all->way != PARTS_HOST || m->planes[i].send))
            good = stage(p, &m->planes[i], &m->list[i]);
    return good;
}

/* Planes have the tag of the receiving part. */
bool messages_take(struct part *p, messages_planes *planes_at, const struct messages *m,
                   enum lift_lane lane)
{
    bool good = true;

    for (int i = 0; good && i < m->count; i++) {
        const struct planes *to = &m->planes[i].planes;
        int tag = m->planes[i].tag;
        const struct part *other = &p->all->part[m->planes[i].peer];
        struct planes from;

        if (m->planes[i].send)
            continue;
        if (p->all->way == PARTS_HOST) {
            good = planes_put(to, other->staged[true][tag].data, &p->error);
        } else {
            from = planes_at(other, tag / PARTS_ENDS, parts_opposite(tag % PARTS_ENDS),
                             false);
            good = planes_pull(to, &from, lane, &p->error);
        }
    }
    return good;
}

/* ---- between processes */

bool messages_go(const struct part *p, const struct messages *m, struct lift_error *error)
{
    return team_exchange(p->all->team, m->list, m->count, error);
}

bool messages_unpack(struct part *p, const struct messages *m)
{
    bool good = true;

    for (int i = 0; good && !p->all->direct && i < m->count; i++)
        good = m->planes[i].send ||
               planes_put(&m->planes[i].planes, m->list[i].data, &p->error);
    return good;
}

bool messages_swap(struct part *p)
{
    bool good = true;

    for (int d = 0; good && d < PARTS_DIMS; d++) {
        struct messages m;

        if (!parts_are_along(p->all, d))
            continue;
        good = messages_pack(p, parts_planes_at, d, &m) &&
               messages_go(p, &m, &p->error) && messages_unpack(p, &m);
    }
    return good;
}

/* ---- NCCL */

/* Also makes the device current in this thread. */
static bool find_stream(struct part *p, enum lift_lane lane, void **stream)
{
    const struct lift_runtime *rt = p->plan->device->runtime;

    *stream = NULL;
    return !rt->stream || rt->stream(p->plan->device, lane, stream, &p->error) ||
           lift_recode(&p->error, LIFT_ERROR_RUN);
}

bool messages_join(struct part *p)
{
    const struct parts *parts = p->all;
    LIFT_SCOPED(lift_str) why = {0};
    void *stream;

    if (!find_stream(p, LIFT_LANE_SIDE, &stream))
        return false;
    p->nccl =
        nccl_join(parts->nccl, parts->id, (int)(p - parts->part), parts->count, &why);
    return p->nccl || lift_fail(&p->error, LIFT_ERROR_RUN, "%s", lift_str_get(&why));
}

bool messages_swap_nccl(struct part *p, enum lift_lane lane, messages_planes *planes_at)
{
    const struct parts *parts = p->all;
    struct message messages[PARTS_MESSAGES];
    struct lift_message list[PARTS_MESSAGES];
    LIFT_SCOPED(lift_str) why = {0};
    int count = messages_of(p, planes_at, 0, messages);
    void *stream;

    if (!find_stream(p, lane, &stream))
        return false;
    for (int i = 0; i < count; i++)
        list[i] = messages_direct(&messages[i]);
    return nccl_swap(parts->nccl, p->nccl, stream, list, count, &why) ||
           lift_fail(&p->error, LIFT_ERROR_RUN, "%s", lift_str_get(&why));
}

static void *leave(void *user)
{
    struct part *p = user;
    void *stream;

    if (p->nccl && find_stream(p, LIFT_LANE_SIDE, &stream))
        nccl_leave(p->all->nccl, p->nccl, p->all->failed);
    p->nccl = NULL;
    return NULL;
}

void messages_end(struct parts *parts)
{
    int started = 0;

    while (parts->nccl && started < parts->own_count &&
           pthread_create(&parts->own[started].thread, NULL, leave,
                          &parts->own[started]) == 0)
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(parts->own[i].thread, NULL);
    for (int i = 0; i < parts->own_count; i++)
        for (int k = 0; k < 2 * PARTS_TAGS; k++)
            free(parts->own[i].staged[k / PARTS_TAGS][k % PARTS_TAGS].data);
    nccl_free(parts->nccl);
    free(parts->id);
}
