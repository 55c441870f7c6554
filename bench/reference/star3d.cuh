/* The border of stars of radius R: it is kept. */
__device__ __forceinline__ bool on_border(int x, int y, int z)
{
    return x < R || x >= NX - R || y < R || y >= NY - R || z < R || z >= NZ - R;
}
