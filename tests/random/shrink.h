/* A smaller program that fails as a given one does. */
#ifndef RANDOM_SHRINK_H
#define RANDOM_SHRINK_H

#include "ast.h"

typedef bool rp_fails(void *user, const struct rp_program *p);

/* Shrinks 'p' in place while 'fails' holds, with at most 'calls' calls of 'fails'.
 * Outputs, arguments, terms and declarations are removed, sizes become smaller. */
void rp_shrink(struct rp_program *p, int calls, rp_fails *fails, void *user);

#endif
