// Iterative closest point registration of clouds (Besl and McKay 1992). Runs without host synchronisation: only the
// state is read back, when the host asks for it. An iteration is one launch: the error left by the previous motion, the
// search, the sums, and, in the last block to finish, the next motion. With an active filter there are two launches,
// since the cut-off distance follows from all pairs. Counterpart of compute/cpu/icp.rs.
#include "lib/block_sum.cuh"
#include "lib/closed_form.cuh"
#include "lib/nearest.cuh"
#include "lib/spread.cuh"

enum Stop : u32 { RUNNING = 0, SMALL_ERROR = 1, SMALL_CHANGE = 2, MAX_ITERATIONS = 3, UNDETERMINED = 4 };
enum Filter : u32 { ALL_PAIRS = 0, SIGMA = 1, MAD = 2 };
enum Start : u32 { CENTRE = 0, LEAF = 1, PREVIOUS = 2, LEAF_THEN_PREVIOUS = 3 };

// State of the registration between launches.
struct State {
    Pose pose;       // truth from sensed
    double error;    // mean squared distance after the last iteration evaluated, mm^2; infinite at first
    double cutoff;   // maximum distance of the pairs that pass the filter, mm
    u32 iteration;   // motions found
    u32 stop;
    u32 arrived;     // blocks that have finished; zero between launches
    u32 active;      // pairs used for the last motion
    u64 cycles[3];   // clock cycles of the last blocks to finish: search, sums, motion
};

// Record of one iteration.
struct Iteration {
    Pose pose;       // truth from sensed
    double error;    // mean squared distance at this pose, mm^2
    double visited;  // vertices visited by all walks
    u32 active;      // pairs used
    u32 pad;
};

// Bins of the histogram of walk lengths; the last one holds all longer walks.
constexpr u32 VISITS = 256;

struct Request {
    Points truth;
    Graph graph;
    const double* sensed;  // 3 each, mm, along a space-filling curve
    u32 count;
    u32 max_iterations;
    u32* matches;          // tree indices of the truth by sensed point, in two halves: of even and of odd iterations
    double* distances;     // likewise, mm
    u32* visits;           // null, or 2 x VISITS: walks by length in the first and in all later iterations
    State* state;
    Iteration* history;
    double* partial;       // 32 per block
    Vec3 sensed_about;     // reference points of the sums, mm
    Vec3 truth_about;
    double error_limit, change_limit;  // mm^2
    double filter_limit;   // standard deviations; robust ones for MAD
    u32 filter;
    u32 filter_from;       // first iteration with an active filter
    u32 start;             // of walks
    u32 has_previous;      // whether there are initial matches
};

// Sums over the pairs: sensed points, truth points, their products, number of pairs, squared distances after the
// previous motion, distances, their squares, vertices visited.
constexpr u32 TERMS = 20;
enum Term : u32 {
    OF_SENSED = 0,
    OF_TRUTH = 3,
    OF_PRODUCTS = 6,
    PAIRS = 15,
    ERROR = 16,
    DISTANCE = 17,
    SQUARE = 18,
    VISITED = 19
};

// Whether the filter is active in an iteration.
__device__ inline bool is_filter_on(const Request& request, u32 iteration) {
    return request.filter != ALL_PAIRS && iteration >= request.filter_from;
}

// Matches of an iteration. Those of the previous one are kept, since the last search may turn out to be one too many.
struct Matches {
    u32* matches;
    double* distances;  // mm
};
__device__ inline Matches matches_of(const Request& request, u32 iteration) {
    u64 half = iteration % 2 ? request.count : 0;
    return {request.matches + half, request.distances + half};
}

__device__ inline void add_pair(const Request& request, Vec3 sensed, Vec3 truth, double* sums) {
    Vec3 p = sensed - request.sensed_about, y = truth - request.truth_about;
    double of_p[3] = {p.x, p.y, p.z}, of_y[3] = {y.x, y.y, y.z};
    #pragma unroll
    for (u32 i = 0; i < 3; i++) {
        sums[OF_SENSED + i] += of_p[i];
        sums[OF_TRUTH + i] += of_y[i];
        #pragma unroll
        for (u32 j = 0; j < 3; j++) sums[OF_PRODUCTS + 3 * i + j] += of_p[i] * of_y[j];
    }
    sums[PAIRS] += 1.0;
}

// Adds the sums of all blocks in a fixed order. True in the last block to finish, where totals[t] holds term t.
__device__ inline bool add_blocks(const Request& request, const double* sums, double* totals) {
    __shared__ bool is_last;
    __shared__ double rows[SUM_THREADS / 32][32];
    double block_total = block_sum<TERMS>(sums);
    if (threadIdx.x < TERMS) request.partial[blockIdx.x * 32 + threadIdx.x] = block_total;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(&request.state->arrived, 1u) + 1 == gridDim.x;
    __syncthreads();
    if (!is_last) return false;
    __threadfence();
    u32 row = threadIdx.x / 32, term = threadIdx.x % 32;
    double sum = 0.0;
    if (term < TERMS) {
        const volatile double* partial = request.partial;
        #pragma unroll 4
        for (u32 block = row; block < gridDim.x; block += SUM_THREADS / 32) sum += partial[block * 32 + term];
    }
    rows[row][term] = sum;
    __syncthreads();
    if (threadIdx.x < TERMS) {
        sum = 0.0;
        for (u32 r = 0; r < SUM_THREADS / 32; r++) sum += rows[r][threadIdx.x];
        totals[threadIdx.x] = sum;
    }
    __syncthreads();
    return true;
}

// Records the error left by the previous motion, and stops if a criterion is met.
__device__ inline void check_convergence(const Request& request, State& state, double error_sum) {
    if (state.iteration == 0) return;
    double error = error_sum / (double)state.active, previous = state.error;
    // A small change does not stop it before the filter is active.
    bool is_settled = request.filter == ALL_PAIRS || is_filter_on(request, state.iteration - 1);
    request.history[state.iteration - 1].error = error;
    state.error = error;
    if (error < request.error_limit) {
        state.stop = SMALL_ERROR;
    } else if (state.iteration > 1 && is_settled && fabs(previous - error) < request.change_limit) {
        state.stop = SMALL_CHANGE;
    } else if (state.iteration == request.max_iterations) {
        state.stop = MAX_ITERATIONS;
    }
}

// Finds the next motion.
__device__ inline void update_pose(const Request& request, State& state, const double* totals) {
    double count = totals[PAIRS];
    Vec3 p = {totals[0] / count, totals[1] / count, totals[2] / count};
    Vec3 y = {totals[3] / count, totals[4] / count, totals[5] / count};
    double of_p[3] = {p.x, p.y, p.z}, of_y[3] = {y.x, y.y, y.z}, covariance[9];
    for (u32 i = 0; i < 3; i++) {
        for (u32 j = 0; j < 3; j++) covariance[3 * i + j] = totals[OF_PRODUCTS + 3 * i + j] - of_p[i] * of_y[j] * count;
    }
    if (!(count > 0.0) || !rigid_motion(request.truth_about + y, request.sensed_about + p, covariance, state.pose)) {
        state.stop = UNDETERMINED;
        return;
    }
    state.active = (u32)count;
    Iteration& iteration = request.history[state.iteration++];
    iteration.pose = state.pose;
    iteration.active = state.active;
}

template <class Search>
__device__ inline void iterate(const Request& request, Search search) {
    __shared__ double totals[TERMS];
    long long started = clock64();
    State state = *request.state;
    if (state.stop != RUNNING) return;
    bool is_first = state.iteration == 0, is_final = state.iteration == request.max_iterations;
    Matches previous = matches_of(request, state.iteration + 1), current = matches_of(request, state.iteration);
    double sums[TERMS];
    double error = 0.0, total_visited = 0.0;
    u32 stride = gridDim.x * blockDim.x;
    // All threads of a block run the same number of rounds, since some searches synchronise the block.
    for (u32 first = blockIdx.x * blockDim.x; first < request.count; first += stride) {
        u32 i = first + threadIdx.x;
        bool is_active = i < request.count;
        Vec3 query = transform(state.pose, at(request.sensed, is_active ? i : request.count - 1));
        u32 match = is_active && (!is_first || request.has_previous) ? previous.matches[i] : NONE;
        if (is_active && !is_first && previous.distances[i] <= state.cutoff) {
            error += squared_distance(request.truth, match, query);
        }
        if (is_final) continue;
        u32 visited = 0;
        Nearest nearest = search(is_active, query, match, visited);
        if (!is_active) continue;
        current.matches[i] = nearest.tree_index;
        current.distances[i] = sqrt(nearest.squared);
        total_visited += (double)visited;
        if (visited && request.visits) {
            atomicAdd(&request.visits[(is_first ? 0 : VISITS) + min(visited, VISITS - 1)], 1u);
        }
    }
    long long searched = clock64();
    // Summed in a second loop, so that the sums take no registers from the search.
    #pragma unroll
    for (u32 term = 0; term < TERMS; term++) sums[term] = 0.0;
    sums[ERROR] = error;
    sums[VISITED] = total_visited;
    bool is_filtered = is_filter_on(request, state.iteration);
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < request.count && !is_final; i += stride) {
        if (is_filtered) {
            double distance = current.distances[i];
            sums[DISTANCE] += distance;
            sums[SQUARE] += distance * distance;
        } else {
            add_pair(request, at(request.sensed, i), position_at(request.truth.positions, current.matches[i]), sums);
        }
    }
    if (!add_blocks(request, sums, totals) || threadIdx.x > 0) return;
    long long summed = clock64();
    State& next = *request.state;
    next.arrived = 0;
    next.cycles[0] += (u64)(searched - started);
    next.cycles[1] += (u64)(summed - searched);
    check_convergence(request, next, totals[ERROR]);
    if (next.stop != RUNNING) return;
    request.history[next.iteration].visited = totals[VISITED];
    next.cutoff = __longlong_as_double(0x7FF0000000000000ll);
    if (!is_filtered) {
        update_pose(request, next, totals);
    } else if (request.filter == SIGMA) {
        double mean = totals[DISTANCE] / request.count;
        next.cutoff = mean + request.filter_limit * sqrt(max(totals[SQUARE] / request.count - mean * mean, 0.0));
    }
    next.cycles[2] += (u64)(clock64() - summed);
}

// Launch icp_brute_force, icp_tree, icp_leaf, icp_walk and icp_filtered with 256 threads and any number of blocks.
extern "C" __global__ void icp_brute_force(Request request) {
    iterate(request, [&](bool, Vec3 query, u32, u32&) { return nearest_of_all(request.truth, query); });
}

extern "C" __global__ void icp_tree(Request request) {
    iterate(request, [&](bool is_active, Vec3 query, u32, u32&) {
        return is_active ? nearest_by_tree(request.truth, query, __longlong_as_double(0x7FF0000000000000ll))
                         : no_match();
    });
}

extern "C" __global__ void icp_leaf(Request request) {
    iterate(request, [&](bool is_active, Vec3 query, u32, u32&) {
        return is_active ? nearest_in_leaf(request.truth, query) : no_match();
    });
}

extern "C" __global__ void icp_walk(Request request) {
    iterate(request, [&](bool is_active, Vec3 query, u32 match, u32& visited) {
        if (!is_active) return no_match();
        bool is_leaf = request.start == LEAF || (request.start == LEAF_THEN_PREVIOUS && match == NONE);
        u32 from = is_leaf ? nearest_in_leaf(request.truth, query).tree_index : request.start == CENTRE ? NONE : match;
        return nearest_by_walk(request.truth, request.graph, query, from == NONE ? request.graph.central_point : from,
                               visited);
    });
}

// Second half of an iteration with an active filter: the sums over the pairs that pass the filter, and the motion.
// `statistics` holds the median distance if the filter is MAD.
extern "C" __global__ void icp_filtered(Request request, const RobustStatistics* statistics) {
    __shared__ double totals[TERMS];
    State state = *request.state;
    if (state.stop != RUNNING || !is_filter_on(request, state.iteration)) return;
    Matches current = matches_of(request, state.iteration);
    double cutoff = request.filter == MAD ? request.filter_limit * 1.4826 * statistics->median : state.cutoff;
    double sums[TERMS];
    #pragma unroll
    for (u32 term = 0; term < TERMS; term++) sums[term] = 0.0;
    for (u32 i = thread_index(); i < request.count; i += gridDim.x * blockDim.x) {
        if (!(current.distances[i] <= cutoff)) continue;
        add_pair(request, at(request.sensed, i), position_at(request.truth.positions, current.matches[i]), sums);
    }
    if (!add_blocks(request, sums, totals) || threadIdx.x > 0) return;
    State& next = *request.state;
    next.arrived = 0;
    next.cutoff = cutoff;
    update_pose(request, next, totals);
}

// Tree index of each point index.
extern "C" __global__ void invert_order(Points truth, u32* tree_positions) {
    u32 tree_index = thread_index();
    if (tree_index < truth.count) tree_positions[__float_as_uint(truth.pre_filter[tree_index].w)] = tree_index;
}

// Rows and edges of the graph by tree index, from those by point index.
extern "C" __global__ void place_graph(Points truth, const u32* tree_positions, const u32* starts,
                                       const u32* neighbours, uint2* rows, float4* edges) {
    u32 index = thread_index();
    if (index >= truth.count) return;
    u32 first = starts[index], end = starts[index + 1];
    rows[tree_positions[index]] = {first, end};
    for (u32 edge = first; edge < end; edge++) {
        u32 tree_index = tree_positions[neighbours[edge]];
        float4 neighbour = truth.pre_filter[tree_index];
        neighbour.w = __uint_as_float(tree_index);
        edges[edge] = neighbour;
    }
}

// Replaces each match by its entry in `map`: tree indices by point indices, or the reverse.
extern "C" __global__ void icp_rename(u32* matches, u32 count, const u32* map) {
    u32 i = thread_index();
    if (i < count) matches[i] = map[matches[i]];
}
