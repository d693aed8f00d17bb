// Robust statistics of the magnitudes of many values.
#pragma once
#include "vec.cuh"

struct RobustStatistics {
    double cutoff;  // largest magnitude left after trimming
    double median;  // of the magnitudes left after trimming
    u32 matched;    // values that are not NaN
    u32 pad;
};
