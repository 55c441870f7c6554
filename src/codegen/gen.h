/* The generator: from a low-level term to the kernel AST. Private to src/codegen.
 *
 * Reading: 'cg_read' returns the scalar at the end of a path (indices and tuple
 * projections) into the value of an expression. Views only rewrite the path, so they cost
 * nothing. Writing: 'cg_write' emits the loops that compute an expression into a
 * destination. A destination is a chain of index transformations that ends in memory. */
#ifndef CODEGEN_GEN_H
#define CODEGEN_GEN_H

#include "base/table.h"
#include "codegen/kast.h"
#include "ir/walk.h"

/* Buffers of a value: one for each scalar leaf of its type. */
struct mem {
    lift_type type;
    struct kbuffer **leaves;
    int leaf_count;
    /* By member: the destination that stores the member directly; NULL: this buffer. */
    const lift_dest *passed;
};

struct window;

/* Elements of a vector of a row in shared memory: 16 bytes of f32. */
enum { CG_VECTOR = 4 };

enum { CG_READS = 10 * 1000 * 1000 }; /* limit of expressions read: takes seconds */
enum { CG_FACTS = 64, CG_MEANT = 16, CG_GUARDS = 16, CG_WISHES = 32, CG_TENSORS = 16 };

/* Indices that must be >= 0 for a read to be simple. A read notes the index here and then
 * treats it as a fact. */
struct wishes {
    lift_nat items[CG_WISHES];
    int count;            /* CG_WISHES: the list was full */
    int of_any;           /* number of wishes that only make an element meaningful */
    struct edges *zeroes; /* NULL: pads by zero are treated as other pads */
};

/* Pads by zero that reads treated as part of their arrays: position 'at' of 'length'. */
enum { CG_EDGES = 8 };

struct edges {
    lift_nat at[CG_EDGES], length[CG_EDGES];
    int count; /* CG_EDGES: the list may be incomplete */
};

/* State of a read that may leave its array: see beyond.c. */
struct beyond {
    int depth;   /* nesting depth of arrays */
    bool failed; /* the path contains an unsupported expression */
};

/* Materialised values and lets, by expression and environment. The memos of the open
 * scopes are a stack. */
struct memo {
    lift_expr expr;
    lift_env env;
    struct lift_bound value;
    const struct memo *next;  /* below on the stack */
    const struct memo *older; /* of the same environment */
    int height;               /* number of memos below on the stack */
};

/* The index of a mapLcl loop with one iteration for each work-item. All such loops of a
 * kernel with this dimension and extent use the same variable. */
struct own_index {
    lift_nat var;
    int dim;
    int64_t extent;
};

enum { CG_OWN_INDICES = 64 };

/* The enclosing loops whose iterations are divided among threads, innermost first. */
struct shared_loop {
    lift_nat index;
    int more; /* inner loops that the same pragma may collapse */
    const struct shared_loop *around;
};

struct cg_shape; /* layout.c */

/* An identifier of the generated text that stands for a name of the program. */
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
    int param_bind; /* bind of the first parameter; the other parameters follow */
    struct cg_shape *shapes; /* arrays whose layouts the term sets */
    int in_place_count;      /* inPlace nodes of the term */
    /* Accesses that the term wants to be non-temporal, and those that are. */
    struct nontemporal {
        bool stores, loads;
    } wanted_once, found_once;
    struct mem *inputs;
    struct kernel *kernel;
    struct kblock *block; /* receives new statements */
    lift_nat facts[CG_FACTS];
    int fact_count;
    lift_nat meant[CG_MEANT]; /* >= 0 wherever the current value is used: see beyond.c */
    int meant_count;
    const struct memo *memos;       /* top of the stack */
    const struct memo **memo_stack; /* by height; entries above the top are invalid */
    int memo_cap;
    const struct memo *outer_memos; /* newest memo without an environment */
    struct window *windows;         /* windows under construction, innermost first */
    int recorded; /* number of reads of windows without a value so far */
    int arm; /* 1, 2: the read is inside this alternative of a branch (predicates=merged);
              * 0: in no branch */
    struct own_index own[CG_OWN_INDICES];
    int own_count;
    unsigned around; /* enum lift_around: levels of the enclosing loops */
    const struct shared_loop *shared;
    bool part_of_unrolled; /* inside straight-line code with a boundary check per element
                            */
    bool async;            /* stores may be asynchronous: see events.c */
    kx wanted; /* the condition under which the next asynchronous store has a meaning;
                * NULL: always */
    struct wishes *wishes;          /* NULL: reads note no wishes */
    struct beyond *beyond;          /* NULL: reads stay inside their arrays */
    const struct mem *point_blocks; /* the points of an 'inject' by block; NULL: the
                                     * kernel tests every point */
    int64_t reads;                  /* expressions read so far */
    int var_count, buffer_count;
    const struct cg_taken *taken; /* identifiers of names of the program */
};

/* State that cg_leave restores when a statement's body ends. */
struct scope {
    struct kblock *block;
    const struct memo *memos;
    int fact_count;
    unsigned around;
    const struct shared_loop *shared;
};

/* Records the first failure. Returns a value of the type, so that the caller can
 * continue. */
kx cg_fail(struct gen *g, lift_type type, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct scope cg_enter(struct gen *g, struct kblock *block);
void cg_leave(struct gen *g, struct scope scope);
void cg_emit(struct gen *g, struct ks *stmt);
/* Rebuilds a block: 'each' emits the replacement of one or more statements and returns
 * the first statement that it has not replaced. */
void cg_refill(struct gen *g, struct kblock *block,
               struct ks *(*each)(void *user, struct ks *s), void *user);
/* Emits an 'if' and makes its body the current block. */
struct ks *cg_open_if(struct gen *g, kx cond);
void cg_assume(struct gen *g, lift_nat nonneg);
/* Adds the facts that follow from a condition that holds. */
void cg_assume_cond(struct gen *g, kx cond);
/* 'n', simplified by the current facts. */
lift_nat cg_by_facts(const struct gen *g, lift_nat n);
lift_access cg_index(struct gen *g, lift_nat index, lift_access next);
lift_access cg_member(struct gen *g, int member, lift_access next);
int64_t cg_const(struct gen *g, lift_nat n, const char *what);
/* Declares a variable with this value, unless it is trivial. */
kx cg_variable(struct gen *g, const char *hint, kx value);

/* names.c */
/* A valid C identifier for a name of the program. */
const char *cg_escaped(struct lift_arena *arena, const char *name);
/* A C identifier for 'wanted' that no other name of the module has. Reserves the
 * identifier. */
const char *cg_identifier(struct gen *g, const char *wanted);
/* Fresh names. An index variable has the range 0 .. extent - 1. */
const char *cg_name(struct gen *g, const char *hint);
lift_nat cg_index_var(struct gen *g, const char *hint, int64_t extent);
/* The index of a loop with one iteration per work-item, in dimension 'dim' with 'extent'
 * iterations. */
lift_nat cg_item_var(struct gen *g, int dim, int64_t extent);

/* mem.c */
int cg_leaf_count(lift_type t);
const struct mem *cg_mem(struct gen *g, lift_type type, enum kspace space,
                         const char *name);
struct kbuffer *cg_locate(struct gen *g, const struct mem *mem, lift_access path,
                          lift_nat *at);
kx cg_load(struct gen *g, const struct mem *mem, lift_access path, lift_type type);
void cg_use_buffer(struct gen *g, struct kbuffer *buffer, bool write);
/* Sets 'written' of the kernel's buffers from the statements of this kernel alone. */
void cg_note_written(const struct kernel *k);

/* length.c */
/* Counts a read; false if the limit is reached or the kernel has failed already. */
bool cg_may_read(struct gen *g);
kx cg_too_many_reads(struct gen *g, lift_type type);

/* module.c */
/* Turns a local array into a temporary of the module. */
void cg_bind_temp(struct gen *g, struct kbuffer *b);

/* layout.c */
/* Finds the layouts of inputs and outputs that the term prescribes. */
void cg_find_layouts(struct gen *g, lift_expr body);
/* Gives the buffers of a value in global memory their layouts. */
void cg_lay_out(struct gen *g, const struct mem *mem, bool filled);
/* Prints a line for each buffer whose layout the caller must know to fill the buffer. */
void cg_print_layouts(const struct gen *g, struct lift_str *out);

/* together.c */
/* Emits the statements of several blocks, the grid points of straight-line code, ordered
 * by their loads. Blocks with other than simple statements are emitted one after the
 * other. */
void cg_emit_together(struct gen *g, const struct kblock *points, int count);

/* in_place.c */
/* The term without primitives that only set the storage of its value. */
lift_expr cg_below_layout(lift_expr e);
/* Stores results in buffers of inputs as the term requires ('inPlace'). */
void cg_share_buffers(struct gen *g, const struct mem *output, lift_expr body);
/* True if the buffer belongs to an input, and stores a result, too. */
bool cg_is_overwritten(const struct gen *g, const struct kbuffer *buffer);
/* passed.c: the memory of a let-bound tuple. A member that the body 'rest' only copies to
 * its destination 'to' gets no memory: its stores go to 'to' directly. */
const struct mem *cg_pass_members(struct gen *g, const struct mem *mem, lift_expr rest,
                                  lift_dest to);
/* The destination of stores to 'mem'. */
lift_dest cg_dest_of(struct gen *g, const struct mem *mem);
/* True if this part of a result is already stored. */
bool cg_is_passed(lift_expr e, lift_env env);
/* Fails if a kernel may read an element of an overwritten input after it was overwritten.
 */
void cg_check_in_place(struct gen *g, const struct mem *output,
                       const struct kernel *kernels, int count);

/* passes/reuse.c: intermediates that are only copied to results use the results' buffers.
 * Temporaries with disjoint lifetimes share memory. Returns the new number of kernels. */
int cg_reuse_buffers(struct gen *g, const struct mem *output, struct kernel *kernels,
                     int count);

/* launch.c: the numbers of groups and work-items that the kernel's loops need. */
struct lift_launch cg_launch(const struct gen *g, const struct kernel *k);
/* Sets the local memory of a group, and its part that the launch must set. */
void cg_measure_local(const struct gen *g, const struct kernel *k,
                      struct lift_kernel *out);

/* Sets the bytes that a kernel reads and writes, after its passes: passes/moved.c. */
void cg_measure_moved(const struct gen *g, const struct kernel *k,
                      struct lift_kernel *out);

/* indices.c: index arithmetic of views on nats, under the facts at the current position.
 */
extern const struct lift_index_ops cg_index_ops;

/* read.c */
extern const struct lift_walk_ops cg_code_ops;
kx cg_read(struct gen *g, lift_expr e, lift_env env, lift_access path);
/* As cg_read, if the value does not come from a window. */
kx cg_read_here(struct gen *g, lift_expr e, lift_env env, lift_access path);
/* True if all scalars of the value are the literal zero. */
bool cg_is_zero(lift_expr value);

/* An i32 value as an index. If the value is not symbolic, the index is a variable of the
 * range 0 .. n - 1, which the primitive guarantees. */
lift_nat cg_as_index(struct gen *g, kx x, int64_t n);

/* inject.c */
/* Reads an element of an 'inject': the grid's element and the sum of its points. */
kx cg_read_injected(struct gen *g, lift_expr e, lift_env env, lift_access path);
/* The type of the table of points by block; NULL: the kernel tests every point. */
lift_type cg_injected_blocks(struct gen *g, lift_expr e);
void cg_write_blocks(struct gen *g, lift_expr e, lift_env env, lift_dest dest);
/* Writes the elements of an 'inject' inside a kernel, one by one. */
void cg_write_injected_here(struct gen *g, lift_expr e, lift_env env, lift_dest dest);
/* Adds the points of an 'inject' to the elements of its grid, which 'dest' holds. */
void cg_write_injected(struct gen *g, lift_expr e, lift_env env, lift_dest dest);

/* gen.c */
const struct lift_bound *cg_remembered(struct gen *g, lift_expr e, lift_env env);
void cg_remember(struct gen *g, lift_expr e, lift_env env, struct lift_bound value);

/* read_choice.c */
/* The index function of a pad. Minima and maxima vanish if ranges show that the index is
 * inside. */
lift_nat cg_reindex(enum lift_pad_kind kind, lift_nat j, lift_nat n);
/* The nearest position in 0 .. n - 1. */
lift_nat cg_clamp_to(struct gen *g, lift_nat j, lift_nat n);
/* True if n >= 0 is a fact, or is noted as a wish, which then becomes a fact. */
bool cg_holds_or_wished(struct gen *g, lift_nat n);
/* True if 0 <= j <= last is known. */
bool cg_is_inside(const struct gen *g, lift_nat j, lift_nat last);

/* One side of a choice, read under the facts of that side. If the read needs statements,
 * these run on the other side too. The read then uses 'safe', an index that is always in
 * range, instead of 'at'. */
struct side {
    lift_expr expr;
    lift_env env;
    lift_access path;
    lift_nat at, safe; /* NULL: 'path' is complete */
};

kx cg_read_side(struct gen *g, const struct side *s, const lift_nat *facts, int count);
/* Reads 'inside' where 0 <= j < n, and 'outside' elsewhere. */
kx cg_choose(struct gen *g, lift_nat j, lift_nat n, const struct side *inside,
             const struct side *outside);
/* Reads element 'path' of an 'insetBox', from the box or from the surrounding array. */
kx cg_read_box(struct gen *g, lift_expr e, lift_env env, lift_access path);

/* beyond.c */
/* Reads element 'j' of 'e', or any value where 'j' is out of range. In streams that are
 * divided among work-items, conditions on the path may have their values inside the
 * array. */
kx cg_read_any(struct gen *g, lift_expr e, lift_env env, lift_nat j, lift_access path);
/* The condition n >= 0. If the conditions of 'meant' decide n >= 0, a constant. */
kx cg_meant_ge0(const struct gen *g, lift_nat n);
/* The facts at a place, and the conditions that hold where its value is used. */
struct known {
    lift_nat facts[CG_FACTS], meant[CG_MEANT];
    int fact_count, meant_count;
};
/* Keeps the first 'facts' facts and drops the conditions of 'meant', for code that is
 * emitted elsewhere. 'cg_know' restores the dropped facts and conditions. */
struct known cg_forget(struct gen *g, int facts);
void cg_know(struct gen *g, const struct known *k);

/* reduce.c */
/* The accumulator after a reduction; the reduction is computed once. */
struct lift_bound cg_reduced(struct gen *g, lift_expr e, lift_env env);

/* dest.c */
/* Follows a path to memory. 'guards' receives the indices that must be >= 0 for the
 * store. */
lift_access cg_follow(struct gen *g, lift_dest dest, lift_access path,
                      const struct mem **mem, lift_nat guards[CG_GUARDS],
                      int *guard_count);
/* The indices that must be >= 0 to store the leaves of a value of this type, over
 * variables for any index or lane. Returns their number. */
int cg_guards(struct gen *g, lift_dest dest, lift_type type, lift_nat guards[CG_GUARDS]);
/* Opens an 'if' for the guards of storing a value of this type that are known now. */
void cg_guard_early(struct gen *g, lift_dest dest, lift_type type);

/* guard.c */
/* The index expression that is >= 0 where the comparison 'e' holds; NULL: 'e' is no
 * comparison of indices. */
lift_nat cg_nonneg(kx e);
/* Replaces elements of 'nonneg' by 0 that are >= 0 wherever the other elements are >= 0.
 */
void cg_drop_implied(struct gen *g, lift_nat *nonneg, int count);
/* 'tests' without comparisons of indices that follow from others. */
kx cg_without_implied(struct gen *g, kx tests);
#define CG_LANE "#lane"
/* A variable that stands for any lane of a vector of this type. */
lift_nat cg_lane_var(struct gen *g, lift_type vector);
/* The maximum of 'n' over all lanes; NULL: unknown. */
lift_nat cg_any_lane(struct gen *g, lift_nat n);
/* The condition that all guards hold for all indices and lanes; false if unknown. */
kx cg_all_hold(struct gen *g, const lift_nat *guards, int count);
/* Assumes that all guards hold, for all indices and lanes. */
void cg_assume_all(struct gen *g, const lift_nat *guards, int count);
/* Adds the negation as a fact if a single guard is undecided. */
void cg_assume_not_all(struct gen *g, const lift_nat *guards, int count);

/* write.c */
void cg_write(struct gen *g, lift_expr e, lift_env env, lift_dest dest);
/* Adds the level of a map to the enclosing levels. Fails and returns false if the level
 * is not allowed here. */
bool cg_enter_level(struct gen *g, lift_expr e);
/* halo.c: copies a tile and its halo by the loops that the attribute 'halo' of the
 * outermost mapLcl asks for. */
void cg_write_halo(struct gen *g, lift_expr e, lift_env env, lift_dest dest);
/* The index of a mapLcl loop. */
lift_nat cg_own_index(struct gen *g, int dim, int64_t extent);
/* Opens a loop and makes its body the current block. A sequential loop of one iteration
 * emits no loop. Returns the index. */
lift_nat cg_open_loop(struct gen *g, enum kloop loop, int dim, int64_t extent);

/* through.c */
/* True if the storage node 'e' needs no memory: readers read the elements at their
 * source. */
bool cg_reads_through(const struct gen *g, lift_expr e);
/* The scalars from which the vectors under an asScalar were copied; NULL: 'e' is no such
 * copy. */
lift_expr cg_scalars_under(lift_expr e);

/* store.c */
void cg_store(struct gen *g, kx value, lift_dest dest);

/* True if all work-items of a group execute the code together, so they may fill local
 * memory. */
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
    struct lift_tensor shape; /* the array; 'box' excludes elements before a row */
    lift_nat from[LIFT_TENSOR_DIMS];
    int lead;   /* elements before the first element of a row, to align vectors */
    int before; /* elements before the array in each row of the tensor */
};

/* Finds the source of a TMA copy: adjacent elements, with zeroes outside the array.
 * Returns false and the reason if no TMA copy can load 'e'. */
bool cg_find_box(struct gen *g, lift_expr e, lift_env env, struct box *out,
                 const char **why);
/* The number of elements in a row of the box, in local memory. */
int64_t cg_box_row(const struct box *b);
/* A TMA copy of the box to buffer[at], as part of a batch. */
struct ks *cg_copy_box(struct gen *g, const struct box *b, struct kbuffer *buffer,
                       lift_nat at, struct kbatch batch);

/* slide.c */
void cg_write_slide(struct gen *g, lift_expr e, lift_env env, lift_dest dest);

/* window_streams.c: true if an enclosing window divides its registers among work-items.
 */
bool cg_in_shared_stream(const struct gen *g);

/* window.c; ring.c for circular buffers in local memory */
kx cg_read_window(struct gen *g, struct window *window, lift_access path);
/* True if 'e' is the stream of an enclosing window and the path starts with an index
 * inside that window. */
bool cg_read_stream(struct gen *g, lift_expr e, lift_env env, lift_access path, kx *out);

/* The number of nested loops, from this loop inward, that one pragma collapses. */
int cg_shared_loops(const struct ks *loop);

/* print.c */
/* Sets the texts of 'out', whose kernels are known. */
void cg_print_module(struct gen *g, const struct kernel *kernels, lift_expr body,
                     struct lift_module *out);

#endif
