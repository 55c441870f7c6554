/* A smaller program that fails as a given one does. */
#ifndef RANDOM_SHRINK_H
#define RANDOM_SHRINK_H

#include "ast.h"

typedef bool rp_fails(void *user, const struct rp_program *p);

/* Changes 'p' in place, and leaves it such that 'fails' holds; asks at most 'tries'
 * times. Outputs, arguments, terms and declarations go, sizes become smaller. */
void rp_shrink(struct rp_program *p, int tries, rp_fails *fails, void *user);

#endif
