/* Evaluates a program with the interpreter. A program with C functions is evaluated in a
 * worker, which a function may crash. */
#include "explore/trial/interpret.h"
#include "base/bug.h"
#include "base/memory.h"
#include "ir/eval.h"
#include <stdlib.h>
#include <string.h>

static const double time_limit = 600; /* seconds; each function has a separate limit */

void explore_answer_fini(struct explore_answer *answer)
{
    for (int i = 0; i < answer->count; i++)
        free(answer->data[i]);
    *answer = (struct explore_answer){0};
}

/* The number of scalars before element 'k' of a leaf, in the order of values. */
static int64_t place(const struct explore_leaf *leaf, int64_t points, int64_t k)
{
    int64_t width = points ? leaf->count / points : 1;

    return k / width * leaf->stride + leaf->offset + k % width;
}

static int64_t points_of(const struct explore_leaf *leaves, int count, int member,
                         int64_t *scalars)
{
    int64_t total = 0, stride = 1;

    for (int i = 0; i < count; i++)
        if (leaves[i].member == member) {
            total += leaves[i].count;
            stride = leaves[i].stride;
        }
    *scalars = total;
    return total / stride;
}

/* The buffers of one input; 'first' is the index of the first buffer. */
struct input {
    const struct explore_question *question;
    struct lift_arena *arena;
    struct explore_leaf leaves[EXPLORE_MAX_LEAVES];
    int count, first;
};

/* One array of an input, or of one member of an input. */
static bool member_value(const struct input *in, int member, lift_type t,
                         struct lift_value *out)
{
    const struct explore_question *q = in->question;
    int64_t scalars, points = points_of(in->leaves, in->count, member, &scalars);
    LIFT_FREED double *data = lift_resize(NULL, 1, (size_t)scalars * sizeof *data + 1);

    for (int i = 0; i < in->count; i++) {
        const struct explore_leaf *leaf = &in->leaves[i];

        for (int64_t k = 0; leaf->member == member && k < leaf->count; k++)
            data[place(leaf, points, k)] =
                explore_datum(q->problem, q->seed, in->first + i, leaf->scalar, k);
    }
    return lift_value_from_doubles(in->arena, t, lift_nat_env_value, (void *)q->numbers,
                                   data, out);
}

static bool input_value(struct input *in, lift_type t, struct lift_value *out)
{
    struct lift_value members[LIFT_MAX_ARGS];

    in->count = explore_leaves(t, in->question->numbers, in->leaves);
    if (in->count < 0)
        return false;
    if (t->kind != LIFT_TYPE_TUPLE)
        return member_value(in, 0, t, out);
    for (int i = 0; i < t->count; i++)
        if (!member_value(in, i, t->parts[i], &members[i]))
            return false;
    *out = lift_value_tuple(in->arena, members, t->count);
    return true;
}

static int bind_all(const struct explore_question *q, struct lift_arena *arena,
                    struct lift_binding *out)
{
    const struct explore_problem *p = q->problem;
    struct input in = {.question = q, .arena = arena};
    int count = 0;

    for (int i = 0; i < p->input_count; i++) {
        if (!input_value(&in, p->inputs[i]->type, &out[count].value))
            return -1;
        in.first += in.count;
        out[count++].name = p->inputs[i]->u.name;
    }
    for (int i = 0; i < p->param_count; i++) {
        double value = p->param_values[i];

        if (lift_type_is_scalar(p->params[i]->type, LIFT_F32))
            value = (double)(float)value; /* rounded as for kernels */
        out[count].name = p->params[i]->u.name;
        out[count++].value = lift_type_is_scalar(p->params[i]->type, LIFT_I32)
                                 ? lift_value_int((int64_t)value)
                                 : lift_value_float(value);
    }
    return count;
}

static void split_member(struct explore_answer *out, int member, struct lift_value value)
{
    int64_t scalars, points = points_of(out->leaves, out->count, member, &scalars);
    LIFT_FREED double *flat = malloc((size_t)scalars * sizeof *flat + 1);

    LIFT_ASSERT(flat && lift_value_scalars(value) == scalars);
    lift_value_flatten(value, flat);
    for (int i = 0; i < out->count; i++) {
        const struct explore_leaf *leaf = &out->leaves[i];

        if (leaf->member != member)
            continue;
        out->data[i] = lift_resize(NULL, 1, (size_t)leaf->count * sizeof(double) + 1);
        for (int64_t k = 0; k < leaf->count; k++)
            out->data[i][k] = flat[place(leaf, points, k)];
    }
}

static bool interpret(const struct explore_question *q, struct explore_answer *out,
                      struct lift_str *why)
{
    const struct explore_problem *p = q->problem;
    struct lift_binding bindings[EXPLORE_MAX_INPUTS + EXPLORE_MAX_PARAMS];
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    struct lift_value value;
    struct lift_eval_env env = {.nat = lift_nat_env_value,
                                .nat_user = (void *)q->numbers,
                                .values = bindings,
                                .round_f32 = q->round_f32,
                                .max_steps =
                                    q->probes ? INTERPRET_PROBE : INTERPRET_STEPS,
                                .steps = &out->steps,
                                .user_fun = p->functions ? lift_functions_call : NULL,
                                .user_fun_user = p->functions};
    bool done;

    *out = (struct explore_answer){0};
    env.value_count = bind_all(q, arena, bindings);
    out->count = explore_output_leaves(p, q->numbers, out->leaves);
    done = env.value_count >= 0 && out->count >= 0;
    if (!done)
        lift_str_add(why, "the arrays have no flat buffers at these sizes");
    else
        done = lift_eval(&env, q->term, arena, &value, why);
    if (!done)
        out->count = 0;
    else if (p->root->type->kind != LIFT_TYPE_TUPLE)
        split_member(out, 0, value);
    else
        for (int i = 0; i < p->root->type->count; i++)
            split_member(out, i, value.u.items[i]);
    return done;
}

/* ---- in a worker */

/* A request for the worker's problem; its term existed when the worker was forked. */
struct request {
    lift_expr term;
    uint64_t seed;
    bool round_f32, probes;
    int64_t sizes[EXPLORE_MAX_SIZES]; /* in the order of the problem's sizes */
};

static void pack(const struct explore_question *q, struct request *out)
{
    const struct lift_nat_env *sizes = &q->problem->sizes;

    *out = (struct request){
        .term = q->term, .seed = q->seed, .round_f32 = q->round_f32, .probes = q->probes};
    for (int i = 0; i < sizes->count; i++) {
        bool known =
            lift_nat_env_value((void *)q->numbers, sizes->names[i], &out->sizes[i]);

        LIFT_ASSERT(known);
    }
}

/* Replies with the answer's numbers, leaf by leaf; on failure, with a zero and the
 * reason. */
static void serve(void *user, void **state, const void *request, size_t size,
                  struct lift_str *reply)
{
    const struct explore_problem *p = user;
    struct request r;
    struct lift_nat_env numbers = {p->sizes.names, r.sizes, p->sizes.count};
    struct explore_question q = {.problem = p, .numbers = &numbers};
    struct explore_answer answer;
    LIFT_SCOPED(lift_str) why = {0};

    (void)state;
    LIFT_ASSERT(size == sizeof r);
    memcpy(&r, request, sizeof r);
    q.term = r.term;
    q.seed = r.seed;
    q.round_f32 = r.round_f32;
    q.probes = r.probes;
    if (!getenv("LIFT_IN_PROCESS"))
        lift_functions_guard(p->functions);
    if (interpret(&q, &answer, &why)) {
        lift_str_addc(reply, 1);
        lift_str_addn(reply, (const char *)&answer.steps, sizeof answer.steps);
        for (int i = 0; i < answer.count; i++)
            lift_str_addn(reply, (const char *)answer.data[i],
                          (size_t)answer.leaves[i].count * sizeof(double));
        explore_answer_fini(&answer);
    } else {
        lift_str_addc(reply, 0);
        lift_str_add(reply, lift_str_get(&why));
    }
}

/* Returns false if the reply does not fit the problem. */
static bool unpack(const struct explore_question *q, const char *data, size_t size,
                   struct explore_answer *out)
{
    if (size < sizeof out->steps)
        return false;
    memcpy(&out->steps, data, sizeof out->steps);
    data += sizeof out->steps;
    size -= sizeof out->steps;
    out->count = explore_output_leaves(q->problem, q->numbers, out->leaves);
    for (int i = 0; i < out->count; i++) {
        size_t bytes = (size_t)out->leaves[i].count * sizeof(double);

        if (bytes > size)
            return false;
        out->data[i] = lift_resize(NULL, 1, bytes + 1);
        memcpy(out->data[i], data, bytes);
        data += bytes;
        size -= bytes;
    }
    return size == 0;
}

static bool receive(const struct explore_question *q, struct lift_worker_result result,
                    const struct lift_str *reply, struct explore_answer *out,
                    struct lift_str *why)
{
    if (result.end != LIFT_WORKER_OK || reply->len == 0) {
        lift_functions_explain(q->problem->functions, result, why);
        return false;
    }
    if (reply->data[0] && unpack(q, reply->data + 1, reply->len - 1, out))
        return true;
    lift_str_add(why, reply->data[0] ? "the interpreter's answer is damaged"
                                     : reply->data + 1);
    explore_answer_fini(out);
    return false;
}

struct lift_worker *explore_interpreter(const struct explore_problem *p)
{
    return p->functions ? lift_worker_create(serve, (void *)p) : NULL;
}

static bool ask(struct lift_worker *worker, const struct explore_question *q,
                struct explore_answer *out, struct lift_str *why)
{
    LIFT_SCOPED(lift_str) reply = {0};
    struct lift_worker_result result;
    struct request request;

    pack(q, &request);
    result = lift_worker_call(worker, &request, sizeof request, time_limit, &reply);
    return receive(q, result, &reply, out, why);
}

bool explore_interpret(const struct explore_question *q, struct explore_answer *out,
                       struct lift_str *why)
{
    struct lift_worker *own;
    bool good;

    *out = (struct explore_answer){0};
    if (!q->problem->functions)
        return interpret(q, out, why);
    LIFT_ASSERT(!q->interpreter || q->term == q->problem->root);
    if (q->interpreter)
        return ask(q->interpreter, q, out, why);
    own = explore_interpreter(q->problem);
    good = ask(own, q, out, why);
    lift_worker_stop(own);
    return good;
}
