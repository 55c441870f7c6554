/* Words for a shell. */
#ifndef CLI_SHELL_H
#define CLI_SHELL_H

#include "lift/str.h"

/* Appends 'word' so that a POSIX shell reads it as one word. */
void cli_quote(struct lift_str *out, const char *word);

#endif
