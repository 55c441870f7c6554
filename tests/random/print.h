/* A program as .lift text. How it is written (loops of maps or map2, patterns, pipes,
 * named functions, blocks) is chosen by the 'style' of its nodes. */
#ifndef RANDOM_PRINT_H
#define RANDOM_PRINT_H

#include "ast.h"
#include "base/str.h"

void rp_print(const struct rp_program *p, struct lift_str *out);
/* print_time.c: a part of it. */
void rp_print_time(const struct rp_program *p, struct lift_str *out);

#endif
