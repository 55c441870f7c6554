/* Runs the text of a CUDA kernel whose groups wait for each other on the host: each
 * work-item is a thread, all of them at once. With -fsanitize=thread what one reads or
 * overwrites of another without having waited for it is found, however the threads went.
 * What a kernel calls is declared here and compiled once, in groups_on_host.cpp. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define __global__
#define __device__
#define __launch_bounds__(...)

struct dim3 {
    unsigned x, y, z;
};

extern __thread dim3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

void __syncthreads();
unsigned lift_acquire(const unsigned *from);
void lift_release(unsigned *to, unsigned value);

void launch_each(dim3 grid, dim3 block, void (*kernel)(const void *of), const void *of);

template <class BODY> static void launch(dim3 grid, dim3 block, const BODY &body)
{
    launch_each(
        grid, block, [](const void *of) { (*(const BODY *)of)(); }, &body);
}

float *room(size_t n);
float *random_data(size_t n);
void compare(size_t n, const float *got, const float *wanted);
