/* Counts the accesses to memory of an emitted CUDA program that runs on the host by
 * tests/cli/runtime_on_host.hpp. The program is compiled without optimisation and with
 * -fsanitize=thread: each load and store of its text then calls a function of counted.cpp.
 * For the first launch of each kernel the program prints a line 'COUNT {...}': the accesses
 * of the block in the middle of the grid. */
#pragma once
#include "runtime_on_host.hpp"

/* A parameter of a kernel; NULL: it is no pointer. */
struct counted_array {
    const char *name;
    const void *data;
};

void counted_buffer(const void *data, size_t bytes);
/* 'local': the array of shared memory whose size a launch gives. */
bool counted_begin(const char *kernel, std::initializer_list<counted_array> arrays, dim3 grid,
                   const void *local, size_t local_bytes);
void counted_end(const char *kernel);
void counted_barrier(), counted_wait();
void counted_copied(const void *from, int bytes);
void counted_boxed(), counted_box_bytes(int bytes);

/* Arrays in shared memory lie in a section of their own. */
#undef __shared__
#define __shared__ static __attribute__((section("counted_shared")))

template <class T> static const void *counted_pointer(const T &)
{
    return NULL;
}
template <class T> static const void *counted_pointer(T *const &p)
{
    return p;
}

template <class BODY>
static void counted_launch(const char *kernel, std::initializer_list<counted_array> arrays,
                           dim3 grid, dim3 block, size_t bytes, BODY body)
{
    bool first = counted_begin(kernel, arrays, grid, lift_local, sizeof lift_local);

    on_host(grid, block, bytes, body);
    if (first)
        counted_end(kernel);
}

/* ---- the calls of kernels and of the program around them, counted */

static inline cudaError_t counted_malloc(void **data, size_t bytes)
{
    cudaError_t code = cudaMalloc(data, bytes);

    counted_buffer(*data, bytes);
    return code;
}

static inline void counted_syncthreads()
{
    counted_barrier();
    __syncthreads();
}

template <int BYTES> static void counted_copy(void *to, const void *from)
{
    counted_copied(from, BYTES);
    lift_copy<BYTES>(to, from);
}

static inline void counted_expect(int bytes, double *at)
{
    counted_box_bytes(bytes);
    lift_expect(bytes, at);
}

static inline void counted_announce(int bytes, double *at)
{
    counted_box_bytes(bytes);
    lift_announce(bytes, at);
}

template <class... ARGS> static void counted_box(ARGS... args)
{
    counted_boxed();
    lift_box(args...);
}

static inline void counted_await(double *at, unsigned parity)
{
    counted_wait();
    lift_await(at, parity);
}

#define cudaMalloc counted_malloc
#define __syncthreads counted_syncthreads
#define lift_copy counted_copy
#define lift_expect counted_expect
#define lift_announce counted_announce
#define lift_box counted_box
#define lift_await counted_await
