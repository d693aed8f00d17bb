// Morton keys of ten bits an axis.
#pragma once
#include "vec.cuh"

// Puts two zero bits before each of the low ten bits.
__device__ inline u32 spread(u32 v) {
    v = (v | v << 16) & 0x030000FFu;
    v = (v | v << 8) & 0x0300F00Fu;
    v = (v | v << 4) & 0x030C30C3u;
    return (v | v << 2) & 0x09249249u;
}

// The key of a place, given the lowest corner of the box of all and 1023 over its longest side.
__device__ inline u32 morton_key(Vec3 place, Vec3 low, double cells_per_mm) {
    Vec3 cell = (place - low) * cells_per_mm;
    return spread((u32)cell.x) | spread((u32)cell.y) << 1 | spread((u32)cell.z) << 2;
}
