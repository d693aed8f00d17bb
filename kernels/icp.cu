// Iterative closest points between clouds (Besl and McKay 1992). An iteration is one launch: the error that the motion
// found before leaves, the search, the sums, and in the block that ends last the next motion. With a filter on it is
// two, as the largest distance that takes part follows from all pairs. Nothing comes back but the state, when the host
// asks. The twin of compute/cpu/icp.rs.
#include "lib/block_sum.cuh"
#include "lib/closed_form.cuh"
#include "lib/nearest.cuh"
#include "lib/spread.cuh"

enum Stop : u32 { RUNNING = 0, SMALL_ERROR = 1, SMALL_CHANGE = 2, MAX_ITERATIONS = 3, UNDETERMINED = 4 };
enum Filter : u32 { ALL_PAIRS = 0, SIGMA = 1, MAD = 2 };
enum Start : u32 { MIDDLE = 0, LEAF = 1, PREVIOUS = 2, LEAF_THEN_PREVIOUS = 3 };

// Where a registration is.
struct State {
    Pose pose;       // truth from sensed
    double error;    // of the last iteration that is judged, mm^2; infinite at first
    double cut;      // largest distance that takes part, mm
    u32 iteration;   // motions found
    u32 stop;
    u32 arrived;     // blocks; zero between launches
    u32 active;      // pairs behind the last motion
    u64 cycles[3];   // in the blocks that ended last: searching, summing, and finding the motion
};

struct Iteration {
    Pose pose;
    double error;
    double visited;
    u32 active;
    u32 pad;
};

constexpr u32 VISITS = 256;

struct Request {
    Points truth;
    Graph graph;
    const double* sensed;  // 3 each, mm, along a curve
    u32 count;
    u32 max_iterations;
    u32* matches;          // 2 x by sensed point, places of the truth in tree order: of even and of odd iterations
    double* distances;     // the same, mm
    u32* visits;           // null, or 2 x VISITS: walks by their length, in the first iteration and in all others
    State* state;
    Iteration* history;
    double* partial;       // 32 for each block
    Vec3 sensed_about;     // sums are about these places
    Vec3 truth_about;
    double error_limit, change_limit;
    double filter_limit;
    u32 filter;
    u32 filter_from;       // iteration
    u32 start;             // of walks
    u32 knows_previous;    // whether the matches are set before the first iteration
};

// What is summed over the pairs: sensed, truth, their products, pairs, error before, distances, their squares, visits.
constexpr u32 TERMS = 20;
enum Term : u32 { OF_SENSED = 0, OF_TRUTH = 3, OF_PRODUCTS = 6, PAIRS = 15, ERROR = 16, DISTANCE = 17, SQUARE = 18, VISITED = 19 };

__device__ inline bool filters(const Request& request, u32 iteration) {
    return request.filter != ALL_PAIRS && iteration >= request.filter_from;
}

// Those of an iteration. What the one before found stays, as an iteration may turn out to be one too many.
struct Found {
    u32* matches;
    double* distances;
};
__device__ inline Found found_in(const Request& request, u32 iteration) {
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

// Adds the sums of all blocks in order: true in the block that ends last, whose thread t < TERMS holds term t in `totals`.
__device__ inline bool add_blocks(const Request& request, const double* sums, double* totals) {
    __shared__ bool is_last;
    __shared__ double rows[SUM_THREADS / 32][32];
    double share = block_sum<TERMS>(sums);
    if (threadIdx.x < TERMS) request.partial[blockIdx.x * 32 + threadIdx.x] = share;
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

// What the motion before left, and whether that ends it.
__device__ inline void judge(const Request& request, State& state, double error_sum) {
    if (state.iteration == 0) return;
    double error = error_sum / (double)state.active, before = state.error;
    // A small change does not end it before the filter is on.
    bool is_settled = request.filter == ALL_PAIRS || filters(request, state.iteration - 1);
    request.history[state.iteration - 1].error = error;
    state.error = error;
    if (error < request.error_limit) {
        state.stop = SMALL_ERROR;
    } else if (state.iteration > 1 && is_settled && fabs(before - error) < request.change_limit) {
        state.stop = SMALL_CHANGE;
    } else if (state.iteration == request.max_iterations) {
        state.stop = MAX_ITERATIONS;
    }
}

// The next motion.
__device__ inline void move(const Request& request, State& state, const double* totals) {
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
    bool is_first = state.iteration == 0, is_over = state.iteration == request.max_iterations;
    Found before = found_in(request, state.iteration + 1), found = found_in(request, state.iteration);
    double sums[TERMS];
    double error = 0.0, visited_by_all = 0.0;
    u32 stride = gridDim.x * blockDim.x;
    // Whole blocks go round, as some searches work together.
    for (u32 first = blockIdx.x * blockDim.x; first < request.count; first += stride) {
        u32 i = first + threadIdx.x;
        bool is_one = i < request.count;
        Vec3 place = transform(state.pose, at(request.sensed, is_one ? i : request.count - 1));
        u32 match = is_one && (!is_first || request.knows_previous) ? before.matches[i] : NONE;
        if (is_one && !is_first && before.distances[i] <= state.cut) error += squared_distance(request.truth, match, place);
        if (is_over) continue;
        u32 visited = 0;
        Nearest nearest = search(is_one, place, match, visited);
        if (!is_one) continue;
        found.matches[i] = nearest.at;
        found.distances[i] = sqrt(nearest.squared);
        visited_by_all += (double)visited;
        if (visited && request.visits) atomicAdd(&request.visits[(is_first ? 0 : VISITS) + min(visited, VISITS - 1)], 1u);
    }
    long long searched = clock64();
    // Summed in a second round, so that the sums take no registers from the search.
    #pragma unroll
    for (u32 term = 0; term < TERMS; term++) sums[term] = 0.0;
    sums[ERROR] = error;
    sums[VISITED] = visited_by_all;
    bool is_filtered = filters(request, state.iteration);
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < request.count && !is_over; i += stride) {
        if (is_filtered) {
            double distance = found.distances[i];
            sums[DISTANCE] += distance;
            sums[SQUARE] += distance * distance;
        } else {
            add_pair(request, at(request.sensed, i), place_at(request.truth.places, found.matches[i]), sums);
        }
    }
    if (!add_blocks(request, sums, totals) || threadIdx.x > 0) return;
    long long summed = clock64();
    State& next = *request.state;
    next.arrived = 0;
    next.cycles[0] += (u64)(searched - started);
    next.cycles[1] += (u64)(summed - searched);
    judge(request, next, totals[ERROR]);
    if (next.stop != RUNNING) return;
    request.history[next.iteration].visited = totals[VISITED];
    next.cut = __longlong_as_double(0x7FF0000000000000ll);
    if (!is_filtered) {
        move(request, next, totals);
    } else if (request.filter == SIGMA) {
        double mean = totals[DISTANCE] / request.count;
        next.cut = mean + request.filter_limit * sqrt(max(totals[SQUARE] / request.count - mean * mean, 0.0));
    }
    next.cycles[2] += (u64)(clock64() - summed);
}

// All of these: launch with 256 threads, any number of blocks.
extern "C" __global__ void icp_brute_force(Request request) {
    iterate(request, [&](bool, Vec3 place, u32, u32&) { return nearest_of_all(request.truth, place); });
}

extern "C" __global__ void icp_tree(Request request) {
    iterate(request, [&](bool is_one, Vec3 place, u32, u32&) {
        return is_one ? nearest_by_tree(request.truth, place, __longlong_as_double(0x7FF0000000000000ll)) : nothing();
    });
}

extern "C" __global__ void icp_leaf(Request request) {
    iterate(request, [&](bool is_one, Vec3 place, u32, u32&) {
        return is_one ? nearest_in_leaf(request.truth, place) : nothing();
    });
}

extern "C" __global__ void icp_walk(Request request) {
    iterate(request, [&](bool is_one, Vec3 place, u32 match, u32& visited) {
        if (!is_one) return nothing();
        bool is_leaf = request.start == LEAF || (request.start == LEAF_THEN_PREVIOUS && match == NONE);
        u32 from = is_leaf ? nearest_in_leaf(request.truth, place).at : request.start == MIDDLE ? NONE : match;
        return nearest_by_walk(request.truth, request.graph, place, from == NONE ? request.graph.middle : from, visited);
    });
}

// The second half of an iteration with a filter: the sums over the pairs that take part, and the motion. `spread` holds the
// median distance where the filter wants it.
extern "C" __global__ void icp_filtered(Request request, const Spread* spread) {
    __shared__ double totals[TERMS];
    State state = *request.state;
    if (state.stop != RUNNING || !filters(request, state.iteration)) return;
    Found found = found_in(request, state.iteration);
    double cut = request.filter == MAD ? request.filter_limit * 1.4826 * spread->median : state.cut;
    double sums[TERMS];
    #pragma unroll
    for (u32 term = 0; term < TERMS; term++) sums[term] = 0.0;
    for (u32 i = thread_number(); i < request.count; i += gridDim.x * blockDim.x) {
        if (!(found.distances[i] <= cut)) continue;
        add_pair(request, at(request.sensed, i), place_at(request.truth.places, found.matches[i]), sums);
    }
    if (!add_blocks(request, sums, totals) || threadIdx.x > 0) return;
    State& next = *request.state;
    next.arrived = 0;
    next.cut = cut;
    move(request, next, totals);
}

// Numbers to places in tree order.
extern "C" __global__ void invert_order(Points truth, u32* place_of_number) {
    u32 at = thread_number();
    if (at < truth.count) place_of_number[__float_as_uint(truth.sieve[at].w)] = at;
}

// Rows and edges of the graph by places in tree order, from those by numbers.
extern "C" __global__ void place_graph(Points truth, const u32* place_of_number, const u32* starts, const u32* neighbours,
                                       uint2* rows, float4* edges) {
    u32 number = thread_number();
    if (number >= truth.count) return;
    u32 first = starts[number], end = starts[number + 1];
    rows[place_of_number[number]] = {first, end};
    for (u32 edge = first; edge < end; edge++) {
        u32 place = place_of_number[neighbours[edge]];
        float4 neighbour = truth.sieve[place];
        neighbour.w = __uint_as_float(place);
        edges[edge] = neighbour;
    }
}

// Places in tree order to numbers, or back, in place.
extern "C" __global__ void icp_rename(u32* matches, u32 count, const u32* names) {
    u32 i = thread_number();
    if (i < count) matches[i] = names[matches[i]];
}
