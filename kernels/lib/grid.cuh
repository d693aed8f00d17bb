// Points as they come, and the grid of cubic cells that they are sorted into.
#pragma once
#include "vec.cuh"

struct Grid {
    const double* points;  // 3 each, mm
    u32 count;
    u32 pad;
    Vec3 origin;           // min corner
    double cell_mm;        // edge of a cell
};
