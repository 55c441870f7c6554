/* Views: how a primitive maps the path of an element. The entry of a primitive in
 * src/ir/array_prims.def maps a path into the result to a path into an argument, and
 * back. Paths use any index arithmetic: nats in code generation, linear functions of loop
 * variables in estimates. */
#ifndef IR_VIEW_H
#define IR_VIEW_H

#include "ir/expr.h"

typedef const struct lift_access *lift_access;
typedef const struct lift_dest *lift_dest;

/* The path to an element, outermost step first: an index into an array or a member of a
 * tuple, followed by the remaining path. NULL: the whole value. Immutable. */
struct lift_access {
    const void *index; /* an index of the path's arithmetic; NULL: a member */
    int member;
    lift_access next;
};

lift_access lift_access_index(struct lift_arena *arena, const void *index,
                              lift_access next);
lift_access lift_access_member(struct lift_arena *arena, int member, lift_access next);
/* Concatenates 'head' and 'tail'. */
lift_access lift_access_append(struct lift_arena *arena, lift_access head,
                               lift_access tail);
/* The type of the element at a path into a value of type 't'. */
lift_type lift_access_type(lift_type t, lift_access path);

/* How ir/walk.c evaluates an element of a primitive: WALK(word, view). A view moves
 * elements and computes nothing. */
#define LIFT_WALKS(WALK)                                                                 \
    WALK(SCALAR, false) /* arithmetic on the values of all arguments */                  \
    WALK(NAT, false)                                                                     \
    WALK(SELECT, false)                                                                  \
    WALK(VIEW, true) /* an element of one argument, by the move alone */                 \
    WALK(MAP, false)                                                                     \
    WALK(REDUCE, false)                                                                  \
    WALK(ITERATE, false)                                                                 \
    WALK(LET, false)                                                                     \
    WALK(WINDOWS, false) /* mapSeqSlide */                                               \
    WALK(PAD, true)      /* by the move; outside the argument by another index */        \
    WALK(PAD_VALUE, true)                                                                \
    WALK(PAD_STORED, true)                                                               \
    WALK(INSET, true)   /* by the move; outside, by another argument */                  \
    WALK(CONCAT, true)  /* by the move of the argument that contains the element */      \
    WALK(ARRAY, false)  /* a function of the index */                                    \
    WALK(REORDER, true) /* the element at a computed index */                            \
    WALK(INJECT, false) /* by the move, plus the values that points add */               \
    WALK(STORED, false)                                                                  \
    WALK(VECTOR, true) /* the lanes by the move */                                       \
    WALK(LANE, true)   /* a lane of a vector, by the move */

enum lift_walk {
#define WALK(word, view) LIFT_WALK_##word,
    LIFT_WALKS(WALK)
#undef WALK
        LIFT_WALK_COUNT
};

enum lift_walk lift_walk_of(enum lift_op op);
bool lift_op_is_view(enum lift_op op);

/* The relation of paths into the result and paths into an argument. */
enum lift_move {
#define MOVE(move) LIFT_MOVE_##move,
#include "ir/array_prims.def"
};

/* The elements of an argument that have a place in the stored result. */
enum lift_keeps {
    LIFT_KEEPS_NONE,   /* no result is stored through the argument */
    LIFT_KEEPS_ALL,    /* all */
    LIFT_KEEPS_FIRST,  /* x[i] for i < n */
    LIFT_KEEPS_LATER,  /* x[i] for i >= n */
    LIFT_KEEPS_BORDER, /* x[i] for i < n and i >= n + size */
    LIFT_KEEPS_AROUND, /* x[i][j] outside of the box */
    LIFT_KEEPS_ROWS,   /* all, but rows overlap; overlapping elements are equal */
};

/* A node as a view of one of its arguments. */
struct lift_view {
    enum lift_move move;
    enum lift_keeps keeps;
    int k; /* GET; ZIP and PART: the argument */
    lift_nat n, size, whole;
    int dims; /* BOX: the place of the last argument in the result */
    lift_nat first[LIFT_MAX_NATS], count[LIFT_MAX_NATS];
};

/* The view of argument 'slot' of a node. To read from zips and tuples, any slot is
 * valid. */
void lift_view_of(lift_expr node, int slot, struct lift_view *out);
/* The argument through which the result is stored. LIFT_MOVES_EACH: all arguments, which
 * occupy separate places of the result. */
enum { LIFT_MOVES_NONE = -1, LIFT_MOVES_EACH = -2 };
int lift_view_moved(enum lift_op op);

/* An index arithmetic. All indices given and returned are of this arithmetic, never NULL.
 */
struct lift_index_ops {
    const void *(*number)(void *user, lift_nat n);
    /* i + n, or i - n */
    const void *(*add)(void *user, const void *i, lift_nat n, bool minus);
    /* As in LIFT_MOVE_MERGE. */
    const void *(*merge)(void *user, const struct lift_view *v, const void *i,
                         const void *j);
    /* As in LIFT_MOVE_CUT. */
    void (*cut)(void *user, const struct lift_view *v, const void *i, const void **row,
                const void **rest);
    /* Called if a path is too short, or of the wrong kind. Returns any index, or does not
     * return. */
    const void *(*misfit)(void *user);
};

struct lift_indices {
    const struct lift_index_ops *ops;
    void *user;
    struct lift_arena *arena; /* takes memory for paths */
};

/* Reading: maps a path into the result of a node to a path into argument 'slot'. */
lift_access lift_view_read(const struct lift_indices *x, lift_expr node, int slot,
                           lift_access path);
/* Maps only the first index, for a node whose move changes no other index. */
const void *lift_view_index(const struct lift_indices *x, lift_expr node, int slot,
                            const void *i);
/* The argument that a path into a node selects, if the path determines the argument. */
int lift_view_argument(enum lift_op op, lift_access path);
/* Writing: maps a path into the argument to a path into the result. */
lift_access lift_view_out(const struct lift_indices *x, const struct lift_view *v,
                          lift_access path);

/* A destination: the place where the elements of a value are stored. Destinations form a
 * chain that ends in memory. */
enum lift_dest_kind {
    LIFT_DEST_MEM,
    LIFT_DEST_HERE,   /* the end of the chain inside a MAP */
    LIFT_DEST_AT,     /* element 'at' of the parent */
    LIFT_DEST_MEMBER, /* member 'k' of the parent */
    LIFT_DEST_VIEW,   /* the parent stores the value seen through 'view' */
    LIFT_DEST_MAP,    /* [i] rest is [i] (rest through 'inner') */
    LIFT_DEST_EACH,   /* .k rest is rest through destination 'each[k]' */
};

struct lift_dest {
    enum lift_dest_kind kind;
    lift_dest parent; /* NULL: MEM, HERE, EACH */
    union {
        const void *mem;
        const void *at; /* an index */
        int k;
        struct lift_view view;
        lift_dest inner;
        const lift_dest *each; /* by member */
    } u;
};

lift_dest lift_dest_mem(struct lift_arena *arena, const void *mem);
lift_dest lift_dest_at(struct lift_arena *arena, lift_dest parent, const void *index);
lift_dest lift_dest_member(struct lift_arena *arena, lift_dest parent, int k);
/* A destination whose tuple members have different places; 'each' belongs to the
 * caller. */
lift_dest lift_dest_each(struct lift_arena *arena, const lift_dest *each);
/* True if the chain ends in separate destinations for each member. */
bool lift_dest_parts(lift_dest dest);
/* The destination of argument 'slot' of a node whose destination is 'dest'. NULL if the
 * node does more than move elements. */
lift_dest lift_dest_into(struct lift_arena *arena, lift_expr node, int slot,
                         lift_dest dest);

/* Receives each conditional view (FIRST, LATER, BORDER, AROUND, ROWS) on a path to the
 * memory. 'argument' is the path before the view, 'result' the path after the view. */
struct lift_conditions {
    void (*each)(void *user, const struct lift_view *v, lift_access argument,
                 lift_access result);
    void *user;
};
/* Maps 'path' to a path into the memory at the end of the chain; '*mem' is the memory of
 * LIFT_DEST_MEM. */
lift_access lift_dest_follow(const struct lift_indices *x, lift_dest dest,
                             lift_access path, const struct lift_conditions *conditions,
                             const void **mem);

#endif
