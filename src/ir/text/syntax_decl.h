/* The declarations of programs and terms, as syntax. */
#ifndef IR_TEXT_SYNTAX_DECL_H
#define IR_TEXT_SYNTAX_DECL_H

#include "ir/syntax.h"

enum syntax_decl_kind {
    DECL_CONTRACT,  /* integer: 1 for exact */
    DECL_PRECISION, /* integer: 1 for double */
    DECL_SIZE,      /* name, value or NULL, range */
    DECL_TUNABLE,   /* name, range */
    DECL_PARAM,     /* name, type, value or NULL */
    DECL_INPUT,     /* name, type */
    DECL_CONST,     /* name, value */
    DECL_TYPE,      /* name, type */
    DECL_FUN,       /* name, value: 'fun f(x) = e' is 'val f = fun(x => e)' */
    DECL_CFUN,      /* name, type: of the result; params; text: the body */
    DECL_STENCIL,   /* name, value: a NODE_LAMBDA; names: the outputs */
    DECL_TIME,      /* names: the inputs; sources */
    DECL_STEPS,     /* integer; name.span is the place */
};

struct syntax_name {
    const char *text;
    struct lift_span span;
    const char *store; /* storage type of an output, or NULL */
    struct lift_span store_span;
};

struct syntax_names {
    const struct syntax_name *items;
    int count;
};

struct syntax_decl {
    enum syntax_decl_kind kind;
    struct lift_span span;
    struct syntax_name name; /* "" for an anonymous stencil */
    const struct syntax_node *type, *value;
    const struct syntax_param *params;
    int param_count;
    const char *text;
    struct lift_span text_span; /* including the quotes */
    int64_t integer, lo, hi;    /* INT64_MIN and INT64_MAX: no bound */
    struct syntax_names names, sources;
};

struct syntax_file {
    const struct syntax_decl *decls;
    int count;
    const struct syntax_node *body; /* expression of a term; NULL in a program */
};

/* Parses the whole text. */
struct syntax_file syntax_program(struct syntax_parser *p);
struct syntax_file syntax_term(struct syntax_parser *p);

#endif
