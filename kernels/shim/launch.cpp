// All kernels as one shared library with one way in: g++ -O2 -std=c++17 -ffp-contract=off -fPIC -shared launch.cpp
#include "cuda_on_cpu.hpp"

// Once and outside the namespaces that keep the files apart.
#include "../lib/block_sum.cuh"
#include "../lib/climb.cuh"
#include "../lib/closed_form.cuh"
#include "../lib/facets.cuh"
#include "../lib/jacobi.cuh"
#include "../lib/morton.cuh"
#include "../lib/nearest.cuh"
#include "../lib/spread.cuh"
#include "../lib/surface.cuh"

namespace radix_sort {
#include "../radix_sort.cu"
}
namespace facet_tree {
#include "../facet_tree.cu"
}
namespace tree_links {
#include "../tree_links.cu"
}
namespace point_tree {
#include "../point_tree.cu"
}
namespace point_facet_matching {
#include "../point_facet_matching.cu"
}
namespace facet_facet_matching {
#include "../facet_facet_matching.cu"
}
namespace parallel_planes {
#include "../parallel_planes.cu"
}
namespace closest_point {
#include "../closest_point.cu"
}
namespace order_statistic {
#include "../order_statistic.cu"
}
namespace icp {
#include "../icp.cu"
}
namespace published_matching {
#include "../published_matching.cu"
}
namespace neighbourhoods {
#include "../neighbourhoods.cu"
}
namespace statistics {
#include "../statistics.cu"
}
namespace thinning {
#include "../thinning.cu"
}
namespace smoothing {
#include "../smoothing.cu"
}
namespace registration {
#include "../registration.cu"
}

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

struct Named {
    const char* name;
    void (*body)(void*);
};

#define KERNEL(file, name) {#name, Entry<file::name>::body}
const Named KERNELS[] = {
    KERNEL(radix_sort, radix_count),
    KERNEL(radix_sort, exclusive_scan),
    KERNEL(radix_sort, radix_scatter),
    KERNEL(facet_tree, facet_keys),
    KERNEL(facet_tree, facet_corners),
    KERNEL(facet_tree, facet_boxes),
    KERNEL(tree_links, tree_links),
    KERNEL(point_tree, point_keys),
    KERNEL(point_tree, point_order),
    KERNEL(point_tree, point_boxes),
    KERNEL(point_facet_matching, point_facet_matching),
    KERNEL(facet_facet_matching, facet_facet_matching),
    KERNEL(parallel_planes, plane_moments),
    KERNEL(closest_point, closest_candidates),
    KERNEL(closest_point, settle_ties),
    KERNEL(closest_point, signed_closest),
    KERNEL(icp, icp_brute_force),
    KERNEL(icp, icp_tree),
    KERNEL(icp, icp_leaf),
    KERNEL(icp, icp_walk),
    KERNEL(icp, icp_filtered),
    KERNEL(icp, icp_rename),
    KERNEL(icp, invert_order),
    KERNEL(icp, place_graph),
    KERNEL(smoothing, smooth),
    KERNEL(published_matching, published_points_naive),
    KERNEL(published_matching, published_points_bundled),
    KERNEL(published_matching, published_points_complete),
    KERNEL(published_matching, published_points_read_only),
    KERNEL(published_matching, published_facets_naive),
    KERNEL(published_matching, published_facets_bundled),
    KERNEL(published_matching, published_facets_complete),
    KERNEL(published_matching, published_facets_read_only),
    KERNEL(neighbourhoods, neighbourhoods),
    KERNEL(statistics, statistic_keys),
    KERNEL(statistics, statistic_counts),
    KERNEL(statistics, statistic_spread),
    KERNEL(statistics, statistic_ranks),
    KERNEL(thinning, thin_keys),
    KERNEL(thinning, thin_cells),
    KERNEL(thinning, thin_round),
    KERNEL(registration, pair_with_surface),
    KERNEL(registration, pair_with_points),
    KERNEL(order_statistic, select_first),
    KERNEL(order_statistic, select_second),
    KERNEL(order_statistic, select_list),
    KERNEL(order_statistic, select_last),
    KERNEL(registration, sum_equations),
    KERNEL(registration, total_equations),
};

}  // namespace

// 0 done, 1 no such kernel, 2 threads waited at different barriers.
extern "C" int shim_launch(const char* name, unsigned grid, unsigned threads, void** arguments) {
    for (const Named& kernel : KERNELS) {
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
