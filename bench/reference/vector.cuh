/* Sixteen bytes of a row: what a thread loads, adds and stores at once; and the row around
 * them. */
enum { LANES = 16 / sizeof(REAL) };

struct __align__(16) vec {
    REAL at[LANES];
};

__device__ __forceinline__ vec load(const REAL *__restrict__ from)
{
    return *reinterpret_cast<const vec *>(from);
}

__device__ __forceinline__ void store(REAL *__restrict__ to, const vec &value)
{
    *reinterpret_cast<vec *>(to) = value;
}

/* A vector and whole vectors beside it, for neighbours up to REACH away. */
template <int REACH> struct span {
    enum { SIDE = (REACH + LANES - 1) / LANES * LANES, WIDE = 2 * SIDE + LANES };
    REAL at[WIDE];

    __device__ __forceinline__ REAL operator()(int lane, int dx) const
    {
        return at[SIDE + lane + dx];
    }

    __device__ __forceinline__ vec middle() const
    {
        vec out;

#pragma unroll
        for (int i = 0; i < LANES; i++)
            out.at[i] = at[SIDE + i];
        return out;
    }
};

template <int REACH> __device__ __forceinline__ span<REACH> load_span(const REAL *from)
{
    span<REACH> out;

#pragma unroll
    for (int v = 0; v < span<REACH>::WIDE; v += LANES) {
        const vec part = load(from + v - span<REACH>::SIDE);

#pragma unroll
        for (int i = 0; i < LANES; i++)
            out.at[v + i] = part.at[i];
    }
    return out;
}
