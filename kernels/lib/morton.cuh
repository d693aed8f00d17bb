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

// Where a curve runs, from the box of all places, mm.
struct Curve {
    Vec3 low;             // lowest corner of the box
    double cells_per_mm;  // 1023 over its longest side
    Vec3 centre;          // what f32 coordinates are about
};

__device__ inline u32 morton_key(Vec3 place, const Curve& curve) {
    Vec3 cell = (place - curve.low) * curve.cells_per_mm;
    return spread((u32)cell.x) | spread((u32)cell.y) << 1 | spread((u32)cell.z) << 2;
}
