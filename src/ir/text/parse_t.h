/* Shared by the files of the parser. */
#ifndef IR_TEXT_PARSE_T_H
#define IR_TEXT_PARSE_T_H

#include "ir/syntax.h"

struct syntax_parser {
    struct lift_arena *arena;
    const struct lift_source *source;
    struct lift_error *errors;
    struct syntax_token *tokens; /* without comments */
    int count, at;
    size_t last_end; /* end offset of the last token taken */
    int nesting;
    jmp_buf *failed;
    struct syntax_token end;
};

struct parse_list {
    const struct syntax_node **items;
    int count, cap;
};

/* Limit recursion to protect the C stack; each parse_enter needs a parse_leave. */
void parse_enter(struct syntax_parser *p);
void parse_leave(struct syntax_parser *p);
void parse_push(struct syntax_parser *p, struct parse_list *list,
                const struct syntax_node *node);
/* A node from 'begin' to the last token taken. */
struct syntax_node *parse_node(struct syntax_parser *p, enum syntax_kind kind,
                               size_t begin, const struct parse_list *args);
/* Nodes with one or two arguments. */
struct syntax_node *parse_node1(struct syntax_parser *p, enum syntax_kind kind,
                                size_t begin, const struct syntax_node *a);
struct syntax_node *parse_node2(struct syntax_parser *p, enum syntax_kind kind,
                                size_t begin, const struct syntax_node *a,
                                const struct syntax_node *b);

/* parse_binding.c. The parser reads the pattern before an arrow as an expression 'head',
 * and parse_arrow_lambda converts the expression. */
bool parse_at_arrow(const struct syntax_parser *p);
const struct syntax_node *parse_arrow_lambda(struct syntax_parser *p,
                                             const struct syntax_node *head);
const struct syntax_node *parse_fun_lambda(struct syntax_parser *p);
const struct syntax_node *parse_let(struct syntax_parser *p);

#endif
