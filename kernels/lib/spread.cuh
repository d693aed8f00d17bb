// What is known of the sizes of many values.
#pragma once
#include "vec.cuh"

struct Spread {
    double cut;     // largest that takes part
    double median;  // of those that take part
    u32 matched;    // values that are numbers
    u32 pad;
};
