/* Prints loops as text: loops of one CPU thread, and loops that threads, work-items or
 * groups share. */
#include "codegen/text/dialect.h"
#include <stdio.h>

void cg_open_block(struct printer *p)
{
    lift_str_add(p->out, " {");
    p->indent++;
}

void cg_close_block(struct printer *p)
{
    p->indent--;
    cg_line(p);
    lift_str_addc(p->out, '}');
}

static bool is_cut(const struct ks *s)
{
    lift_nat end = lift_nat_const(lift_nat_pool(s->loop.index), s->loop.extent);

    return s->loop.limit && lift_nat_min(s->loop.limit, end) != end;
}

static void print_for(struct printer *p, const struct ks *s)
{
    const char *i = lift_nat_is_var(s->loop.index, NULL);

    lift_str_addf(p->out, "for (%s %s = 0; %s < ", p->index_type, i, i);
    if (is_cut(s))
        lift_str_addf(p->out, "%s_end", i);
    else
        lift_str_addf(p->out, "%lld", (long long)s->loop.extent);
    lift_str_addf(p->out, "; %s++)", i);
    cg_open_block(p);
}

/* Counts nested loops that are the only statement of the enclosing body. */
int cg_shared_loops(const struct ks *s)
{
    int n = 1, most = s->loop.collapse;

    for (; n < most; n++) {
        const struct kblock *body = &s->loop.body;

        s = body->first;
        if (!s || s != body->last || !ks_is_loop(s, KLOOP_SEQ) || s->loop.limit)
            break;
    }
    return n;
}

/* LITTLE_WORK: cost of a parallel region, in statements. */
enum { LITTLE_WORK = 2048, LITTLE_SHARE = 16 };

int64_t cg_work(const struct kblock *block)
{
    int64_t sum = 0;

    for (const struct ks *s = block->first; s; s = s->next) {
        int64_t inside = 1;

        for (int i = 0; ks_block(s, i); i++)
            inside += cg_work(ks_block(s, i));
        if (s->kind == KS_LOOP && __builtin_mul_overflow(inside, s->loop.extent, &inside))
            inside = INT64_MAX / 2;
        if (__builtin_add_overflow(sum, inside, &sum))
            sum = INT64_MAX / 2;
    }
    return sum;
}

/* True if one thread executes a loop faster than several threads, which start and wait.
 * In a program of such loops only, loops stay parallel. */
static bool is_little(const struct printer *p, const struct ks *s)
{
    int64_t work;

    if (p->kernel->team || s->loop.nontemporal ||
        (s->loop.level != KLOOP_PAR && s->loop.level != KLOOP_TASK) ||
        __builtin_mul_overflow(cg_work(&s->loop.body), s->loop.extent, &work))
        return false;
    return work <= LITTLE_WORK && work <= p->most_work / LITTLE_SHARE;
}

static void print_pragma(struct printer *p, const struct ks *s)
{
    static const char *const schedules[] = {"static", "dynamic", "guided"};
    int collapse = cg_shared_loops(s);
    bool team = s->loop.nontemporal || p->kernel->team; /* the region exists already */

    if (is_little(p, s))
        return;
    p->uses_threads |= s->loop.level == KLOOP_PAR || s->loop.level == KLOOP_TASK;
    if (s->loop.level == KLOOP_PAR)
        lift_str_addf(p->out, "#pragma omp %sfor schedule(%s)", team ? "" : "parallel ",
                      schedules[s->loop.schedule]);
    if (s->loop.level == KLOOP_SIMD)
        lift_str_add(p->out, "#pragma omp simd");
    if (s->loop.level == KLOOP_TASK) {
        lift_str_add(p->out, "#pragma omp parallel");
        cg_line(p);
        lift_str_add(p->out, "#pragma omp single");
        cg_line(p);
        lift_str_addf(p->out, "#pragma omp taskloop%s",
                      s->loop.tasks == LIFT_TASKS_EACH ? " grainsize(1)" : "");
    }
    if (collapse > 1)
        lift_str_addf(p->out, " collapse(%d)", collapse);
    if (s->loop.level == KLOOP_PAR && s->loop.nontemporal)
        lift_str_add(p->out, " nowait");
    cg_line(p);
}

/* The number of work-items, of groups, or of work-items of a group in the loop's
 * dimension. */
static int64_t span_of(const struct ks *s, const struct lift_launch *l)
{
    int64_t global = (int64_t)l->global[s->loop.dim],
            local = (int64_t)l->local[s->loop.dim];

    return s->loop.level == KLOOP_GLB   ? global
           : s->loop.level == KLOOP_WRG ? global / local
                                        : local;
}

/* Prints the index of the work-item, of the group, or of the work-item in its group, in
 * the loop's dimension. */
static void name_id(const struct printer *p, const struct ks *s,
                    const struct lift_launch *l, char *out, size_t size)
{
    const struct dialect *d = p->d;

    if (s->loop.level == KLOOP_GLB && !d->work_item[s->loop.dim])
        snprintf(out, size, "%s * %zu + %s", d->group[s->loop.dim], l->local[s->loop.dim],
                 d->item[s->loop.dim]);
    else
        snprintf(out, size, "%s",
                 s->loop.level == KLOOP_GLB   ? d->work_item[s->loop.dim]
                 : s->loop.level == KLOOP_WRG ? d->group[s->loop.dim]
                                              : d->item[s->loop.dim]);
}

enum { MOST_TURNS = 8 }; /* maximum of iterations in straight-line code */

/* Prints a loop with one iteration per work-item of a group. Consecutive loops have one
 * index, so the body declares the index. */
static void print_own(struct printer *p, const struct ks *s, const struct lift_launch *l,
                      const char *id)
{
    if (s->loop.extent < span_of(s, l))
        lift_str_addf(p->out, "if (%s < %lld) ", id, (long long)s->loop.extent);
    lift_str_addc(p->out, '{');
    p->indent++;
    cg_line(p);
    lift_str_addf(p->out, "const %s %s = %s;", p->index_type,
                  lift_nat_is_var(s->loop.index, NULL), id);
    cg_print_stmts(p, &s->loop.body, l);
    cg_close_block(p);
}

/* Prints a loop with a few iterations per work-item. Their number is constant, so that
 * compilers unroll the loop and hoist values that are invariant over the steps of a
 * stream. */
static void print_turns(struct printer *p, const struct ks *s,
                        const struct lift_launch *l, const char *id)
{
    const char *i = lift_nat_is_var(s->loop.index, NULL);
    int64_t span = span_of(s, l), whole = s->loop.extent / span, count;
    bool cut = whole * span < s->loop.extent;

    count = whole + cut;
    lift_str_add(p->out, "#pragma unroll");
    cg_line(p);
    lift_str_addf(p->out, "for (int %s_turn = 0; %s_turn < %lld; %s_turn++)", i, i,
                  (long long)count, i);
    cg_open_block(p);
    cg_line(p);
    lift_str_addf(p->out, "const %s %s = %s + %s_turn * %lld;", p->index_type, i, id, i,
                  (long long)span);
    if (cut) {
        cg_line(p);
        lift_str_addf(p->out, "if (%s_turn < %lld || %s < %lld)", i, (long long)whole, i,
                      (long long)s->loop.extent);
        cg_open_block(p);
    }
    cg_print_stmts(p, &s->loop.body, l);
    if (cut)
        cg_close_block(p);
    cg_close_block(p);
}

/* Prints a shared loop: one iteration per work-item if their numbers are equal. More
 * work-items need a test, and fewer work-items a loop. */
static void print_shared(struct printer *p, const struct ks *s,
                         const struct lift_launch *l)
{
    const char *i = lift_nat_is_var(s->loop.index, NULL);
    int64_t span = span_of(s, l);
    char id[64];

    name_id(p, s, l, id, sizeof id);
    if (s->loop.level == KLOOP_LCL && s->loop.extent <= span) {
        print_own(p, s, l, id);
        return;
    }
    if (s->loop.level == KLOOP_LCL && s->loop.extent <= MOST_TURNS * span) {
        print_turns(p, s, l, id);
        return;
    }
    if (s->loop.extent > span) {
        lift_str_addf(p->out, "for (%s %s = %s; %s < %lld; %s += %lld)", p->index_type, i,
                      id, i, (long long)s->loop.extent, i, (long long)span);
    } else {
        lift_str_addf(p->out, "const %s %s = %s;", p->index_type, i, id);
        if (s->loop.extent == span) {
            cg_print_stmts(p, &s->loop.body, l);
            return;
        }
        cg_line(p);
        lift_str_addf(p->out, "if (%s < %lld)", i, (long long)s->loop.extent);
    }
    cg_open_block(p);
    cg_print_stmts(p, &s->loop.body, l);
    cg_close_block(p);
}

void cg_open_team(struct printer *p)
{
    lift_str_add(p->out, "#pragma omp parallel");
    cg_line(p);
    lift_str_addc(p->out, '{');
    p->indent++;
}

/* Prints a parallel loop after which each thread fences its stores before the threads
 * meet at a barrier. */
static void print_fenced(struct printer *p, const struct ks *s,
                         const struct lift_launch *l)
{
    if (!p->kernel->team) {
        cg_open_team(p);
        cg_line(p);
    }
    print_pragma(p, s);
    print_for(p, s);
    cg_print_stmts(p, &s->loop.body, l);
    cg_close_block(p);
    cg_line(p);
    cg_print_fence(p);
    if (!p->kernel->team)
        cg_close_block(p);
    else {
        cg_line(p);
        lift_str_add(p->out, "#pragma omp barrier");
    }
}

/* Prints a loop. The end of a shortened loop is a variable: gcc 12 vectorises some loops
 * with a minimum in the condition wrongly. */
void cg_print_loop(struct printer *p, const struct ks *s, const struct lift_launch *l)
{
    if (s->loop.level >= KLOOP_GLB) {
        print_shared(p, s, l);
        return;
    }
    if (is_cut(s)) {
        p->uses_minmax = true;
        cg_put(p, "const %s %s_end = LIFT_MIN(%l, %n);", p->index_type,
               lift_nat_is_var(s->loop.index, NULL), s->loop.extent, s->loop.limit);
        cg_line(p);
    }
    if (s->loop.level == KLOOP_PAR && s->loop.nontemporal) {
        print_fenced(p, s, l);
        return;
    }
    if (s->loop.level != KLOOP_SEQ)
        print_pragma(p, s);
    print_for(p, s);
    cg_print_stmts(p, &s->loop.body, l);
    cg_close_block(p);
}
