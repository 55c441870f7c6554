/* The window of a mapSeqSlide: the elements of its streams that are kept from step to
 * step. window.c selects and reads the elements, ring.c manages circular buffers in local
 * memory, slide.c emits the loop. */
#ifndef CODEGEN_WINDOW_H
#define CODEGEN_WINDOW_H

#include "codegen/gen.h"

enum { WINDOW_STREAMS = 32, WINDOW_SPREAD = 2, WINDOW_EXCHANGES = 4 };

enum stream_kind {
    STREAM_PLAIN,   /* read from memory, or kept in registers */
    STREAM_PRIVATE, /* map(fun(x => toPrivate(...)), xs): computed once, in registers */
    STREAM_LOCAL,   /* map(fun(x => toLocal(...)), xs): in circular buffers */
};

/* The division of one dimension: work-item 'item' of 'items' has 'per' adjacent elements.
 */
struct spread {
    lift_nat item;
    int64_t items, per;
};

/* An array along which the window moves: the argument of 'mapSeqSlide', a member of its
 * zip, or a stored stream that another stream reads. */
struct stream {
    lift_expr node;
    enum stream_kind kind;
    lift_expr made;  /* the map of a stored stream */
    int64_t without; /* leading elements without a value */
    /* PRIVATE: the division of the inner 'spread_count' dimensions of an element among
     * work-items, innermost first. Work-items can read elements of others. */
    struct spread spread[WINDOW_SPREAD];
    int spread_count;
    /* LOCAL: slot i mod 'slots' holds element i; offsets lo..hi are read */
    const struct mem *ring;
    int64_t lo, hi, slots;
    struct box *box; /* LOCAL: TMA copies fill the elements; NULL: other copies */
    bool depends;    /* LOCAL: computed from other stored streams */
    bool early;      /* LOCAL: elements of PRIVATE streams depend on this stream */
    bool chained;    /* PRIVATE: computed from elements outside circular buffers */
    bool fills;      /* PLAIN: circular buffers are copied from this stream */
    bool overlaps;   /* a column of the stream overlaps from step to step */
};

/* One path into the elements of a stream, or several paths to the same places, read at
 * window offsets lo..hi. */
struct column {
    struct stream *stream;
    lift_access rest;
    lift_type type;
    int64_t lo, hi;
    unsigned arms; /* a bit for each alternative (gen.h, arm) that reads the column */
    int64_t top; /* the last offset in a register: beyond hi with prefetch=to_registers */
    int64_t ready;     /* the last offset whose register currently holds its element */
    int64_t extent[3]; /* extents of mapLcl loops whose indices 'rest' contains, or 0 */
    kx *regs;          /* register i mod 'len' holds element i; NULL: read from memory */
    int64_t len;
    /* The first and the last offset that other work-items read through memory; the
     * window's size: none. */
    int64_t shared;
    int64_t shared_last;
    const struct exchange *exchange;
    int64_t first; /* index of its first element in the exchange */
    struct {
        struct column **row; /* columns whose elements form vectors in local memory */
        int width, lane;     /* number of these columns; position of this column */
    } beside;
    kx *places; /* PLAIN: value at each offset in the recorded step; NULL: not known */
};

/* Another path to the places of a column. */
struct alias {
    lift_access rest;
    struct column *column;
    struct alias *next;
};

/* Local memory in which work-items exchange elements of columns: each slot has one
 * element per work-item of the group. */
struct exchange {
    const struct mem *mem;
};

enum window_phase {
    WINDOW_RECORD, /* reads are recorded, and have values without a meaning */
    WINDOW_FILL,   /* before the first step: the reader computes missing elements */
    WINDOW_RUN,
};

/* The synchronisation of the work-items of a group in a step. */
enum meeting {
    MEETING_WHOLE,
    MEETING_PARTS,   /* a split barrier */
    MEETING_READERS, /* the work-item that issues TMA copies waits for all readers */
};

/* Mbarriers in local memory, used cyclically; memory NULL: none */
struct bars {
    struct kbuffer *memory;
    int64_t count;
    enum kbars of;
};

struct window {
    lift_expr slide, xs;
    lift_env env;
    int64_t size, step, pipeline_stages;
    enum lift_copy copy;  /* the kind of copy, as far as the dialect supports it */
    bool registers_first; /* threads load new elements of streams that fill circular
                           * buffers into registers, and fill the buffers from there */
    enum meeting meeting;
    struct bars boxes; /* count the TMA copies of each batch */
    struct bars meets; /* for split barriers, or to count readers */
    int64_t steps; /* number of steps, including 'warm'; 0 while the window is recorded */
    int64_t warm;  /* steps before the first step; they only fill registers */
    lift_nat at;   /* the current step, counted from the first step of 'warm' */
    struct exchange exchanges[WINDOW_EXCHANGES]; /* one per type */
    int exchange_count;
    struct stream *computing; /* PRIVATE: the stream whose element is being computed */
    bool shown_late; /* the function itself reads exchanged elements, after the columns */
    struct kstyle style; /* style of code that loads registers */
    bool apart;    /* separate code for steps whose uniform boundary checks all hold */
    bool asks;     /* elements of circular buffers come from the next lane by a shuffle */
    int64_t turns; /* steps of straight-line code: the period of the registers */
    int64_t turn;  /* current rotation of the registers, in steps */
    lift_nat base; /* index of the first element of the window */
    enum window_phase phase;
    struct stream *streams[WINDOW_STREAMS];
    int stream_count;
    struct column **columns; /* each column after the columns from which it is computed */
    int count, cap;
    struct alias *aliases;
    int fact_count;                       /* facts before the first step */
    struct stream *rings[WINDOW_STREAMS]; /* LOCAL streams, in dependence order */
    int ring_count;
    struct stream *filling; /* the circular buffer whose elements are being computed */
    bool again;             /* the kind of a stream has changed: record the reads again */
    struct window *outer;
};

struct window *window_create(struct gen *g, lift_expr slide, lift_env env);
/* An array as a stream; its expression determines the kind. */
struct stream window_stream(lift_expr e);
/* window_known: the stream of a node; NULL: none yet. window_add: adds a stream. */
struct stream *window_known(const struct window *w, lift_expr node);
struct stream *window_add(struct gen *g, struct window *w, lift_expr node);
/* The element at a window offset, from memory or computed. */
kx window_load(struct gen *g, struct window *w, const struct column *c, lift_nat k);
/* The environment and, in '*value', the expression of an element of a stored stream. */
lift_env window_element(struct gen *g, const struct window *w, const struct stream *s,
                        lift_nat at, lift_expr *value);
/* The register of offset 'k'. */
kx *window_reg(const struct window *w, const struct column *c, int64_t k);
/* owners.c: the path by which an element's owner, at distance 'places' in each dimension,
 * reads it. False if the distance is not constant. */
bool owners_find(struct gen *g, const struct stream *s, lift_access *rest,
                 int64_t places[WINDOW_SPREAD]);
/* As owners_find, for a circular buffer whose elements come from the next lane by a
 * shuffle. */
bool owners_find_in_ring(struct gen *g, const struct window *w, const struct stream *s,
                         lift_access *rest, int64_t *place);
/* exchange.c: the element of a column in the work-item 'places' further along each
 * dimension of the group. The read is recorded, or reads local memory. */
kx exchange_read(struct gen *g, const struct window *w, const struct column *c, int64_t k,
                 const int64_t places[WINDOW_SPREAD]);
/* Declares memory for recorded exchanges. Sorts columns so that stores precede dependent
 * loads. */
void exchange_declare(struct gen *g, struct window *w);
/* Stores the elements that entered adjacent columns in this step if other work-items read
 * them. Emitted with the first of these columns. */
void exchange_show(struct gen *g, const struct window *w, const struct column *c);
/* The end of the columns from 'first' on that do not read elements that these columns
 * exchange in this step. */
int exchange_wave(const struct window *w, int first);
/* The slot of an offset in the circular buffer of a stream. */
lift_nat window_slot(struct gen *g, const struct window *w, const struct stream *s,
                     lift_nat k);
/* True if the elements of a stream are divided among work-items, in registers. */
bool window_is_shared_out(const struct window *w);
/* Notes the reader of a stream: the elements of a PRIVATE stream, or the function. */
void window_note_reader(struct window *w, struct stream *s);
/* Clears the recorded reads; keeps the kinds of streams. */
void window_restart(struct window *w);
/* Adds a style that code inside the windows requests. */
void windows_ask(struct gen *g, struct kstyle style, bool apart);
/* ring_slots.c: records the reads that compute the elements of circular buffers. */
void rings_record(struct gen *g, struct window *w);
/* Allocates a circular buffer. */
void ring_declare(struct gen *g, const struct window *w, struct stream *s);
/* ring.c: the number of elements beyond the window that have arrived while the function
 * runs. */
int64_t ring_ahead(const struct window *w, const struct stream *s);
/* Computes the element at offset 'k' into 'to'. */
void ring_compute(struct gen *g, const struct window *w, const struct stream *s,
                  lift_nat k, lift_dest to);
/* Notes a read of a circular buffer at offset 'k'. */
void ring_note_read(const struct window *w, struct stream *s, lift_nat k);
/* True if several threads fill the circular buffer. */
bool ring_is_of_team(const struct stream *s);
/* The element at offset 'k' as a box. Returns false and the reason if it is no box. */
bool ring_find_box(struct gen *g, const struct window *w, const struct stream *s,
                   lift_nat k, struct box *out, const char **why);
/* Copies the batch 'ahead' steps later, of one circular buffer, or of all TMA copies
 * (NULL). */
void rings_copy(struct gen *g, const struct window *w, const struct stream *s,
                int64_t ahead);
/* slide.c: emits a barrier if the dialect has barriers. */
void slide_barrier(struct gen *g);
/* The index of an offset in a stream, clamped to the last element. */
lift_nat window_at(struct gen *g, const struct window *w, lift_nat k);

/* Events of a step, in order; 'batch' counts from the current step. */
enum event_kind {
    EVENT_MEET,   /* a barrier of the group */
    EVENT_ARRIVE, /* the work-item has finished the step before 'batch' */
    EVENT_AWAIT,  /* all work-items have finished that step */
    EVENT_COPY,   /* copies a batch of a circular buffer, or all TMA copies of a batch */
    EVENT_COMMIT, /* the copies since the last commit are a batch */
    EVENT_WAIT,   /* waits for the batch; at most 'pending' batches are in flight */
    EVENT_FILL,   /* loads the columns for the first step */
    EVENT_LOAD_NEXT,  /* loads registers for the next step */
    EVENT_FETCH_NEXT, /* prefetches elements of the next step */
    EVENT_ENTER,      /* loads the new elements of columns */
    EVENT_SHOW,       /* exchanges these elements with other work-items */
    EVENT_BODY,       /* the function */
    EVENT_SHIFT,
};

struct event {
    enum event_kind kind;
    int64_t batch, pending;
    const struct stream *ring; /* COPY; NULL: TMA copies */
    struct column **columns;   /* LOAD_NEXT, ENTER, SHOW */
    int count;
};

struct events {
    struct event *items;
    int count, cap;
};

/* events.c: allocates circular buffers and barriers, and selects the synchronisation.
 * Fails if the attributes are incompatible. */
void events_open(struct gen *g, struct window *w);
void events_close(struct gen *g, const struct window *w);
/* Events before the first step, and of a step, which may only fill registers ('warm'). */
struct events events_before(struct gen *g, const struct window *w);
struct events events_of_step(struct gen *g, const struct window *w, bool warm);
/* slide.c: ARRIVE or AWAIT, for step 'n'. */
void bars_meet(struct gen *g, const struct bars *b, enum ks_kind kind, lift_nat n);
static inline struct kbatch bars_batch(const struct bars *b, lift_nat n)
{
    return b->memory ? (struct kbatch){b->memory, n, b->count} : (struct kbatch){0};
}

/* The state of the generator for one mapSeqSlide. */
struct slide {
    lift_expr e;
    lift_dest dest;
    struct window *window;
    int64_t step, steps;
    int64_t ahead; /* while registers are filled: number of steps before the first step */
    struct events plan; /* events of a step */
};

/* slide_plan.c: true for elements that only one alternative of a test reads: they are
 * loaded where they are read, since few grid points may take the alternative. */
bool slide_is_for_some(const struct column *c);
/* True for columns that threads load before they fill circular buffers. */
bool slide_loads_first(const struct window *w, const struct column *c);
/* True if the elements of a column stay in registers. */
bool slide_keeps(const struct slide *s, const struct column *c);
/* slide.c: opens the loops over work-items in a column's path; true if two columns share
 * these loops. */
void slide_open_items(struct gen *g, const struct window *w, const struct column *c);
bool slide_same_items(const struct column *a, const struct column *b);
/* fetch.c */
void slide_fetch_next(struct gen *g, struct slide *s);
/* slide_plan.c: sets the number of registers of each column. Returns the period of their
 * rotation, in steps of straight-line code: the period with the fewest registers. 1:
 * registers are shifted. */
int64_t slide_plan(struct slide *s);

#endif
