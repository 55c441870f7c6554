/* C++'s 'new' and 'delete' on the heap of the C library, for programs under the sanitizer
 * of addresses. lift is C; PoCL, LLVM and clang, which compile OpenCL's kernels within
 * its processes, are C++: their millions of objects are not what the tests look at. What
 * 'malloc' gives is the sanitizer's, whoever calls it. */
#include <stddef.h>
#include <stdlib.h>

/* Of glibc. */
void *__libc_malloc(size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);
void __libc_free(void *p);

/* By the names that compilers give to them; shared libraries find those of the program
 * first. */
#define SHOWN __attribute__((visibility("default")))
SHOWN void *plain_new(size_t bytes) __asm__("_Znwm");
SHOWN void *plain_new_aligned(size_t bytes, size_t align) __asm__("_ZnwmSt11align_val_t");
SHOWN void plain_delete(void *p) __asm__("_ZdlPv");

/* C++ would throw an exception. */
static void *or_abort(void *p)
{
    if (!p)
        abort();
    return p;
}

void *plain_new(size_t bytes)
{
    return or_abort(__libc_malloc(bytes));
}

void *plain_new_aligned(size_t bytes, size_t align)
{
    return or_abort(__libc_memalign(align, bytes));
}

void plain_delete(void *p)
{
    __libc_free(p);
}

/* Those of arrays, and those that are told more: sizes, 'nothrow' and, of 'delete',
 * alignments. */
#define SAME(name, function, symbol, as)                                                 \
    SHOWN __typeof__(function) name __asm__(symbol) __attribute__((alias(as)));
SAME(new_2, plain_new, "_Znam", "_Znwm")
SAME(new_3, plain_new, "_ZnwmRKSt9nothrow_t", "_Znwm")
SAME(new_4, plain_new, "_ZnamRKSt9nothrow_t", "_Znwm")
SAME(new_5, plain_new_aligned, "_ZnamSt11align_val_t", "_ZnwmSt11align_val_t")
SAME(new_6, plain_new_aligned, "_ZnwmSt11align_val_tRKSt9nothrow_t",
     "_ZnwmSt11align_val_t")
SAME(new_7, plain_new_aligned, "_ZnamSt11align_val_tRKSt9nothrow_t",
     "_ZnwmSt11align_val_t")
SAME(delete_2, plain_delete, "_ZdaPv", "_ZdlPv")
SAME(delete_3, plain_delete, "_ZdlPvm", "_ZdlPv")
SAME(delete_4, plain_delete, "_ZdaPvm", "_ZdlPv")
SAME(delete_5, plain_delete, "_ZdlPvRKSt9nothrow_t", "_ZdlPv")
SAME(delete_6, plain_delete, "_ZdaPvRKSt9nothrow_t", "_ZdlPv")
SAME(delete_7, plain_delete, "_ZdlPvSt11align_val_t", "_ZdlPv")
SAME(delete_8, plain_delete, "_ZdaPvSt11align_val_t", "_ZdlPv")
SAME(delete_9, plain_delete, "_ZdlPvmSt11align_val_t", "_ZdlPv")
SAME(delete_10, plain_delete, "_ZdaPvmSt11align_val_t", "_ZdlPv")
SAME(delete_11, plain_delete, "_ZdlPvSt11align_val_tRKSt9nothrow_t", "_ZdlPv")
SAME(delete_12, plain_delete, "_ZdaPvSt11align_val_tRKSt9nothrow_t", "_ZdlPv")
