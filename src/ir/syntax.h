/* Text to syntax tree, before names and types are looked at. Programs, terms and the
 * patterns of rules share one expression grammar (docs/language.md): here an identifier
 * is only a name, so that a caller may give names a meaning of its own.
 *
 *     jmp_buf failed;
 *     if (setjmp(failed)) ...
 *     p = syntax_open(arena, source, errors, &failed);
 *     e = syntax_expr(p);
 *     syntax_expect(p, TOKEN_END, "the end of the text");
 *
 * The first error is reported to 'errors' and goes to 'failed': no function returns then.
 * So what is made meanwhile lives in the arena, as nodes and the names in them do. */
#ifndef IR_SYNTAX_H
#define IR_SYNTAX_H

#include "base/arena.h"
#include "ir/nat.h"
#include "ir/prim.h"
#include "lift/error.h"
#include <setjmp.h>
#include <stdint.h>

enum syntax_token_kind {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_INT,    /* integer; suffix 0, or 'i' (i32) */
    TOKEN_FLOAT,  /* number; suffix 0, 'f' (f32) or 'd' (f64) */
    TOKEN_STRING, /* text, without quotes and escapes */
    /* words that are never names */
    TOKEN_FUN,
    TOKEN_LET,
    TOKEN_IN,
    TOKEN_VAL,
    TOKEN_RETURN,
    TOKEN_IF,
    TOKEN_THEN,
    TOKEN_ELSE,
    TOKEN_TRUE,
    TOKEN_FALSE,
    /* brackets and marks */
    TOKEN_LPAREN,
    TOKEN_RPAREN,
    TOKEN_LBRACKET,
    TOKEN_RBRACKET,
    TOKEN_LBRACE,
    TOKEN_RBRACE,
    TOKEN_COMMA,
    TOKEN_SEMICOLON,
    TOKEN_COLON,
    TOKEN_DOT,
    TOKEN_DOTDOT,
    TOKEN_DOTS, /* ..., for rules */
    TOKEN_QUESTION,
    TOKEN_ASSIGN,    /* = */
    TOKEN_FATARROW,  /* => */
    TOKEN_ARROW,     /* -> */
    TOKEN_REWRITE,   /* ~>, for rules */
    TOKEN_BOTH_WAYS, /* <~>, likewise */
    TOKEN_PIPE,      /* |> */
    TOKEN_COMPOSE,   /* >> */
    /* operators */
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_STAR,
    TOKEN_SLASH,
    TOKEN_PERCENT,
    TOKEN_LT,
    TOKEN_LE,
    TOKEN_GT,
    TOKEN_GE,
    TOKEN_EQ,
    TOKEN_NE,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_COMMENT, /* seen by syntax_lex_all only */
};

struct syntax_token {
    enum syntax_token_kind kind;
    char suffix;
    struct lift_span span;
    const char *text; /* NAME, STRING */
    int64_t integer;
    double number;
};

enum syntax_kind {
    NODE_NAME,   /* text */
    NODE_INT,    /* integer, suffix */
    NODE_FLOAT,  /* number, suffix */
    NODE_BOOL,   /* integer */
    NODE_STRING, /* text */
    NODE_UNARY,  /* op: MINUS or NOT; 1 arg */
    NODE_BINARY, /* op: PLUS ... OR, PIPE, COMPOSE; 2 args */
    NODE_IF,     /* condition, then, else; also from c ? a : b */
    NODE_TUPLE,  /* 2 or more args, or a list */
    NODE_LIST,   /* 'e...': 1 arg. In calls and tuples of rules only */
    NODE_CALL,   /* args[0] is the callee, then its arguments; options */
    NODE_INDEX,  /* array, index */
    NODE_MEMBER, /* tuple; integer: which */
    NODE_LAMBDA, /* params; args[0] is the body */
    NODE_LET,    /* params[0] is the pattern; value, body; op: LET, or VAL in a block */
    NODE_TAGGED, /* text: constant, value or fill; 1 arg. Arguments of pad and inset only
                  */
    NODE_TYPE_NAME,   /* text */
    NODE_TYPE_VECTOR, /* text; 1 arg: the width */
    NODE_TYPE_TUPLE,  /* args: the members */
    NODE_TYPE_ARRAY,  /* element, length */
    NODE_TYPE_FUN,    /* args: the parameters, then the result */
    NODE_TYPE_STORE,  /* text: what the numbers of the type, 1 arg, are stored as */
};

struct syntax_node;

/* A name, or a tuple of patterns; 'type' may be NULL. */
struct syntax_param {
    const char *name;                 /* NULL: a tuple */
    const struct syntax_param *parts; /* of the tuple */
    int part_count;
    const struct syntax_node *type;
    struct lift_span span;
};

/* name=value, in the brackets after the name of a primitive. */
struct syntax_option {
    const char *name;
    const struct syntax_node *value;
    struct lift_span span;
};

struct syntax_node {
    enum syntax_kind kind;
    enum syntax_token_kind op;
    char suffix;
    bool loose_params; /* LAMBDA written '(a, b) => e': also takes one tuple */
    int height;        /* of the tree below without chains, at most SYNTAX_MAX_HEIGHT */
    int chain;         /* likewise with them, at most SYNTAX_MAX_CHAIN */
    struct lift_span span;
    const char *text;
    int64_t integer;
    double number;
    const struct syntax_node *const *args;
    int arg_count;
    const struct syntax_param *params; /* LAMBDA, LET */
    int param_count;
    const struct syntax_option *options; /* CALL */
    int option_count;
};

enum {
    SYNTAX_MAX_NESTING = 850, /* of brackets, lambdas, ifs and lets */
    SYNTAX_MAX_HEIGHT =
        1000, /* of a node; what an operator has on its left adds nothing */
    SYNTAX_MAX_CHAIN = 2200, /* operators in a row, and what they stand in */
    SYNTAX_MAX_LIST = 1000,  /* elements of one list */
};

struct syntax_parser;

/* 'source' outlives the parser. The whole text is read into tokens at once. */
struct syntax_parser *syntax_open(struct lift_arena *arena,
                                  const struct lift_source *source,
                                  struct lift_error *errors, jmp_buf *failed);
/* Of what begins at an offset; only what is before source->len is read, whatever follows.
 */
struct syntax_parser *syntax_open_at(struct lift_arena *arena,
                                     const struct lift_source *source, size_t begin,
                                     struct lift_error *errors, jmp_buf *failed);
/* What a name stands for: another name, or a number if 'word' is NULL. */
struct syntax_value {
    const char *name, *word;
    int64_t number;
};
/* A parser of its own at the same place of the same text, for which the names stand for
 * these values. */
struct syntax_parser *syntax_with(const struct syntax_parser *p,
                                  const struct syntax_value *values, int count);
/* From here on, errors go there instead. */
void syntax_fail_to(struct syntax_parser *p, jmp_buf *failed);
/* The number of the current token, and the text of those from one up to another as it was
 * written, but for comments. */
int syntax_at(const struct syntax_parser *p);
void syntax_copy(const struct syntax_parser *p, int from, int to, struct lift_str *out);

/* The current token, and the one 'ahead' after it. */
const struct syntax_token *syntax_peek(const struct syntax_parser *p);
const struct syntax_token *syntax_peek_at(const struct syntax_parser *p, int ahead);
/* Takes the current token. */
const struct syntax_token *syntax_next(struct syntax_parser *p);
/* Takes the token if it is of that kind, or that name. */
bool syntax_accept(struct syntax_parser *p, enum syntax_token_kind kind);
bool syntax_accept_word(struct syntax_parser *p, const char *word);
bool syntax_at_word(const struct syntax_parser *p, const char *word);
/* The same, or an error "expected 'what', but got ...". */
void syntax_expect(struct syntax_parser *p, enum syntax_token_kind kind,
                   const char *what);
/* A name (interned nowhere, compare with strcmp). */
const char *syntax_expect_name(struct syntax_parser *p, const char *what,
                               struct lift_span *span);
/* Report an error and do not return. */
void syntax_error(struct syntax_parser *p, struct lift_span span, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));
void syntax_expected(struct syntax_parser *p, const char *what) __attribute__((noreturn));

/* syntax_expr takes as much as it can: it ends before the first
 * token that cannot go on, e.g. TOKEN_REWRITE, ';' or a name after a complete expression.
 */
const struct syntax_node *syntax_expr(struct syntax_parser *p);
const struct syntax_node *syntax_type(struct syntax_parser *p);
/* 'store f16', if it is here: the word behind 'store' and where both are. */
const char *syntax_store(struct syntax_parser *p, struct lift_span *span);
/* '{ val x = e; ... return e }'. */
const struct syntax_node *syntax_block(struct syntax_parser *p);
/* 'a, (b, c), d: type' up to but without the closing token; at least one. */
const struct syntax_param *syntax_params(struct syntax_parser *p, int *count);

/* What sizes are made of. 'leaf' gives the value of a name, a[b] or a call; NULL: the
 * call is one of min, max and ceil, or a mistake. 'fail' reports one and does not return.
 */
struct syntax_sizes {
    struct lift_nats *nats;
    lift_nat (*leaf)(void *user, const struct syntax_node *n);
    void (*fail)(void *user, struct lift_span span, const char *text);
    void *user;
};
lift_nat syntax_size(const struct syntax_sizes *s, const struct syntax_node *n);

/* The primitive of an operator; '*swap' if its operands are exchanged (> and >=).
 * LIFT_OP_COUNT for PIPE and COMPOSE. A NODE_UNARY MINUS is LIFT_NEG, NOT is LIFT_NOT. */
enum lift_op syntax_binary_op(enum syntax_token_kind op, bool *swap);
/* A word that is never a name. */
bool syntax_is_keyword(const char *word);
/* A name without the '@' that makes it the language's own, whatever the program calls so.
 */
const char *syntax_bare(const char *name);
/* "'+'", "a name", "the end of the text": for messages. */
const char *syntax_token_name(const struct syntax_token *token, struct lift_arena *arena);

/* All tokens with the comments among them, ended by TOKEN_END; NULL and a diagnostic if
 * the text has a malformed token. */
const struct syntax_token *syntax_lex_all(struct lift_arena *arena,
                                          const struct lift_source *source, size_t begin,
                                          struct lift_error *errors, int *count);

#endif
