#include "run/devices/overlap_messages.h"
#include "run/devices/watch.h"

bool overlap_post(struct part *p, messages_planes *planes_at)
{
    struct overlap *v = p->overlap;

    if (!messages_pack(p, planes_at, &v->mail))
        return false;
    pthread_mutex_lock(&p->all->mutex);
    v->post = OVERLAP_POSTED;
    pthread_cond_broadcast(&p->all->met);
    pthread_mutex_unlock(&p->all->mutex);
    return true;
}

bool overlap_collect(struct part *p)
{
    struct overlap *v = p->overlap;
    bool good;

    pthread_mutex_lock(&p->all->mutex);
    while (v->post == OVERLAP_POSTED && !p->all->hung)
        watch_wait(p);
    good = v->post == OVERLAP_CAME;
    if (v->post == OVERLAP_LOST)
        p->error = v->lost;
    v->post = OVERLAP_NO_POST;
    pthread_mutex_unlock(&p->all->mutex);
    return good && messages_unpack(p, &v->mail);
}

/* A message that does not come is its own time limit. */
void overlap_serve(struct part *p)
{
    struct overlap *v = p->overlap;
    bool good;

    if (!v || v->post != OVERLAP_POSTED)
        return;
    pthread_mutex_unlock(&p->all->mutex);
    good = messages_go(p, &v->mail, &v->lost);
    pthread_mutex_lock(&p->all->mutex);
    v->post = good ? OVERLAP_CAME : OVERLAP_LOST;
    pthread_cond_broadcast(&p->all->met);
}
