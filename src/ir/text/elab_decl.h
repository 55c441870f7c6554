/* The names that a file declares. */
#ifndef IR_TEXT_ELAB_DECL_H
#define IR_TEXT_ELAB_DECL_H

#include "ir/text/elab_t.h"
#include "lift/program.h"

struct decl_names {
    const struct env *env;
    const struct lift_size_setting *settings;
    int setting_count;
    bool symbolic;
    bool has_contract;
    int tunables[26]; /* number declared so far, for each letter of their keys */
    struct lift_program *program; /* receives the declarations; NULL for a term */
};

/* Reports an error if the name is in use. */
void decl_is_new(struct elab *el, const struct env *env, const char *name,
                 struct lift_span span);
/* Adds any declaration except the stencil and the time loop. */
void decl_add(struct elab *el, struct decl_names *names, const struct syntax_decl *d);

#endif
