/* How many programs have each form of the language. */
#ifndef RANDOM_STATISTICS_H
#define RANDOM_STATISTICS_H

#include "ast.h"

enum { RP_FORMS = 40 };

struct rp_statistics {
    int programs, count[RP_FORMS];
};

/* 'at_once': a plan uses temporal blocking. */
void rp_count(struct rp_statistics *s, const struct rp_program *p, bool at_once);
void rp_statistics_print(const struct rp_statistics *s);

#endif
