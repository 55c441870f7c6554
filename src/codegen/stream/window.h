/* The window of a mapSeqSlide: the elements of its streams that are kept from step to
 * step. Shared by window.c (which elements, and their reads), ring.c (circular buffers in
 * local memory) and slide.c (the loop). */
#ifndef CODEGEN_WINDOW_H
#define CODEGEN_WINDOW_H

#include "codegen/gen.h"

enum { WINDOW_STREAMS = 32, WINDOW_SPREAD = 2, WINDOW_EXCHANGES = 4 };

enum stream_kind {
    STREAM_PLAIN,   /* read where its elements are, or kept in registers */
    STREAM_PRIVATE, /* map(fun(x => toPrivate(...)), xs): computed once, in registers */
    STREAM_LOCAL,   /* map(fun(x => toLocal(...)), xs): a ring in local memory */
};

/* Along a dimension of the group: work-item 'item' of 'items' has 'per' elements that lie
 * side by side. */
struct spread {
    lift_nat item;
    int64_t items, per;
};

/* An array that the window moves along: what 'mapSeqSlide' reads, a member if that is a
 * zip, or a stored stream that another one reads. */
struct stream {
    lift_expr node;
    enum stream_kind kind;
    lift_expr made;  /* the map of a stored one */
    int64_t without; /* so many elements before those of the map have no value */
    /* PRIVATE: how work-items share out the inner 'spread_count' dimensions of an
     * element, the innermost first; they can read what the others have */
    struct spread spread[WINDOW_SPREAD];
    int spread_count;
    /* LOCAL: element i is in slot i mod 'slots'; offsets lo..hi are read */
    const struct mem *ring;
    int64_t lo, hi, slots;
    struct box *box; /* LOCAL: its elements are copied as such; NULL: they are not */
    bool depends;    /* LOCAL: computed from other stored streams */
    bool early;      /* LOCAL: elements of PRIVATE streams are computed from it */
    bool chained;    /* PRIVATE: computed from others than elements of rings */
    bool overlaps;   /* some of its columns overlap from step to step */
};

/* One path into the elements of a stream, or several to the same places, read at window
 * offsets lo..hi. */
struct column {
    struct stream *stream;
    lift_access rest;
    lift_type type;
    int64_t lo, hi;
    unsigned arms; /* a bit for each alternative that reads it: gen.h */
    int64_t top; /* the last offset in a register: beyond hi with prefetch=to_registers */
    int64_t ready;     /* the last offset whose register holds its element by now */
    int64_t extent[3]; /* mapLcl loops whose indices 'rest' mentions; 0: it does not */
    kx *regs;          /* element i is in register i mod 'len'; NULL: read from memory */
    int64_t len;
    int64_t shared; /* other work-items read it from this offset on, through memory; the
                     * window's size: they do not */
    int64_t shared_last; /* to this one */
    const struct exchange *exchange;
    int64_t first; /* its first element there */
    struct {
        struct column **row; /* those that are shown side by side */
        int width, lane;     /* how many, and which of them it is */
    } beside;
    kx *places; /* PLAIN: what a read at each offset is, seen from the recorded step;
                 * NULL: that is of streams that are recorded, too */
};

/* Another path to what a column has. */
struct alias {
    lift_access rest;
    struct column *column;
    struct alias *next;
};

/* Local memory in which work-items show each other elements of columns: in each slot one
 * for each work-item of the group. */
struct exchange {
    const struct mem *mem;
};

enum window_phase {
    WINDOW_RECORD, /* reads are noted, and give values without a meaning */
    WINDOW_FILL, /* before the first step: missing elements are computed by the reader */
    WINDOW_RUN,
};

/* How the work-items of a group wait for each other at a step. */
enum meeting {
    MEETING_WHOLE,
    MEETING_PARTS,   /* a barrier in two parts */
    MEETING_READERS, /* only the work-item that asks for boxes waits, for all readers */
};

/* Memory barriers in local memory, which take turns; memory NULL: there are none. */
struct bars {
    struct kbuffer *memory;
    int64_t count;
    enum kbars of;
};

struct window {
    lift_expr slide, xs;
    lift_env env;
    int64_t size, step, pipeline_stages;
    enum lift_copy copy; /* as the dialect can */
    enum meeting meeting;
    struct bars boxes; /* they count the boxes of a batch each */
    struct bars meets; /* where work-items meet in parts, or readers are counted */
    int64_t steps;     /* with those of 'warm'; 0 while the window is recorded */
    int64_t warm;      /* steps before the first that only fill registers from rings */
    lift_nat at;       /* the current step, from the first of 'warm' */
    struct exchange exchanges[WINDOW_EXCHANGES]; /* by type */
    int exchange_count;
    struct stream *computing; /* PRIVATE: the stream whose element is being computed */
    bool shown_late;     /* the function itself reads local memory, behind the columns */
    struct kstyle style; /* of what enters registers, as code inside asks */
    bool apart;          /* steps that pass tests that all work-items share, too */
    bool asks;           /* of rings, who loads an element for itself is asked for it */
    int64_t turns;       /* steps of straight-line code, a round of the registers */
    int64_t turn;        /* steps that the registers are rotated by */
    lift_nat base;       /* index of the window's first element */
    enum window_phase phase;
    struct stream *streams[WINDOW_STREAMS];
    int stream_count;
    struct column **columns; /* each after those that its elements are computed from */
    int count, cap;
    struct alias *aliases;
    int fact_count;                       /* facts before the first step */
    struct stream *rings[WINDOW_STREAMS]; /* LOCAL streams, in dependence order */
    int ring_count;
    struct stream *filling; /* the ring whose elements are being computed */
    bool again;             /* the kind of a stream has changed: record once more */
    struct window *outer;
};

struct window *window_create(struct gen *g, lift_expr slide, lift_env env);
/* An array as a stream, by what it is. */
struct stream window_stream(lift_expr e);
/* A stream of the window; NULL if it is none yet; and one more. */
struct stream *window_known(const struct window *w, lift_expr node);
struct stream *window_add(struct gen *g, struct window *w, lift_expr node);
/* The element at a window offset, from where it is or from what it is computed from. */
kx window_load(struct gen *g, struct window *w, const struct column *c, lift_nat k);
/* What the element of a stored stream is, and where its variables are bound. */
lift_env window_element(struct gen *g, const struct window *w, const struct stream *s,
                        lift_nat at, lift_expr *value);
/* The register of offset 'k'. */
kx *window_reg(const struct window *w, const struct column *c, int64_t k);
/* owners.c: the path by which an element's owner, at distance 'places' in each dimension,
 * reads it. False if the distance is not constant. */
bool owners_find(struct gen *g, const struct stream *s, lift_access *rest,
                 int64_t places[WINDOW_SPREAD]);
/* The same for a circular buffer whose elements come from the next lane by a shuffle. */
bool owners_find_in_ring(struct gen *g, const struct window *w, const struct stream *s,
                         lift_access *rest, int64_t *place);
/* exchange.c: the element of a column that another work-item has, 'places' further along
 * each dimension of the group; recorded, or from local memory. */
kx exchange_read(struct gen *g, const struct window *w, const struct column *c, int64_t k,
                 const int64_t places[WINDOW_SPREAD]);
/* Declares memory for recorded exchanges; orders streams so that stores come first. */
void exchange_declare(struct gen *g, struct window *w);
/* Stores the elements that entered adjacent columns at this step if other work-items read
 * them. Emitted with the first of these columns. */
void exchange_show(struct gen *g, const struct window *w, const struct column *c);
/* The end of the columns from 'first' on that read nothing that they show at this step.
 */
int exchange_wave(const struct window *w, int first);
/* The slot of an offset in the ring of a stream. */
lift_nat window_slot(struct gen *g, const struct window *w, const struct stream *s,
                     lift_nat k);
/* True if work-items share out the elements of a stream, in registers. */
bool window_is_shared_out(const struct window *w);
/* Notes who reads an element of a stream: the elements of a PRIVATE one, or the function.
 */
void window_note_reader(struct window *w, struct stream *s);
/* Clears the recorded reads; keeps the kinds of streams. */
void window_restart(struct window *w);
/* Code inside the windows of 'g' has this style. */
void windows_ask(struct gen *g, struct kstyle style, bool apart);
/* ring_slots.c: records what the elements of rings are computed from. */
void rings_record(struct gen *g, struct window *w);
/* Gives a ring its memory. */
void ring_declare(struct gen *g, const struct window *w, struct stream *s);
/* ring.c: how many elements beyond the window are there already while the function runs.
 */
int64_t ring_ahead(const struct window *w, const struct stream *s);
/* Computes the element at offset 'k' into 'to'. */
void ring_compute(struct gen *g, const struct window *w, const struct stream *s,
                  lift_nat k, lift_dest to);
/* Notes that an element of a ring is read at offset 'k'. */
void ring_note_read(const struct window *w, struct stream *s, lift_nat k);
/* True if threads share what fills the ring. */
bool ring_is_of_team(const struct stream *s);
/* The element at offset 'k' as a box. Returns false and the reason if it is no box. */
bool ring_find_box(struct gen *g, const struct window *w, const struct stream *s,
                   lift_nat k, struct box *out, const char **why);
/* A batch, 'ahead' of this step, of a ring, or of the boxes of all (NULL). */
void rings_copy(struct gen *g, const struct window *w, const struct stream *s,
                int64_t ahead);
/* slide.c: where the dialect has barriers. */
void slide_barrier(struct gen *g);
/* The index of an offset in a stream; at the end, of its last element. */
lift_nat window_at(struct gen *g, const struct window *w, lift_nat k);

/* What a step does, one behind the other; 'batch' counts from this step. */
enum event_kind {
    EVENT_MEET,       /* a whole barrier */
    EVENT_ARRIVE,     /* the work-item has done its part of step 'batch' before */
    EVENT_AWAIT,      /* so have all others */
    EVENT_COPY,       /* a batch of a ring, or of the boxes of all */
    EVENT_COMMIT,     /* copies since the last one are a batch */
    EVENT_WAIT,       /* it is there, and all but 'pending' ones are */
    EVENT_FILL,       /* columns get what the first step finds */
    EVENT_LOAD_NEXT,  /* registers get what the next step finds */
    EVENT_FETCH_NEXT, /* so does the cache */
    EVENT_ENTER,      /* columns get the elements that are new at this step */
    EVENT_SHOW,       /* other work-items see these elements */
    EVENT_BODY,       /* the function */
    EVENT_SHIFT,
};

struct event {
    enum event_kind kind;
    int64_t batch, pending;
    const struct stream *ring; /* COPY; NULL: boxes */
    struct column **columns;   /* LOAD_NEXT, ENTER, SHOW */
    int count;
};

struct events {
    struct event *items;
    int count, cap;
};

/* events.c: the memory of rings and barriers, and how work-items meet; fails where the
 * attributes do not go together. */
void events_open(struct gen *g, struct window *w);
void events_close(struct gen *g, const struct window *w);
/* Before the first step; of a step, which may only fill registers ('warm'). */
struct events events_before(struct gen *g, const struct window *w);
struct events events_of_step(struct gen *g, const struct window *w, bool warm);
/* slide.c: ARRIVE or AWAIT, for step 'n'. */
void bars_meet(struct gen *g, const struct bars *b, enum ks_kind kind, lift_nat n);
static inline struct kbatch bars_batch(const struct bars *b, lift_nat n)
{
    return b->memory ? (struct kbatch){b->memory, n, b->count} : (struct kbatch){0};
}

/* A mapSeqSlide in the making. */
struct slide {
    lift_expr e;
    lift_dest dest;
    struct window *window;
    int64_t step, steps;
    int64_t ahead; /* while registers are filled: steps that there are before the first */
    struct events plan; /* of a step */
};

/* slide_plan.c: true of elements that one alternative of a test reads, and no other: few
 * points may take it. */
bool slide_is_for_some(const struct column *c);
/* True if the elements of a column stay in registers. */
bool slide_keeps(const struct slide *s, const struct column *c);
/* slide.c: loops of the work-items that a column's path mentions, and whether two columns
 * share them. */
void slide_open_items(struct gen *g, const struct window *w, const struct column *c);
bool slide_same_items(const struct column *a, const struct column *b);
/* fetch.c */
void slide_fetch_next(struct gen *g, struct slide *s);
/* slide_plan.c: registers enough for each column; where they stay, as few as are back at
 * the start after a number of steps that is short enough for straight-line code. Returns
 * that number, 1 for registers that are shifted. */
int64_t slide_plan(struct slide *s);

#endif
