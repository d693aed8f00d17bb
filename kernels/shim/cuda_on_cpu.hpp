// Runs kernels on the CPU, for tests: one fibre per CUDA thread, one block at a time, in order.
//
// Provides only the CUDA functions that our kernels use. Exposes wrong indices, divergent barriers always, and races
// between barriers only by chance; memory ordering and register limits need a device.
#pragma once
#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <ucontext.h>
#include <vector>

#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(...)
#define __noinline__ __attribute__((noinline))
#define __align__(n) alignas(n)

using std::max;
using std::min;

struct Index {
    unsigned x = 0, y = 0, z = 0;
};
struct int3 {
    int x, y, z;
};
struct float3 {
    float x, y, z;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) double2 {
    double x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
inline Index threadIdx, blockIdx, blockDim, gridDim;

namespace shim {

constexpr unsigned WARP = 32;
constexpr size_t STACK_BYTES = 64 << 10;

struct Warp {
    unsigned size = 0, arrived = 0, generation = 0;
    uint64_t slots[2][WARP] = {};
};

// The stack of a CUDA thread and where it goes on. Jumps between stacks leave the signal mask alone, which takes a system call
// with `swapcontext`; so that starts on a stack are rare, the same fibre runs that thread of one block after another.
struct Fibre {
    std::unique_ptr<char[]> stack{new char[STACK_BYTES]};
    jmp_buf state;
    bool is_started = false;
};

// The running block: its barrier and its warps.
struct Block {
    std::vector<bool> done;
    std::vector<Warp> warps;
    jmp_buf scheduler;
    unsigned current = 0, live = 0, arrived = 0, generation = 0;
    bool progressed = false;  // in this round of the scheduler
    void (*body)(void*) = nullptr;
    void* arguments = nullptr;
};
inline Block block;
inline std::vector<std::unique_ptr<Fibre>> fibres;

inline void yield() {
    if (_setjmp(fibres[block.current]->state) == 0) _longjmp(block.scheduler, 1);
}

inline void entry() {
    for (;;) {
        block.body(block.arguments);
        block.done[block.current] = true;
        block.live--;
        block.progressed = true;
        yield();
    }
}

// Runs a fibre until it yields.
inline void resume(Fibre& fibre) {
    if (_setjmp(block.scheduler) != 0) return;
    if (fibre.is_started) _longjmp(fibre.state, 1);
    fibre.is_started = true;
    ucontext_t start;
    getcontext(&start);
    start.uc_stack.ss_sp = fibre.stack.get();
    start.uc_stack.ss_size = STACK_BYTES;
    start.uc_link = nullptr;
    makecontext(&start, entry, 0);
    setcontext(&start);
}

// Waits until every live thread of the block has arrived.
inline void barrier() {
    unsigned generation = block.generation;
    block.progressed = true;
    if (++block.arrived == block.live) {
        block.arrived = 0;
        block.generation++;
        return;
    }
    while (block.generation == generation) yield();
}

// Exchanges a value between all threads of the warp; 0 for missing lanes.
inline void exchange(uint64_t value, uint64_t* all) {
    Warp& warp = block.warps[block.current / WARP];
    unsigned generation = warp.generation, lane = block.current % WARP;
    warp.slots[generation % 2][lane] = value;
    block.progressed = true;
    if (++warp.arrived == warp.size) {
        warp.arrived = 0;
        warp.generation++;
    }
    while (warp.generation == generation) yield();
    std::memcpy(all, warp.slots[generation % 2], sizeof warp.slots[0]);
}

inline void run_block(unsigned threads) {
    while (fibres.size() < threads) fibres.emplace_back(new Fibre);
    block.done.assign(threads, false);
    block.warps.assign((threads + WARP - 1) / WARP, Warp{});
    block.live = threads;
    block.arrived = 0;
    for (unsigned i = 0; i < threads; i++) block.warps[i / WARP].size++;
    while (block.live > 0) {
        block.progressed = false;
        for (unsigned i = 0; i < threads; i++) {
            if (block.done[i]) continue;
            block.current = i;
            threadIdx.x = i;
            resume(*fibres[i]);
        }
        if (!block.progressed) {
            // Those that wait would go on in the middle of their kernel.
            fibres.clear();
            throw std::runtime_error("threads wait at different barriers");
        }
    }
}

inline void launch(unsigned grid, unsigned threads, void (*body)(void*), void* arguments) {
    block.body = body;
    block.arguments = arguments;
    gridDim.x = grid;
    blockDim.x = threads;
    for (unsigned i = 0; i < grid; i++) {
        blockIdx.x = i;
        run_block(threads);
    }
}

}  // namespace shim

// No clock: timings need a device.
inline long long clock64() { return 0; }
inline void __syncthreads() { shim::barrier(); }
inline void __syncwarp() {
    uint64_t all[shim::WARP];
    shim::exchange(0, all);
}
inline bool __any_sync(unsigned, bool predicate) {
    uint64_t all[shim::WARP];
    shim::exchange(predicate, all);
    unsigned size = shim::block.warps[shim::block.current / shim::WARP].size;
    return std::any_of(all, all + size, [](uint64_t lane) { return lane != 0; });
}
inline unsigned __match_any_sync(unsigned, unsigned value) {
    uint64_t all[shim::WARP];
    shim::exchange(value, all);
    unsigned same = 0;
    for (unsigned lane = 0; lane < shim::block.warps[shim::block.current / shim::WARP].size; lane++) {
        if (all[lane] == value) same |= 1u << lane;
    }
    return same;
}
template <class T>
T __shfl_down_sync(unsigned, T value, unsigned offset) {
    static_assert(sizeof(T) <= sizeof(uint64_t));
    uint64_t own = 0, all[shim::WARP];
    std::memcpy(&own, &value, sizeof value);
    shim::exchange(own, all);
    unsigned from = shim::block.current % shim::WARP + offset;
    if (from < shim::WARP) std::memcpy(&value, &all[from], sizeof value);
    return value;
}
inline void __threadfence() {}
template <class T>
T __ldg(const T* address) {
    return *address;
}
template <class T>
T atomicAdd(T* address, T value) {
    T before = *address;
    *address += value;
    return before;
}
template <class T>
T atomicOr(T* address, T value) {
    T before = *address;
    *address |= value;
    return before;
}
template <class T>
T atomicMin(T* address, T value) {
    T before = *address;
    *address = std::min(before, value);
    return before;
}
inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __clz(unsigned v) { return v ? __builtin_clz(v) : 32; }
inline unsigned __float_as_uint(float v) {
    unsigned bits;
    std::memcpy(&bits, &v, sizeof bits);
    return bits;
}
inline float __uint_as_float(unsigned v) {
    float value;
    std::memcpy(&value, &v, sizeof value);
    return value;
}
inline long long __double_as_longlong(double v) {
    long long bits;
    std::memcpy(&bits, &v, sizeof bits);
    return bits;
}
inline double __longlong_as_double(long long v) {
    double value;
    std::memcpy(&value, &v, sizeof value);
    return value;
}
inline float __fdividef(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline float __double2float_rd(double v) {
    float f = (float)v;
    return (double)f > v ? std::nextafter(f, -INFINITY) : f;
}
inline float __double2float_ru(double v) {
    float f = (float)v;
    return (double)f < v ? std::nextafter(f, INFINITY) : f;
}
