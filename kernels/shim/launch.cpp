// All kernels as one shared library with one entry point:
// g++ -O2 -std=c++17 -ffp-contract=off -fPIC -shared launch.cpp
#include "cuda_on_cpu.hpp"

// Included once, outside the namespaces of the kernel files.
#include "../lib/block_sum.cuh"
#include "../lib/climb.cuh"
#include "../lib/closed_form.cuh"
#include "../lib/facets.cuh"
#include "../lib/grid.cuh"
#include "../lib/jacobi.cuh"
#include "../lib/morton.cuh"
#include "../lib/nearest.cuh"
#include "../lib/rays.cuh"
#include "../lib/spread.cuh"
#include "../lib/surface.cuh"
#include "../lib/triangle.cuh"
#include "../lib/voxels.cuh"

#include "files.inc"

#include <string>
#include <tuple>
#include <utility>

namespace {

template <class... A, size_t... I>
void call(void (*kernel)(A...), void** arguments, std::index_sequence<I...>) {
    kernel(*static_cast<std::remove_const_t<std::remove_reference_t<A>>*>(arguments[I])...);
}

template <auto kernel>
struct Entry;
template <class... A, void (*kernel)(A...)>
struct Entry<kernel> {
    static void body(void* arguments) {
        call(kernel, static_cast<void**>(arguments), std::index_sequence_for<A...>{});
    }
};

struct NamedKernel {
    const char* name;
    void (*body)(void*);
};

#define KERNEL(file, name) {#name, Entry<file::name>::body}
const NamedKernel KERNELS[] = {
#include "kernels.inc"
};

}  // namespace

// Runs a kernel. Returns 0 on success, 1 if there is no such kernel, 2 if threads waited at different barriers.
extern "C" int shim_launch(const char* name, unsigned grid, unsigned threads, void** arguments) {
    for (const NamedKernel& kernel : KERNELS) {
        if (std::string(kernel.name) != name) continue;
        try {
            shim::launch(grid, threads, kernel.body, arguments);
            return 0;
        } catch (const std::exception&) {
            return 2;
        }
    }
    return 1;
}
