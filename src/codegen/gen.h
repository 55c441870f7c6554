/* The generator: from a low-level term to the kernel AST. Private to src/codegen.
 *
 * Reading: 'cg_read' gives the scalar at the end of a path (indices and tuple
 * projections) into the value of an expression. Views only rewrite the path, so that they
 * cost nothing. Writing: 'cg_write' emits the loops that compute an expression into a
 * destination, which is a chain of index transformations that ends in memory. */
#ifndef CODEGEN_GEN_H
#define CODEGEN_GEN_H

#include "base/table.h"
#include "codegen/kast.h"
#include "ir/walk.h"

/* Buffers of a value of some type: one for each scalar leaf, tuples apart. */
struct mem {
    lift_type type;
    struct kbuffer **leaves;
    int leaf_count;
    const lift_dest *passed; /* by member: where it is stored at once; NULL: here */
};

struct window;

/* Elements of the vectors that rows in shared memory consist of: 16 bytes of f32. */
enum { CG_VECTOR = 4 };

enum { CG_READS = 10 * 1000 * 1000 }; /* expressions read: some seconds */
enum { CG_FACTS = 64, CG_MEANT = 16, CG_GUARDS = 16, CG_WISHES = 32, CG_TENSORS = 16 };

/* What would have to be >= 0 for a read to be as simple as it could be: reads note it
 * and go on as if it were a fact. */
struct wishes {
    lift_nat items[CG_WISHES];
    int count;            /* CG_WISHES: there were more */
    int of_any;           /* so many say only that an element has a meaning */
    struct edges *zeroes; /* NULL: pads by zero are as others */
};

/* Pads by zero that reads took for parts of their arrays: position 'at' of 'length'. */
enum { CG_EDGES = 8 };

struct edges {
    lift_nat at[CG_EDGES], length[CG_EDGES];
    int count; /* CG_EDGES: there may be more */
};

/* While what may lie beyond an array is read: see beyond.c. */
struct beyond {
    int depth;   /* of arrays inside arrays */
    bool failed; /* there is something on the way that cannot be read so */
};

/* Materialised values and lets, by expression and environment. */
struct memo {
    lift_expr expr;
    lift_env env;
    struct lift_bound value;
    const struct memo *next;
};

/* The index of a mapLcl loop of one iteration a work-item: the same variable in all such
 * loops of a kernel that have this dimension and extent. */
struct own_index {
    lift_nat var;
    int dim;
    int64_t extent;
};

enum { CG_OWN_INDICES = 64 };

/* The loops around whose iterations threads share, the innermost first. */
struct shared_loop {
    lift_nat index;
    int more; /* loops inside that the same pragma may take */
    const struct shared_loop *around;
};

struct cg_shape; /* layout.c */

/* A name of the text that stands for something of the program. */
struct cg_taken {
    const char *name;
    const struct cg_taken *next;
};

struct gen {
    struct lift_walker walker;
    struct lift_ir *ir;
    struct lift_arena *arena;
    struct lift_nats *nats;
    const struct lift_codegen_options *options;
    struct lift_str *why;
    bool failed;
    struct lift_bind *binds;
    int bind_count;
    int param_bind;          /* of the first parameter; the others follow */
    struct cg_shape *shapes; /* of arrays whose layout the term sets */
    int in_place_count;      /* inPlace nodes of the term */
    struct mem *inputs;
    struct kernel *kernel;
    struct kblock *block; /* where statements go */
    lift_nat facts[CG_FACTS];
    int fact_count;
    lift_nat meant[CG_MEANT]; /* so where the value in hand is of use: see beyond.c */
    int meant_count;
    const struct memo *memos;
    struct window *windows; /* being generated, the innermost first */
    int recorded;           /* reads of windows so far that had no value yet */
    int arm; /* what is read is the first or the second alternative of a test that is a
              * branch (tests=once); 0: of none */
    struct own_index own[CG_OWN_INDICES];
    int own_count;
    unsigned around; /* enum lift_around */
    const struct shared_loop *shared;
    bool part_of_unrolled; /* inside straight-line code with a test for each element */
    bool async;            /* stores may be asynchronous: see events.c */
    kx wanted; /* where this holds, the next of them stores what has a meaning;
                * NULL: everywhere */
    struct wishes *wishes;          /* NULL: none are noted */
    struct beyond *beyond;          /* NULL: what is read is there */
    const struct mem *point_blocks; /* where an 'inject' looks for points; NULL: at all */
    int64_t reads;                  /* of expressions so far */
    int var_count, buffer_count;
    const struct cg_taken *taken; /* identifiers of names of the program */
};

/* What is restored when a statement's body ends. */
struct scope {
    struct kblock *block;
    const struct memo *memos;
    int fact_count;
    unsigned around;
    const struct shared_loop *shared;
};

/* The first failure is kept. Returns a value of the type, so that the caller can go on.
 */
kx cg_fail(struct gen *g, lift_type type, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct scope cg_enter(struct gen *g, struct kblock *block);
void cg_leave(struct gen *g, struct scope scope);
void cg_emit(struct gen *g, struct ks *stmt);
/* Fills a block anew: 'each' emits what becomes of a statement, and maybe of some behind
 * it, and returns the first that is left. */
void cg_refill(struct gen *g, struct kblock *block,
               struct ks *(*each)(void *user, struct ks *s), void *user);
/* Emits an 'if' and makes its body the current block. */
struct ks *cg_open_if(struct gen *g, kx cond);
void cg_assume(struct gen *g, lift_nat nonneg);
/* What the comparisons of indices say in a condition that holds. */
void cg_assume_cond(struct gen *g, kx cond);
/* 'n' made simpler by what is known. */
lift_nat cg_by_facts(const struct gen *g, lift_nat n);
lift_access cg_index(struct gen *g, lift_nat index, lift_access next);
lift_access cg_member(struct gen *g, int member, lift_access next);
int64_t cg_const(struct gen *g, lift_nat n, const char *what);
/* Declares a variable with this value, unless it is trivial. */
kx cg_variable(struct gen *g, const char *hint, kx value);

/* names.c */
/* What stands for a name of the program where nothing else of the program has it. */
const char *cg_escaped(struct lift_arena *arena, const char *name);
/* The same, and it is taken from now on; another one if it was. */
const char *cg_identifier(struct gen *g, const char *wanted);
/* Fresh names; loop indices are nats of their range. */
const char *cg_name(struct gen *g, const char *hint);
lift_nat cg_index_var(struct gen *g, const char *hint, int64_t extent);
/* The index of the items of a group in dimension 'dim', if they have 'extent' turns. */
lift_nat cg_item_var(struct gen *g, int dim, int64_t extent);

/* mem.c */
int cg_leaf_count(lift_type t);
const struct mem *cg_mem(struct gen *g, lift_type type, enum kspace space,
                         const char *name);
struct kbuffer *cg_locate(struct gen *g, const struct mem *mem, lift_access path,
                          lift_nat *at);
kx cg_load(struct gen *g, const struct mem *mem, lift_access path, lift_type type);
void cg_use_buffer(struct gen *g, struct kbuffer *buffer, bool write);
/* Whether its buffers are written is what it does with them, whatever other kernels do.
 */
void cg_note_written(const struct kernel *k);

/* length.c */
/* Counts a read; false if there were too many, or the kernel has failed anyway. */
bool cg_may_read(struct gen *g);
kx cg_too_many_reads(struct gen *g, lift_type type);

/* module.c */
/* A local array becomes a temporary of the module. */
void cg_bind_temp(struct gen *g, struct kbuffer *b);

/* layout.c */
/* Finds what the term says of the layout of its inputs and outputs. */
void cg_find_layouts(struct gen *g, lift_expr body);
/* Gives the buffers of a value in global memory their layouts. */
void cg_lay_out(struct gen *g, const struct mem *mem, bool filled);
/* A line for each buffer that a caller cannot fill without knowing more than its size. */
void cg_print_layouts(const struct gen *g, struct lift_str *out);

/* together.c */
/* Emits the statements of some blocks, the points of straight-line code, by what they
 * load; block after block where they are more than simple statements. */
void cg_emit_together(struct gen *g, const struct kblock *points, int count);

/* in_place.c */
/* The term below what only says how its value is stored. */
lift_expr cg_below_layout(lift_expr e);
/* Buffers of the result become those of inputs where the term says so. */
void cg_share_buffers(struct gen *g, const struct mem *output, lift_expr body);
/* True for a buffer of an input in which a result is stored. */
bool cg_is_overwritten(const struct gen *g, const struct kbuffer *buffer);
/* passed.c: the memory of a name, but for members of a tuple that 'rest', which goes to
 * 'to', only copies: these are stored there at once. */
const struct mem *cg_pass_members(struct gen *g, const struct mem *mem, lift_expr rest,
                                  lift_dest to);
/* Where a value goes whose memory that is. */
lift_dest cg_dest_of(struct gen *g, const struct mem *mem);
/* Whether this part of a result is there already. */
bool cg_is_passed(lift_expr e, lift_env env);
/* Fails if an element of such an input may be read after it was overwritten. */
void cg_check_in_place(struct gen *g, const struct mem *output,
                       const struct kernel *kernels, int count);

/* passes/reuse.c: stages that are results become these; temporaries share memory. Returns
 * the number of kernels that are left. */
int cg_reuse_buffers(struct gen *g, const struct mem *output, struct kernel *kernels,
                     int count);

/* launch.c: the groups and work-items that its loops need. */
struct lift_launch cg_launch(const struct gen *g, const struct kernel *k);
/* The local memory of a group, and whether the launch asks for it. */
void cg_measure_local(const struct gen *g, const struct kernel *k,
                      struct lift_kernel *out);

/* What a kernel moves, behind its passes: passes/moved.c. */
void cg_measure_moved(const struct gen *g, const struct kernel *k,
                      struct lift_kernel *out);

/* indices.c: how views compute with nats, under the facts of the current place. */
extern const struct lift_index_ops cg_index_ops;

/* read.c */
extern const struct lift_walk_ops cg_code_ops;
kx cg_read(struct gen *g, lift_expr e, lift_env env, lift_access path);
/* The same, if the value is known not to come from a window. */
kx cg_read_here(struct gen *g, lift_expr e, lift_env env, lift_access path);
/* All scalars of it are the literal zero. */
bool cg_is_zero(lift_expr value);

/* An i32 value as an index: symbolic if it is, else a variable of the range 0 .. n - 1,
 * which it has by the meaning of the primitive. */
lift_nat cg_as_index(struct gen *g, kx x, int64_t n);

/* inject.c */
/* An element of an 'inject', with what is added to it. */
kx cg_read_injected(struct gen *g, lift_expr e, lift_env env, lift_access path);
/* Where blocks of its points lie, for its kernel; NULL: that looks at all points. */
lift_type cg_injected_blocks(struct gen *g, lift_expr e);
void cg_write_blocks(struct gen *g, lift_expr e, lift_env env, lift_dest dest);
/* The elements of an 'inject' in the midst of a kernel, one by one. */
void cg_write_injected_here(struct gen *g, lift_expr e, lift_env env, lift_dest dest);
/* Adds what an 'inject' adds to the elements of its grid, which are in 'dest'. */
void cg_write_injected(struct gen *g, lift_expr e, lift_env env, lift_dest dest);

/* gen.c */
const struct lift_bound *cg_remembered(const struct gen *g, lift_expr e, lift_env env);
void cg_remember(struct gen *g, lift_expr e, lift_env env, struct lift_bound value);

/* read_choice.c */
/* The index function of a pad, by minima and maxima that vanish where the ranges show
 * that the index is inside. */
lift_nat cg_reindex(enum lift_pad_kind kind, lift_nat j, lift_nat n);
/* The nearest of the positions 0 .. n - 1. */
lift_nat cg_clamp_to(struct gen *g, lift_nat j, lift_nat n);
/* True also for what is noted as a wish: then it is a fact from here on. */
bool cg_holds_or_wished(struct gen *g, lift_nat n);
/* True if 0 <= j <= last is known. */
bool cg_is_inside(const struct gen *g, lift_nat j, lift_nat last);

/* One side of a choice: reads under the facts of that side. Statements that the reading
 * needs would run on the other side too, so then 'safe' (an index that is always in
 * range) is used instead of 'at'. */
struct side {
    lift_expr expr;
    lift_env env;
    lift_access path;
    lift_nat at, safe; /* NULL: 'path' is complete */
};

kx cg_read_side(struct gen *g, const struct side *s, const lift_nat *facts, int count);
/* 'inside' where 0 <= j < n, else 'outside'. */
kx cg_choose(struct gen *g, lift_nat j, lift_nat n, const struct side *inside,
             const struct side *outside);
/* Element 'path' of an 'insetBox': of the box, or of what is around it. */
kx cg_read_box(struct gen *g, lift_expr e, lift_env env, lift_access path);

/* beyond.c */
/* Element 'j' of 'e', or anything where there is none: in streams that work-items share
 * out, conditions on the way may be taken as they are inside. */
kx cg_read_any(struct gen *g, lift_expr e, lift_env env, lift_nat j, lift_access path);
/* 'n' >= 0, which may be taken as it is wherever the value in hand is of use. */
kx cg_meant_ge0(const struct gen *g, lift_nat n);
/* What is known at a place, and what is meant there. */
struct known {
    lift_nat facts[CG_FACTS], meant[CG_MEANT];
    int fact_count, meant_count;
};
/* Leaves the first 'facts' facts, and nothing that is meant, for code that stands
 * elsewhere; what it learns takes the place of the rest, until 'cg_know'. */
struct known cg_forget(struct gen *g, int facts);
void cg_know(struct gen *g, const struct known *k);

/* reduce.c */
/* The accumulator after a reduction, which is computed once. */
struct lift_bound cg_reduced(struct gen *g, lift_expr e, lift_env env);

/* dest.c */
/* Follows a path to memory; what must be >= 0 for the store to happen goes to 'guards'.
 */
lift_access cg_follow(struct gen *g, lift_dest dest, lift_access path,
                      const struct mem **mem, lift_nat guards[CG_GUARDS],
                      int *guard_count);
/* What must be >= 0 to store the leaves of a value of this type, over variables that
 * stand for any index or lane. Returns the number. */
int cg_guards(struct gen *g, lift_dest dest, lift_type type, lift_nat guards[CG_GUARDS]);
/* Opens an 'if' for the guards of storing a value of this type that are known already. */
void cg_guard_early(struct gen *g, lift_dest dest, lift_type type);

/* guard.c */
/* The index expression that is >= 0 where the comparison 'e' holds; NULL: 'e' is no
 * comparison of indices. */
lift_nat cg_nonneg(kx e);
/* Those of 'nonneg' become 0 that are >= 0 where the others are. */
void cg_drop_implied(struct gen *g, lift_nat *nonneg, int count);
/* 'tests' without comparisons of indices that follow from others. */
kx cg_without_implied(struct gen *g, kx tests);
#define CG_LANE "#lane"
/* A variable that stands for any lane of a vector of this type. */
lift_nat cg_lane_var(struct gen *g, lift_type vector);
/* The most that 'n' can be whatever the lane; NULL if that is not known. */
lift_nat cg_any_lane(struct gen *g, lift_nat n);
/* That all guards hold for all indices and lanes; false too if that cannot be said. */
kx cg_all_hold(struct gen *g, const lift_nat *guards, int count);
/* Makes facts of guards that hold for all indices and lanes. */
void cg_assume_all(struct gen *g, const lift_nat *guards, int count);
/* The opposite, which is a fact where one guard alone is open. */
void cg_assume_not_all(struct gen *g, const lift_nat *guards, int count);

/* write.c */
void cg_write(struct gen *g, lift_expr e, lift_env env, lift_dest dest);
/* The index of a mapLcl loop. */
lift_nat cg_own_index(struct gen *g, int dim, int64_t extent);
/* Opens a loop and makes its body the current block; a loop of one iteration that is not
 * shared out is no loop. Returns the index. */
lift_nat cg_open_loop(struct gen *g, enum kloop loop, int dim, int64_t extent);

/* through.c */
/* True if the storage 'e' need not be made here: its elements are read where they came
 * from. */
bool cg_reads_through(const struct gen *g, lift_expr e);
/* The elements that the vectors under an asScalar are made of, if they are copies; NULL
 * if 'e' is none. */
lift_expr cg_scalars_under(lift_expr e);

/* store.c */
void cg_store(struct gen *g, kx value, lift_dest dest);

/* True where all work-items of a group run together: a group's memory may be filled. */
bool cg_at_group_level(const struct gen *g);

/* stage.c */
/* Declares local or private buffers. */
void cg_declare(struct gen *g, const struct mem *mem);
/* Computes the toGlobal, toLocal and toPrivate values on which reading 'e' depends. */
void cg_prepare(struct gen *g, lift_expr e, lift_env env);

/* box.c */
/* The elements of an array as a box of an array in global memory. */
struct box {
    struct kbuffer *buffer;
    struct lift_tensor shape; /* of the whole; 'box' without what comes before a row */
    lift_nat from[LIFT_TENSOR_DIMS];
    int lead;   /* elements of a row before the first, so that vectors are aligned */
    int before; /* elements of the tensor's rows before those of the array */
};

/* False and the reason if 'e' is none: a copy of what lies side by side, with zeroes
 * outside the array. */
bool cg_find_box(struct gen *g, lift_expr e, lift_env env, struct box *out,
                 const char **why);
/* Elements of a row of the box in local memory. */
int64_t cg_box_row(const struct box *b);
/* A statement that copies the box to buffer[at], as part of a batch. */
struct ks *cg_copy_box(struct gen *g, const struct box *b, struct kbuffer *buffer,
                       lift_nat at, struct kbatch batch);

/* slide.c */
void cg_write_slide(struct gen *g, lift_expr e, lift_env env, lift_dest dest);

/* window_streams.c: work-items share out what a window around keeps in registers. */
bool cg_in_shared_stream(const struct gen *g);

/* window.c, and ring.c for what it keeps in local memory */
kx cg_read_window(struct gen *g, struct window *window, lift_access path);
/* True if 'e' is a stream of a window around, read at an index inside that window; the
 * path starts with this index. */
bool cg_read_stream(struct gen *g, lift_expr e, lift_env env, lift_access path, kx *out);

/* The loops, this one first, that one pragma takes together. */
int cg_shared_loops(const struct ks *loop);

/* print.c */
/* Fills in the texts of 'out', whose kernels are known. */
void cg_print_module(struct gen *g, const struct kernel *kernels, lift_expr body,
                     struct lift_module *out);

#endif
