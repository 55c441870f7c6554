#include "run/devices/overlap_messages.h"
#include "run/devices/watch.h"

bool overlap_messages_begin(struct part *p, messages_planes *planes_at)
{
    struct overlap *v = p->overlap;

    if (!messages_pack(p, planes_at, 0, &v->messages))
        return false;
    pthread_mutex_lock(&p->all->mutex);
    v->under_way = OVERLAP_BEGUN;
    pthread_cond_broadcast(&p->all->met);
    pthread_mutex_unlock(&p->all->mutex);
    return true;
}

bool overlap_messages_end(struct part *p)
{
    struct overlap *v = p->overlap;
    bool good;

    pthread_mutex_lock(&p->all->mutex);
    while (v->under_way == OVERLAP_BEGUN && !p->all->hung)
        watch_wait(p);
    good = v->under_way == OVERLAP_ENDED;
    if (v->under_way == OVERLAP_FAILED)
        lift_fail(&p->error, v->failure.code, "%s", lift_error_text(&v->failure));
    v->under_way = OVERLAP_NO_MESSAGES;
    pthread_mutex_unlock(&p->all->mutex);
    return good && messages_unpack(p, &v->messages);
}

/* The exchange has its own time limit for messages that do not arrive. */
void overlap_messages_serve(struct part *p)
{
    struct overlap *v = p->overlap;
    bool good;

    if (!v || v->under_way != OVERLAP_BEGUN)
        return;
    pthread_mutex_unlock(&p->all->mutex);
    good = messages_go(p, &v->messages, &v->failure);
    pthread_mutex_lock(&p->all->mutex);
    v->under_way = good ? OVERLAP_ENDED : OVERLAP_FAILED;
    pthread_cond_broadcast(&p->all->met);
}
