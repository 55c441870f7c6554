/* Between the files of the evaluator. */
#ifndef RANDOM_EVAL_CORE_H
#define RANDOM_EVAL_CORE_H

#include "base/bug.h"
#include "eval.h"

enum { PATH = 40 };

/* Where an element is: indices and numbers of members; the last one is the outermost. */
struct path {
    int n, at[PATH];
};

static inline void push(struct path *p, int i)
{
    LIFT_ASSERT(p->n < PATH);
    p->at[p->n++] = i;
}

static inline int pop(struct path *p)
{
    LIFT_ASSERT(p->n > 0);
    return p->at[--p->n];
}

static inline void push_all(struct path *p, const int *i, int count)
{
    while (count > 0)
        push(p, i[--count]);
}

static inline void pop_all(struct path *p, int *i, int count)
{
    for (int k = 0; k < count; k++)
        i[k] = pop(p);
}

struct frame;

struct rp_num rp_eval(struct rp_run *r, const struct rp_expr *e, const struct frame *env,
                      const struct path *path);
/* eval_points.c */
struct rp_num rp_eval_inject(struct rp_run *r, const struct rp_expr *e,
                             const struct frame *env, const struct path *path);
struct rp_num rp_eval_sample(struct rp_run *r, const struct rp_expr *e,
                             const struct frame *env, struct path path);

#endif
