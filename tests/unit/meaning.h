/* Terms derived from a program, compared with the program by the interpreter. */
#ifndef LIFT_TESTS_MEANING_H
#define LIFT_TESTS_MEANING_H

#include "explore/candidate_space.h"
#include "explore/trial/interpret.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEANING_SEED = 7, MEANINGS = 16 };

/* Cached results of programs at sizes, since many terms are compared with the same
 * program. */
static struct meaning {
    char *program;
    int64_t sizes[EXPLORE_MAX_NUMBERS];
    struct explore_answer answer;
} meanings[MEANINGS];

static inline bool meaning_is(const struct meaning *m, const struct explore_problem *p,
                              const struct explore_numbers *n)
{
    return m->program && strcmp(m->program, p->text) == 0 &&
           memcmp(m->sizes, n->values, (size_t)n->size_count * sizeof *n->values) == 0;
}

/* The program's results at these sizes; valid until sixteen further calls. */
static inline const struct explore_answer *meaning_of(const struct explore_problem *p,
                                                      const struct explore_numbers *n)
{
    struct explore_question question = {
        .problem = p, .term = p->root, .numbers = &n->env, .seed = MEANING_SEED};
    static int turn;
    struct lift_str why = {0};
    struct meaning *m;

    for (int i = 0; i < MEANINGS; i++)
        if (meaning_is(&meanings[i], p, n))
            return &meanings[i].answer;
    m = &meanings[turn++ % MEANINGS];
    if (m->program)
        explore_answer_fini(&m->answer);
    free(m->program);
    m->program = strdup(p->text);
    memcpy(m->sizes, n->values, (size_t)n->size_count * sizeof *n->values);
    if (!explore_interpret(&question, &m->answer, &why))
        fail_msg("%s", lift_str_get(&why));
    lift_str_fini(&why);
    return &m->answer;
}

/* Checks that the term of a candidate space equals its program. */
static inline void assert_means(const struct explore_problem *p,
                                const struct candidate_space *candidates,
                                const struct explore_numbers *n)
{
    struct explore_question question = {
        .problem = p, .term = candidates->term, .numbers = &n->env, .seed = MEANING_SEED};
    const struct explore_answer *want = meaning_of(p, n);
    struct explore_answer got;
    struct lift_str why = {0};

    if (!explore_interpret(&question, &got, &why))
        fail_msg("%s", lift_str_get(&why));
    assert_int_equal(want->count, got.count);
    for (int i = 0; i < want->count; i++) {
        assert_int_equal(want->leaves[i].count, got.leaves[i].count);
        for (int64_t k = 0; k < want->leaves[i].count; k++)
            assert_true(fabs(want->data[i][k] - got.data[i][k]) <= 1e-12);
    }
    explore_answer_fini(&got);
    lift_str_fini(&why);
}

#endif
