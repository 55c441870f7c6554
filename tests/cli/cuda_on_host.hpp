/* Runs the text of a CUDA kernel on the host: the threads of a block take turns from
 * barrier to barrier, in one order and then in the other. Asynchronous copies are done at
 * once, or as late as the waits allow: those of a thread when it waits for them, boxes
 * when some thread waits for their memory barrier. What a kernel calls
 * is declared here and compiled once, in cuda_on_host.cpp, with the same REAL. */
#pragma once
#include <initializer_list>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the elements of all grids. */
#ifndef REAL
#define REAL float
#endif

#define __global__
#define __grid_constant__
#define __device__
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)

struct dim3 {
    unsigned x, y, z;
};

extern dim3 threadIdx, blockIdx, blockDim;

/* When a copy is done: where it stands, or as late as a wait allows. */
enum when { AT_ONCE, LATE };
extern when copies_are_done;

/* Prints 'what' with the thread that runs, and ends the process with status 1. */
void fail(const char *what);

/* ---- what kernels call */

void __syncthreads();
REAL __shfl_up_sync(unsigned, REAL x, int places);
REAL __shfl_down_sync(unsigned, REAL x, int places);
bool __any_sync(unsigned, bool mine);

void copy_later(void *to, const void *from, int bytes);
void wait_for_batches(size_t pending);
void lift_commit();

template <int BYTES> static void lift_copy(void *to, const void *from)
{
    copy_later(to, from, BYTES);
}

template <int PENDING> static void lift_wait()
{
    wait_for_batches(PENDING);
}

void lift_open(double *first, int count, unsigned arrivals);
void lift_close(double *first, int count);
void lift_fetch(const void *);
void lift_fence();

/* A tensor map, its dimensions from that of a row on; strides are of all but that. */
struct lift_map {
    size_t number;
};

lift_map map_of(const REAL *data, size_t dims, const long *length, const long *stride,
                const long *box);

static inline lift_map map_of(const REAL *data, std::initializer_list<long> length,
                              std::initializer_list<long> stride,
                              std::initializer_list<long> box)
{
    return map_of(data, length.size(), length.begin(), stride.begin(), box.begin());
}

void lift_expect(int bytes, double *at);
void lift_announce(int bytes, double *at);
void lift_box(void *to, const lift_map *from, int x, int y, double *at);
void lift_box(void *to, const lift_map *from, int x, int y, int z, double *at);
void lift_await(double *at, unsigned parity);
void lift_open_readers(double *first, int count);
void lift_close_readers(double *first, int count);
void lift_arrive_readers(double *at);
void lift_await_readers(double *at, unsigned parity);
void lift_open_parts(double *at);
void lift_close_parts(double *at);
void lift_arrive_part(double *at);
void lift_await_part(double *at, unsigned parity);

/* ---- what a program around a kernel calls */

/* A call of a function object that the caller keeps. */
struct callback {
    void (*call)(const void *of);
    const void *of;
};

template <class BODY> static callback calls(const BODY &body)
{
    return {[](const void *of) { (*(const BODY *)of)(); }, &body};
}

void launch_each(dim3 grid, dim3 block, callback kernel);

template <class BODY> static void launch(dim3 grid, dim3 block, const BODY &body)
{
    launch_each(grid, block, calls(body));
}

/* Aligned as the buffers of a device are. */
REAL *random_data(size_t n);
/* What no kernel writes. */
REAL *result(size_t n);
/* The halo around an input is what results leave alone; it holds zero. */
void clear_halo(size_t n, REAL *input, const REAL *wanted);
/* So many planes before and behind the grid have numbers, too. */
void fill_planes(size_t n, REAL *input, const REAL *wanted, long stride, int before,
                 int behind);

/* Kernel and host code agree, however late the copies are. */
void compare_runs(size_t n, REAL *got, const REAL *wanted, callback run);

template <class BODY>
static void compare(size_t n, REAL *got, const REAL *wanted, const BODY &run)
{
    compare_runs(n, got, wanted, calls(run));
}
