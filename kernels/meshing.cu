// Meshing of measured points. Counterpart of compute/cpu/meshing, whose every operation has the same order here: both
// give the same facets.
#include "lib/grid.cuh"

constexpr u32 BITS = 20;              // of a cell's coordinate in its key
constexpr double FIRST_CELL = 8.0, LAST_CELL = (double)((1 << BITS) - 9);
constexpr u32 OPEN = 1u << 31;        // set in a neighbour if there is no facet between it and the next one
constexpr u32 MAX_NEIGHBOURS = 64;    // to each side
constexpr u32 LANES = 4;              // sums of a neighbourhood that are added up at the end
constexpr u32 NORMAL_NEIGHBOURS = 7;
constexpr u32 MAX_GAP = 8;
constexpr float FIRST_RADIUS = 1.5f, MAX_RADIUS = 3.0f, MAX_RADIUS_WHERE_SPARSE = 7.5f, MIN_SPARSE_EDGE = 1.3f;
constexpr float NORMAL_REACH = 2.3f, MAX_SLOPE = 0.85f, MAX_NOISE_HEIGHT = 0.3f, MAX_WEIGHT = 0.01f, TINY = 1e-12f;
#define INFINITE __uint_as_float(0x7F800000u)

__device__ inline u32 cell_coordinate(const Grid& grid, u32 index, u32 axis) {
    Vec3 scaled = (at(grid.points, index) - grid.origin) / grid.cell_mm;
    double own = (axis == 0 ? scaled.x : axis == 1 ? scaled.y : scaled.z) + FIRST_CELL;
    return (u32)(own < FIRST_CELL ? FIRST_CELL : own > LAST_CELL ? LAST_CELL : own);
}

__device__ inline u64 cell_key(const Grid& grid, u32 index) {
    u64 x = cell_coordinate(grid, index, 0), y = cell_coordinate(grid, index, 1), z = cell_coordinate(grid, index, 2);
    return x << (2 * BITS) | y << BITS | z;
}

// Sort keys of the points in `order` along one axis.
extern "C" __global__ void mesh_keys(Grid grid, u32 axis, const u32* order, u32* keys) {
    u32 i = thread_index();
    if (i < grid.count) keys[i] = cell_coordinate(grid, order[i], axis);
}

// Points in the order of their cells, and whether each is the first of its cell.
extern "C" __global__ void mesh_sorted(Grid grid, const u32* order, double* points, u32* is_first) {
    u32 i = thread_index();
    if (i >= grid.count) return;
    Vec3 own = at(grid.points, order[i]);
    points[3 * (u64)i] = own.x;
    points[3 * (u64)i + 1] = own.y;
    points[3 * (u64)i + 2] = own.z;
    is_first[i] = i == 0 || cell_key(grid, order[i]) != cell_key(grid, order[i - 1]);
}

// Keys and first points of the occupied cells, and the cell of each point; `before` are the first points before each.
extern "C" __global__ void mesh_cells(Grid grid, const u32* order, const u32* is_first, const u32* before, u64* keys,
                                      u32* starts, u32* cell_of) {
    u32 i = thread_index();
    if (i >= grid.count) return;
    cell_of[i] = before[i] + is_first[i] - 1;
    if (is_first[i]) {
        keys[before[i]] = cell_key(grid, order[i]);
        starts[before[i]] = i;
    }
    if (i + 1 == grid.count) starts[before[i] + is_first[i]] = grid.count;
}

// Points in the order of their cells.
struct Cells {
    const double* points;  // 3 each, mm
    const u64* keys;       // of the occupied cells, ascending
    const u32* starts;     // where each begins among the points; one more at the end
    const u32* cell_of;    // of each point
    u32 cells;
    u32 count;
    double spacing_mm, per_spacing;
};

// The neighbours of all points.
struct Stars {
    u32* begins;
    u32* lengths;
    float* normals;   // 3 each
    u32* neighbours;  // in cyclic order
    u32* used;        // how many of them
    u32 capacity;
    u32 pad;
};

// Runs of points in the cells around a point, a row of cells along z each.
template <u32 REACH> struct Rows {
    static constexpr u32 ACROSS = 2 * REACH + 1;
    u32 begins[ACROSS * ACROSS], ends[ACROSS * ACROSS], count;
};

__device__ inline u32 cells_below(const Cells& cells, u64 key) {
    u32 low = 0, high = cells.cells;
    while (low < high) {
        u32 mid = low + (high - low) / 2;
        if (cells.keys[mid] < key) low = mid + 1; else high = mid;
    }
    return low;
}

struct Offset {
    float x, y, z;
};

// A point and its surroundings, in spacings.
template <u32 REACH> struct Surroundings {
    const Cells& cells;
    Rows<REACH> rows;
    u32 index;
    Vec3 about;
    Offset own;
    float radius;

    __device__ Surroundings(const Cells& cells, u32 index, float radius) : cells(cells), index(index), radius(radius) {
        u32 cell = cells.cell_of[index];
        about = at(cells.points, cells.starts[cell]);
        own = local(index);
        u64 first = cells.keys[cell] - ((u64)REACH << (2 * BITS)) - ((u64)REACH << BITS) - REACH;
        rows.count = 0;
        for (u32 row = 0; row < Rows<REACH>::ACROSS * Rows<REACH>::ACROSS; row++) {
            u64 x = row / Rows<REACH>::ACROSS, y = row % Rows<REACH>::ACROSS;
            u64 low = first + (x << (2 * BITS)) + (y << BITS);
            u32 begin = cells_below(cells, low), end = begin;
            while (end < cells.cells && cells.keys[end] <= low + 2 * REACH) end++;
            if (end == begin) continue;
            rows.begins[rows.count] = cells.starts[begin];
            rows.ends[rows.count++] = cells.starts[end];
        }
    }

    __device__ Offset local(u32 i) const {
        float3 offset = to_float3((at(cells.points, i) - about) * cells.per_spacing);
        return {offset.x, offset.y, offset.z};
    }

    // Calls visit(offset, index) for the points within the radius, the point itself among them.
    template <typename Visit> __device__ void visit(Visit visit) const {
        for (u32 row = 0; row < rows.count; row++) {
            for (u32 i = rows.begins[row]; i < rows.ends[row]; i++) {
                Offset to = local(i);
                Offset offset = {to.x - own.x, to.y - own.y, to.z - own.z};
                float squared = offset.x * offset.x + offset.y * offset.y + offset.z * offset.z;
                if (squared <= radius * radius) visit(offset, i);
            }
        }
    }
};

// Unit direction of least variance of a covariance (xx, xy, xz, yy, yz, zz); zero if there is no single one.
__device__ inline Offset plane_normal(const float covariance[6]) {
    double xx = covariance[0], xy = covariance[1], xz = covariance[2];
    double yy = covariance[3], yz = covariance[4], zz = covariance[5];
    double trace = xx + yy + zz;
    if (!(trace > 0.0)) return {0.0f, 0.0f, 0.0f};
    double minors = xx * yy - xy * xy + xx * zz - xz * xz + yy * zz - yz * yz;
    double determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    double least = 0.0;
    for (u32 i = 0; i < 12; i++) {
        double value = ((trace - least) * least - minors) * least + determinant;
        double slope = (2.0 * trace - 3.0 * least) * least - minors;
        double step = value / slope;
        if (!(fabs(step) <= 1.7976931348623157e308)) break;
        least = least - step;
        if (fabs(step) <= 1e-7 * trace) break;
    }
    Vec3 a = {xx - least, xy, xz}, b = {xy, yy - least, yz}, c = {xz, yz, zz - least};
    Vec3 of_ab = cross(a, b), of_bc = cross(b, c), of_ca = cross(c, a);
    double ab = dot(of_ab, of_ab), bc = dot(of_bc, of_bc), ca = dot(of_ca, of_ca);
    Vec3 best = ab >= bc && ab >= ca ? of_ab : bc >= ca ? of_bc : of_ca;
    double length = sqrt(ab >= bc && ab >= ca ? ab : bc >= ca ? bc : ca);
    if (length <= 1e-5 * trace * trace) return {0.0f, 0.0f, 0.0f};
    return {(float)(best.x / length), (float)(best.y / length), (float)(best.z / length)};
}

template <u32 REACH> __device__ Offset normal_within(const Surroundings<REACH>& around, float reach) {
    float sums[10][LANES] = {};
    u32 number = 0;
    around.visit([&](Offset to, u32) {
        u32 lane = number++ % LANES;
        float x = to.x, y = to.y, z = to.z;
        if (!(x * x + y * y + z * z <= reach * reach)) return;
        float own[10] = {1.0f, x, y, z, x * x, x * y, x * z, y * y, y * z, z * z};
        for (u32 k = 0; k < 10; k++) sums[k][lane] = sums[k][lane] + own[k];
    });
    float all[10];
    for (u32 k = 0; k < 10; k++) {
        all[k] = sums[k][0];
        for (u32 lane = 1; lane < LANES; lane++) all[k] = all[k] + sums[k][lane];
    }
    float count = all[0], x = all[1], y = all[2], z = all[3];
    if (count < 4.0f) return {0.0f, 0.0f, 0.0f};
    float of_mean[6] = {x * x, x * y, x * z, y * y, y * z, z * z}, covariance[6];
    for (u32 k = 0; k < 6; k++) covariance[k] = all[4 + k] - of_mean[k] / count;
    return plane_normal(covariance);
}

// The least distance within which there are NORMAL_NEIGHBOURS points; of all, if there are fewer.
template <u32 REACH> __device__ float normal_reach(const Surroundings<REACH>& around) {
    float least[NORMAL_NEIGHBOURS] = {};
    u32 count = 0;
    around.visit([&](Offset to, u32) {
        float squared = to.x * to.x + to.y * to.y + to.z * to.z;
        if (count == NORMAL_NEIGHBOURS && !(squared < least[count - 1])) return;
        u32 k = count < NORMAL_NEIGHBOURS ? count++ : count - 1;
        for (; k > 0 && least[k - 1] > squared; k--) least[k] = least[k - 1];
        least[k] = squared;
    });
    return count == 0 ? 0.0f : sqrtf(least[count - 1]) * 1.00001f;
}

__device__ inline float weight(u32 index) {
    u32 bits = index * 0x9E3779B9u;
    bits ^= bits >> 16;
    bits = bits * 0x85EBCA6Bu;
    return (float)(bits >> 8) * (MAX_WEIGHT / (float)(1 << 24));
}

// A neighbour inverted in the unit circle of the tangent plane.
struct InvertedPoint {
    float x, y;
    u32 index;
};

constexpr u32 NOBODY = 0xFFFFFFFFu;

// The tangent plane of a point.
struct Tangents {
    Offset u, v, normal;
    float own_weight;

    __device__ Tangents(Offset n, u32 index) : normal(n), own_weight(weight(index)) {
        float sign = n.z < 0.0f ? -1.0f : 1.0f;
        float a = -1.0f / (sign + n.z);
        float b = n.x * n.y * a;
        u = {1.0f + sign * n.x * n.x * a, sign * b, -sign * n.x};
        v = {b, sign + n.y * n.y * a, -n.y};
    }

    __device__ InvertedPoint invert(Offset to, u32 index, float* power) const {
        float across = to.x * u.x + to.y * u.y + to.z * u.z, up = to.x * v.x + to.y * v.y + to.z * v.z;
        float height = to.x * normal.x + to.y * normal.y + to.z * normal.z;
        float flat = across * across + up * up;
        float squared = flat + height * height;
        bool is_beside = height * height <= MAX_NOISE_HEIGHT * MAX_NOISE_HEIGHT || height * height <= MAX_SLOPE * MAX_SLOPE * squared;
        *power = is_beside ? squared + own_weight - weight(index) : INFINITE;
        float scale = sqrtf(squared / (flat + TINY)) / (*power + TINY);
        return {across * scale, up * scale, index};
    }
};

// The corner of the hull after `own`, in the sense of rotation (1) or against it (-1); NOBODY at a border.
template <u32 REACH>
__device__ InvertedPoint next_corner(const Surroundings<REACH>& around, const Tangents& tangents, InvertedPoint own, float sense) {
    float x = own.x, y = sense * own.y, furthest = -INFINITE;
    InvertedPoint found = {0.0f, 0.0f, NOBODY};
    around.visit([&](Offset offset, u32 index) {
        float power;
        InvertedPoint other = tangents.invert(offset, index, &power);
        float to_x = other.x - x, to_y = sense * other.y - y;
        float along = x * to_x + y * to_y, beside = x * to_y - y * to_x;
        float cotangent = along / beside;
        if (beside > 0.0f && cotangent > furthest) {
            furthest = cotangent;
            found = other;
        }
    });
    return found;
}

__device__ inline bool is_within(float max_radius, InvertedPoint a, InvertedPoint b) {
    float x = b.x - a.x, y = b.y - a.y;
    float reach = 2.0f * max_radius * (a.x * b.y - a.y * b.x);
    return reach > 0.0f && reach * reach >= x * x + y * y;
}

// Writes the neighbours of a point; returns whether it has no facet to one side.
template <u32 REACH>
__device__ bool find_star(const Surroundings<REACH>& around, const Stars& stars, Offset normal, float max_radius) {
    u32 out[2 * MAX_NEIGHBOURS], ahead = 0, behind = 0;
    bool is_open = true, is_hidden = false;
    if (normal.x != 0.0f || normal.y != 0.0f || normal.z != 0.0f) {
        Tangents tangents(normal, around.index);
        InvertedPoint nearest = {0.0f, 0.0f, NOBODY};
        float best = 0.0f;
        around.visit([&](Offset offset, u32 index) {
            float power;
            InvertedPoint other = tangents.invert(offset, index, &power);
            is_hidden |= power < 0.0f;
            float square = other.x * other.x + other.y * other.y;
            if (square > best) {
                best = square;
                nearest = other;
            }
        });
        if (!is_hidden && nearest.index != NOBODY) {
            InvertedPoint own = nearest;
            is_open = false;
            bool is_closed = false;
            while (ahead < MAX_NEIGHBOURS && !is_closed) {
                InvertedPoint next = next_corner(around, tangents, own, 1.0f);
                bool has_facet = next.index != NOBODY && is_within(max_radius, own, next);
                is_open |= !has_facet;
                out[MAX_NEIGHBOURS + ahead++] = has_facet ? own.index : own.index | OPEN;
                if (next.index == NOBODY) break;
                is_closed = next.index == nearest.index;
                own = next;
            }
            if (!is_closed) {
                is_open = true;
                own = nearest;
                while (behind < MAX_NEIGHBOURS) {
                    InvertedPoint before = next_corner(around, tangents, own, -1.0f);
                    if (before.index == NOBODY) break;
                    bool has_facet = is_within(max_radius, before, own);
                    behind++;
                    out[MAX_NEIGHBOURS - behind] = has_facet ? before.index : before.index | OPEN;
                    own = before;
                }
            }
        }
    }
    u32 length = ahead + behind, begin = length > 0 ? atomicAdd(stars.used, length) : 0;
    // The host sees by `used` that they did not fit.
    if (begin + length > stars.capacity || begin + length < begin) length = 0;
    for (u32 k = 0; k < length; k++) stars.neighbours[begin + k] = out[MAX_NEIGHBOURS - behind + k];
    stars.begins[around.index] = begin;
    stars.lengths[around.index] = length;
    return is_open;
}

__device__ inline void set_normal(const Stars& stars, u32 index, Offset normal) {
    stars.normals[3 * (u64)index] = normal.x;
    stars.normals[3 * (u64)index + 1] = normal.y;
    stars.normals[3 * (u64)index + 2] = normal.z;
}

// Normals and neighbours of all points, by facets that are not large.
extern "C" __global__ void mesh_stars(Cells cells, Stars stars, u32* is_open) {
    u32 index = thread_index();
    if (index >= cells.count) return;
    Surroundings<1> around(cells, index, 2.0f * FIRST_RADIUS);
    Offset normal = normal_within(around, NORMAL_REACH);
    set_normal(stars, index, normal);
    is_open[index] = find_star(around, stars, normal, FIRST_RADIUS);
}

// Indices of what is not zero; `before` counts those before each.
extern "C" __global__ void mesh_list(const u32* values, const u32* before, u32 count, u32* list) {
    u32 i = thread_index();
    if (i < count && values[i]) list[before[i]] = i;
}

template <u32 REACH> __device__ bool widen(const Surroundings<REACH>& around, const Stars& stars, float max_radius) {
    u64 at = 3 * (u64)around.index;
    Offset normal = {stars.normals[at], stars.normals[at + 1], stars.normals[at + 2]};
    if (normal.x == 0.0f && normal.y == 0.0f && normal.z == 0.0f) {
        normal = normal_within(around, normal_reach(around));
        set_normal(stars, around.index, normal);
    }
    return find_star(around, stars, normal, max_radius);
}

// Distance to the neighbour that is nearer than half of them, spacings; infinite if there are none.
__device__ inline float median_edge(const Cells& cells, const Stars& stars, u32 index) {
    float edges[2 * MAX_NEIGHBOURS];
    u32 length = stars.lengths[index];
    if (length == 0) return INFINITE;
    for (u32 own = 0; own < length; own++) {
        u32 neighbour = stars.neighbours[stars.begins[index] + own] & ~OPEN;
        float edge = (float)norm(at(cells.points, neighbour) - at(cells.points, index));
        u32 k = own;
        for (; k > 0 && edges[k - 1] > edge; k--) edges[k] = edges[k - 1];
        edges[k] = edge;
    }
    return edges[length / 2] / (float)cells.spacing_mm;
}

// Looks further around the points of `list`; those that stay open where points are sparse get the radius of their
// circles, the others 0.
extern "C" __global__ void mesh_wider_stars(Cells cells, Stars stars, const u32* list, u32 count, u32* is_sparse,
                                            float* radii) {
    u32 i = thread_index();
    if (i >= count) return;
    Surroundings<2> around(cells, list[i], 2.0f * MAX_RADIUS);
    bool is_open = widen(around, stars, MAX_RADIUS);
    float edge = median_edge(cells, stars, list[i]);
    is_sparse[i] = is_open && edge > MIN_SPARSE_EDGE;
    radii[i] = min(MAX_RADIUS * edge, MAX_RADIUS_WHERE_SPARSE);
}

// Looks further still around those.
extern "C" __global__ void mesh_sparse_stars(Cells cells, Stars stars, const u32* list, const float* radii,
                                             const u32* sparse, u32 count) {
    u32 i = thread_index();
    if (i >= count) return;
    float max_radius = radii[sparse[i]];
    Surroundings<5> around(cells, list[sparse[i]], 2.0f * max_radius);
    widen(around, stars, max_radius);
}

// Neighbour `k` of a point, its flag among it.
__device__ inline u32 neighbour(const Stars& stars, u32 index, u32 k) {
    return stars.neighbours[stars.begins[index] + k];
}

// Whether a point has a facet with two neighbours, in either order.
__device__ bool has_wedge(const Stars& stars, u32 index, u32 a, u32 b) {
    u32 length = stars.lengths[index];
    for (u32 k = 0; k < length; k++) {
        u32 own = neighbour(stars, index, k);
        if ((own & ~OPEN) != a) continue;
        u32 next = neighbour(stars, index, k + 1 == length ? 0 : k + 1);
        u32 before = neighbour(stars, index, (k == 0 ? length : k) - 1);
        return ((own & OPEN) == 0 && (next & ~OPEN) == b) || before == b;
    }
    return false;
}

// Whether two neighbours of a point agree with it on the facet between them.
__device__ bool is_agreed(const Stars& stars, u32 index, u32 a, u32 b) {
    return has_wedge(stars, a, b, index) && has_wedge(stars, b, index, a);
}

// Whether all corners agree on the facet of a point with its neighbours `k` and the next.
__device__ bool has_facet(const Stars& stars, u32 index, u32 k) {
    u32 a = neighbour(stars, index, k);
    if (a & OPEN) return false;
    u32 b = neighbour(stars, index, k + 1 == stars.lengths[index] ? 0 : k + 1) & ~OPEN;
    return is_agreed(stars, index, a, b);
}

// Facets that all their corners have: their number for each lowest corner, or themselves from `begins` on; and the points
// around which some are missing.
extern "C" __global__ void mesh_agreed(Stars stars, u32 count, u32* counts, u32* is_doubtful, const u32* begins,
                                       u32* facets) {
    u32 index = thread_index();
    if (index >= count) return;
    u32 length = stars.lengths[index], found = 0;
    for (u32 k = 0; k < length; k++) {
        u32 a = neighbour(stars, index, k), b = neighbour(stars, index, k + 1 == length ? 0 : k + 1) & ~OPEN;
        if (a & OPEN) {
            is_doubtful[index] = 1;
            continue;
        }
        if (index < a && index < b) {
            if (is_agreed(stars, index, a, b)) {
                if (facets) {
                    u64 to = 3 * (u64)(begins[index] + found);
                    facets[to] = index;
                    facets[to + 1] = a;
                    facets[to + 2] = b;
                }
                found++;
            } else {
                is_doubtful[index] = 1;
                is_doubtful[a] = 1;
                is_doubtful[b] = 1;
            }
        } else if (!has_wedge(stars, min(a, b), index, max(a, b))) {
            is_doubtful[index] = 1;
        }
    }
    if (!facets) counts[index] = found;
}

// A border at a point where facets end: the points before and after it along the border, in either order.
struct Border {
    u32 ends[2];
    u32 facets;  // at the point
};

// The borders through a point, one for each run of its neighbours without facets: calls visit(border) until it says true.
template <typename Visit> __device__ bool visit_borders(const Stars& stars, u32 index, Visit visit) {
    u32 length = stars.lengths[index], facets = 0;
    for (u32 k = 0; k < length; k++) facets += has_facet(stars, index, k);
    for (u32 k = 0; k < length; k++) {
        u32 after = k + 1 == length ? 0 : k + 1;
        if (!has_facet(stars, index, k) || has_facet(stars, index, after)) continue;
        u32 end = after;
        while (!has_facet(stars, index, end)) end = end + 1 == length ? 0 : end + 1;
        Border border = {{neighbour(stars, index, after) & ~OPEN, neighbour(stars, index, end) & ~OPEN}, facets};
        if (visit(border)) return true;
    }
    return false;
}

// Number of points of the border that leads from `first` back to it, if it is short, goes around a gap and `first` is its
// lowest; 0 if not.
__device__ u32 find_gap(const Stars& stars, const u32* is_doubtful, u32 first, const Border& border, u32* around) {
    around[0] = first;
    around[1] = border.ends[0];
    u32 count = 2, facets = border.facets;
    while (count <= MAX_GAP) {
        u32 before = around[count - 2], last = around[count - 1], following = NOBODY;
        if (last < first || !is_doubtful[last]) return 0;
        visit_borders(stars, last, [&](const Border& own) {
            if (own.ends[0] != before && own.ends[1] != before) return false;
            following = own.ends[0] == before ? own.ends[1] : own.ends[0];
            facets += own.facets;
            return true;
        });
        if (following == NOBODY) return 0;
        if (following == first) return last == border.ends[1] && facets >= 3 * count ? count : 0;
        around[count++] = following;
    }
    return 0;
}

// Whether any facet agreed on has an edge.
__device__ bool has_edge(const Stars& stars, u32 index, u32 to) {
    u32 length = stars.lengths[index];
    for (u32 k = 0; k < length; k++) {
        u32 a = neighbour(stars, index, k) & ~OPEN, b = neighbour(stars, index, k + 1 == length ? 0 : k + 1) & ~OPEN;
        if ((a == to || b == to) && has_facet(stars, index, k)) return true;
    }
    return false;
}

// Facets that close the gaps that corners leave which do not agree; as mesh_agreed, for the points of `list`.
extern "C" __global__ void mesh_fillings(Stars stars, const u32* is_doubtful, const u32* list, u32 count, u32* counts,
                                         const u32* begins, u32* facets) {
    u32 i = thread_index();
    if (i >= count) return;
    u32 index = list[i], found = 0;
    visit_borders(stars, index, [&](const Border& border) {
        u32 around[MAX_GAP + 1];
        u32 points = find_gap(stars, is_doubtful, index, border, around);
        // From the first point of which no other facet has a diagonal.
        for (u32 turn = 0; turn < points; turn++) {
            bool is_free = true;
            for (u32 k = 2; k + 1 < points; k++) is_free &= !has_edge(stars, around[0], around[k]);
            if (is_free) {
                for (u32 k = 2; k < points; k++, found++) {
                    if (!facets) continue;
                    u64 to = 3 * (u64)(begins[i] + found);
                    facets[to] = around[0];
                    facets[to + 1] = around[k - 1];
                    facets[to + 2] = around[k];
                }
                break;
            }
            u32 front = around[0];
            for (u32 k = 0; k + 1 < points; k++) around[k] = around[k + 1];
            around[points - 1] = front;
        }
        return false;
    });
    if (!facets) counts[i] = found;
}

// Corners by the indices of the points, and which points are corners.
extern "C" __global__ void mesh_corners(u32* corners, u32 count, const u32* order, const u32* point_indices, u32* is_corner) {
    u32 i = thread_index();
    if (i >= count) return;
    u32 point = point_indices[order[corners[i]]];
    corners[i] = point;
    is_corner[point] = 1;
}

// Normals by the indices of the points.
extern "C" __global__ void mesh_normals(const float* normals, u32 count, const u32* order, const u32* point_indices,
                                        float* by_point) {
    u32 i = thread_index();
    if (i >= count) return;
    u64 to = 3 * (u64)point_indices[order[i]], from = 3 * (u64)i;
    for (u32 k = 0; k < 3; k++) by_point[to + k] = normals[from + k];
}
