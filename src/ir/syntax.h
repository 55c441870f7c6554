/* Parses text to a syntax tree, without resolving names or types. Programs, terms and the
 * patterns of rules share one expression grammar (docs/language.md). An identifier is
 * only a name here; each caller defines the meaning of names.
 *
 *     jmp_buf failed;
 *     if (setjmp(failed)) ...
 *     p = syntax_open(arena, source, errors, &failed);
 *     e = syntax_expr(p);
 *     syntax_expect(p, TOKEN_END, "the end of the text");
 *
 * On the first error, the parser reports to 'errors' and jumps to 'failed'. Nodes, names
 * and temporaries live in the arena, so the jump leaks no memory. */
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
    /* keywords */
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
    TOKEN_BOTH_WAYS, /* <~>, for rules */
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
    TOKEN_COMMENT, /* only from syntax_lex_all */
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
    NODE_IF,     /* args: condition and both branches; also from c ? a : b */
    NODE_TUPLE,  /* 2 or more args, or a list */
    NODE_LIST,   /* 'e...': 1 arg, only in calls and tuples of rules */
    NODE_CALL,   /* args[0] is the callee, then its arguments; options */
    NODE_INDEX,  /* array, index */
    NODE_MEMBER, /* tuple; integer: the index of the member */
    NODE_LAMBDA, /* params; args[0] is the body */
    NODE_LET,    /* params[0] is the pattern; value, body; op: LET, or VAL in a block */
    NODE_TAGGED, /* text: constant, value or fill; 1 arg. Only in pad and inset */
    NODE_TYPE_NAME,   /* text */
    NODE_TYPE_VECTOR, /* text; 1 arg: the width */
    NODE_TYPE_TUPLE,  /* args: the members */
    NODE_TYPE_ARRAY,  /* element, length */
    NODE_TYPE_FUN,    /* args: the parameters, then the result */
    NODE_TYPE_STORE,  /* 1 arg: a type; text: the storage type of its numbers */
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
    bool loose_params; /* LAMBDA '(a, b) => e': also takes one tuple */
    int height;        /* height without operator chains, at most SYNTAX_MAX_HEIGHT */
    int chain;         /* height with operator chains, at most SYNTAX_MAX_CHAIN */
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
    SYNTAX_MAX_NESTING = 850, /* nested brackets, lambdas, ifs and lets */
    SYNTAX_MAX_HEIGHT =
        1000, /* height of a node; the left operand of an operator adds no height */
    SYNTAX_MAX_CHAIN = 2200, /* operators in a row, plus the height around them */
    SYNTAX_MAX_LIST = 1000,  /* elements of one list */
};

struct syntax_parser;

/* Reads the whole text into tokens. 'source' must outlive the parser. */
struct syntax_parser *syntax_open(struct lift_arena *arena,
                                  const struct lift_source *source,
                                  struct lift_error *errors, jmp_buf *failed);
/* As syntax_open, from offset 'begin' to source->len. */
struct syntax_parser *syntax_open_at(struct lift_arena *arena,
                                     const struct lift_source *source, size_t begin,
                                     struct lift_error *errors, jmp_buf *failed);
/* The replacement of a name: another name 'word', or 'number' if 'word' is NULL. */
struct syntax_value {
    const char *name, *word;
    int64_t number;
};
/* A separate parser at the current token of 'p', in which these values replace names. */
struct syntax_parser *syntax_with(const struct syntax_parser *p,
                                  const struct syntax_value *values, int count);
/* Later errors jump to 'failed'. */
void syntax_fail_to(struct syntax_parser *p, jmp_buf *failed);
/* syntax_at: the number of the current token. syntax_copy appends the source text of the
 * tokens 'from' to 'to', without comments. */
int syntax_at(const struct syntax_parser *p);
void syntax_copy(const struct syntax_parser *p, int from, int to, struct lift_str *out);

/* The current token, and the token 'ahead' positions later. */
const struct syntax_token *syntax_peek(const struct syntax_parser *p);
const struct syntax_token *syntax_peek_at(const struct syntax_parser *p, int ahead);
/* Takes the current token. */
const struct syntax_token *syntax_next(struct syntax_parser *p);
/* Takes the current token if the kind, or the word, matches. */
bool syntax_accept(struct syntax_parser *p, enum syntax_token_kind kind);
bool syntax_accept_word(struct syntax_parser *p, const char *word);
bool syntax_at_word(const struct syntax_parser *p, const char *word);
/* Takes a token of this kind; otherwise reports "expected 'what', but got ...". */
void syntax_expect(struct syntax_parser *p, enum syntax_token_kind kind,
                   const char *what);
/* Takes a name, which is not interned: compare with strcmp. */
const char *syntax_expect_name(struct syntax_parser *p, const char *what,
                               struct lift_span *span);
/* Report an error and do not return. */
void syntax_error(struct syntax_parser *p, struct lift_span span, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));
void syntax_expected(struct syntax_parser *p, const char *what) __attribute__((noreturn));

/* Takes the longest expression. The expression ends before the first token that cannot
 * extend an expression, e.g. TOKEN_REWRITE, ';' or a name after a complete expression. */
const struct syntax_node *syntax_expr(struct syntax_parser *p);
const struct syntax_node *syntax_type(struct syntax_parser *p);
/* Takes an optional 'store f16'. Returns the word after 'store' and the span of both.
 * NULL: the clause is absent. */
const char *syntax_store(struct syntax_parser *p, struct lift_span *span);
/* Takes '{ val x = e; ... return e }'. */
const struct syntax_node *syntax_block(struct syntax_parser *p);
/* Takes 'a, (b, c), d: type' up to the closing token, which stays; at least one
 * parameter. */
const struct syntax_param *syntax_params(struct syntax_parser *p, int *count);

/* The context of a size. 'leaf' returns the value of a name, of a[b] or of a call. NULL:
 * the call is min, max, ceil or an error. 'fail' reports an error and does not return. */
struct syntax_sizes {
    struct lift_nats *nats;
    lift_nat (*leaf)(void *user, const struct syntax_node *n);
    void (*fail)(void *user, struct lift_span span, const char *text);
    void *user;
};
lift_nat syntax_size(const struct syntax_sizes *s, const struct syntax_node *n);

/* The primitive of an operator. '*swap' is true if its operands are exchanged (> and
 * >=). LIFT_OP_COUNT for PIPE and COMPOSE. A NODE_UNARY MINUS is LIFT_NEG, NOT is
 * LIFT_NOT. */
enum lift_op syntax_binary_op(enum syntax_token_kind op, bool *swap);
/* True for a word that cannot be a name. */
bool syntax_is_keyword(const char *word);
/* A name without its '@'. The '@' selects the language's meaning of a name that the
 * program redefines. */
const char *syntax_bare(const char *name);
/* The token in messages: "'+'", "a name", "the end of the text". */
const char *syntax_token_name(const struct syntax_token *token, struct lift_arena *arena);

/* All tokens including comments, ended by TOKEN_END. Returns NULL and reports an error if
 * the text has a malformed token. */
const struct syntax_token *syntax_lex_all(struct lift_arena *arena,
                                          const struct lift_source *source, size_t begin,
                                          struct lift_error *errors, int *count);

#endif
