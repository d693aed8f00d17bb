// Morton keys with 10 bits per axis.
#pragma once
#include "vec.cuh"

// Inserts two zero bits before each of the 10 low bits.
__device__ inline u32 spread_bits(u32 v) {
    v = (v | v << 16) & 0x030000FFu;
    v = (v | v << 8) & 0x0300F00Fu;
    v = (v | v << 4) & 0x030C30C3u;
    return (v | v << 2) & 0x09249249u;
}

// The curve through the cells of a bounding box, mm.
struct Curve {
    Vec3 origin;          // min corner of the box
    double cells_per_mm;  // 1023 over its longest side; 0 if that is 0
    Vec3 centre;          // origin of the f32 coordinates
};

__device__ inline u32 morton_key(Vec3 point, const Curve& curve) {
    Vec3 cell = (point - curve.origin) * curve.cells_per_mm;
    return spread_bits((u32)cell.x) | spread_bits((u32)cell.y) << 1 | spread_bits((u32)cell.z) << 2;
}
