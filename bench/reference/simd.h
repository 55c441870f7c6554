/* SIMD vectors of at least four elements: aligned loads, neighbours by shuffles of
 * aligned vectors, non-temporal stores. */
#ifdef __x86_64__
#include <immintrin.h>
#endif
#if defined(__AVX512F__)
enum { W = 64 / REAL_BYTES };
#elif defined(__AVX__)
enum { W = 32 / REAL_BYTES };
#else
enum { W = 4 };
#endif

typedef REAL vec __attribute__((vector_size(W * REAL_BYTES), may_alias));

#define INLINE static inline __attribute__((always_inline))
#define LOAD(from) (*(const vec *)(from))
#define PREFETCH(at) __builtin_prefetch(at, 0, 3)

/* W elements of 'low' and then 'high', from the k-th on. */
#if defined(__AVX512F__)
#if REAL_BYTES == 4
#define ALIGNED _mm512_alignr_epi32
#else
#define ALIGNED _mm512_alignr_epi64
#endif
#define BETWEEN(low, high, k) ((vec)ALIGNED((__m512i)(high), (__m512i)(low), k))
#elif defined(__AVX__) && REAL_BYTES == 4
#define BETWEEN(low, high, k)                                                            \
    __builtin_shufflevector(low, high, (k), (k) + 1, (k) + 2, (k) + 3, (k) + 4, (k) + 5, \
                            (k) + 6, (k) + 7)
#else
#define BETWEEN(low, high, k)                                                            \
    __builtin_shufflevector(low, high, (k), (k) + 1, (k) + 2, (k) + 3)
#endif

/* After the last one each thread fences. */
INLINE void stream(REAL *to, vec value)
{
#if defined(__clang__)
    __builtin_nontemporal_store(value, (vec *)to);
#elif defined(__AVX512F__)
    _mm512_stream_ps((float *)to, (__m512)value);
#elif defined(__AVX__)
    _mm256_stream_ps((float *)to, (__m256)value);
#else
    *(vec *)to = value;
#endif
}

INLINE void fence(void)
{
#ifdef __x86_64__
    _mm_sfence();
#endif
}
