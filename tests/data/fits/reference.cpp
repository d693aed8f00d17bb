// Reference fits with 50 digits, for tests/suite/fits.rs.
//
//     g++ -O2 -std=c++17 -ffp-contract=off reference.cpp -o reference      (Boost 1.70 or later, headers only)
//     ./reference KIND FIRST LAST > part.csv                               (sets FIRST to LAST - 1; LARGE sets from 1000 on)
//
// Points are made by additions, multiplications, divisions and square roots of doubles alone, so that any language makes
// the same ones. From them the least sum of squared orthogonal distances is found by Newton's method: the gradient with
// 50 digits, the matrix of second derivatives by differences of it. Parameters are relative to the true frame; the code
// of the program is formulated otherwise and shares nothing with this.
#include <array>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;

struct Random {
    uint64_t state;
    static uint64_t mix(uint64_t z) {
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ z >> 27) * 0x94D049BB133111EBull;
        return z ^ z >> 31;
    }
    Random(uint64_t seed, uint64_t stream) : state(mix(seed ^ mix(stream + 0x9E3779B97F4A7C15ull))) {}
    uint64_t bits() { return mix(state += 0x9E3779B97F4A7C15ull); }
    double uniform() { return (double)(bits() >> 11) * (1.0 / 9007199254740992.0); }
    double range(double low, double high) { return low + (high - low) * uniform(); }
    // Nearly normal: twelve uniform draws.
    double noise() {
        double sum = -6.0;
        for (int i = 0; i < 12; i++) sum += uniform();
        return sum;
    }
};

enum Kind { LINE, PLANE, CIRCLE, SPHERE, CYLINDER, CONE, TORUS };
const char* NAMES[] = {"line", "plane", "circle", "sphere", "cylinder", "cone", "torus"};
const int SIZES[] = {8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300, 500, 800, 1500, 3000, 10000};
const double NOISES[] = {0.0, 1e-6, 1e-4, 1e-3, 1e-2, 0.1};

template <class T>
struct V {
    T x, y, z;
};
template <class T> V<T> operator+(V<T> a, V<T> b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
template <class T> V<T> operator-(V<T> a, V<T> b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
template <class T> V<T> operator*(V<T> a, T s) { return {a.x * s, a.y * s, a.z * s}; }
template <class T> T dot(V<T> a, V<T> b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// A generated set: its true frame (columns of a rotation, origin), true numbers, and points.
struct Set {
    double rotation[3][3];
    V<double> origin;
    double first, second;
    std::vector<V<double>> points;
};

void arc(double t, double& cosine, double& sine) {
    double d = 1.0 + t * t;
    cosine = (1.0 - t * t) / d;
    sine = 2.0 * t / d;
}

// A place on an arc of half width `reach` (the tangent of a quarter of its angle); 0 stands for the whole circle.
double on_arc(Random& random, double reach) {
    double u = random.range(-1.0, 1.0);
    return reach > 0.0 ? reach * u : u / (1.0 - (u < 0.0 ? -u : u) * 0.999);
}

Set make(Kind kind, int number) {
    Random random(2026 + kind, (uint64_t)number);
    Set set;
    double share = random.uniform();
    int count = number < 1000 ? SIZES[(int)(share * 20.0)] : 1000000;
    double sigma = NOISES[(int)(random.uniform() * 6.0)];
    double q[4], square = 0.0;
    for (double& part : q) {
        part = random.range(-1.0, 1.0);
        square += part * part;
    }
    double length = std::sqrt(square);
    for (double& part : q) part = part / length;
    double x = q[0], y = q[1], z = q[2], w = q[3];
    double r[3][3] = {{1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)},
                      {2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)},
                      {2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)}};
    memcpy(set.rotation, r, sizeof r);
    double far = random.uniform() < 0.5 ? 10.0 : 1000.0;
    set.origin.x = random.range(-far, far);
    set.origin.y = random.range(-far, far);
    set.origin.z = random.range(-far, far);
    // Ten degrees up to two hundred and forty, or all of it.
    double reach = random.uniform() < 0.3 ? 0.0 : random.range(0.0437, 1.73);
    double tube = random.uniform() < 0.5 ? 0.0 : random.range(0.3, 1.73);
    double size = random.uniform();
    double radius = 1.0 + 199.0 * size * size, height = random.range(5.0, 200.0), slope = random.range(0.05, 1.5);
    double ratio = random.range(0.1, 0.8), wide = random.range(5.0, 300.0), narrow = random.range(5.0, 300.0);
    double cosine, sine;
    arc(reach, cosine, sine);
    // How deep the arc is: noise that hides it would leave nothing to find.
    double depth = reach > 0.0 ? radius * (1.0 - cosine) : radius;
    if (sigma > 0.1 * depth && kind >= CIRCLE) sigma = 0.1 * depth;
    if (kind == CONE) radius = radius + slope * 0.5 * height;
    double steep = std::sqrt(1.0 + slope * slope);
    set.first = radius;
    set.second = kind == TORUS ? radius * ratio : slope;
    for (int i = 0; i < count; i++) {
        double a = on_arc(random, reach), b = on_arc(random, tube), u = random.range(-0.5, 0.5), v = random.range(-0.5, 0.5);
        double n1 = sigma * random.noise(), n2 = sigma * random.noise();
        double c, s, px = 0.0, py = 0.0, pz = 0.0;
        arc(a, c, s);
        switch (kind) {
            case LINE: px = n1; py = n2; pz = wide * u; break;
            case PLANE: px = wide * u; py = narrow * v; pz = n1; break;
            case CIRCLE: px = (radius + n1) * c; py = (radius + n1) * s; pz = n2; break;
            case SPHERE: {
                double e = reach > 0.0 ? reach * 2.0 * u : on_arc(random, 0.0), d = 1.0 + a * a + e * e, l = radius + n1;
                px = l * (2.0 * a / d);
                py = l * (2.0 * e / d);
                pz = l * ((1.0 - a * a - e * e) / d);
                break;
            }
            case CYLINDER: px = (radius + n1) * c; py = (radius + n1) * s; pz = height * u; break;
            case CONE: {
                double along = height * u, across = radius + slope * along;
                px = (across + n1 / steep) * c;
                py = (across + n1 / steep) * s;
                pz = along - n1 * slope / steep;
                break;
            }
            case TORUS: {
                double e, f, l = radius * ratio + n1;
                arc(b, e, f);
                px = (radius + l * e) * c;
                py = (radius + l * e) * s;
                pz = l * f;
                break;
            }
        }
        V<double> p;
        p.x = r[0][0] * px + r[0][1] * py + r[0][2] * pz + set.origin.x;
        p.y = r[1][0] * px + r[1][1] * py + r[1][2] * pz + set.origin.y;
        p.z = r[2][0] * px + r[2][1] * py + r[2][2] * pz + set.origin.z;
        set.points.push_back(p);
    }
    return set;
}

const int PARAMETERS[] = {4, 3, 6, 4, 5, 6, 7};

// Parameters: x, y, z of the place, a and b of the direction (a, b, 1), then numbers; those that a kind has not stay 0.
const std::vector<int> USED[] = {{0, 1, 3, 4},    {2, 3, 4},          {0, 1, 2, 3, 4, 5}, {0, 1, 2, 5},
                                 {0, 1, 3, 4, 5}, {0, 1, 3, 4, 5, 6}, {0, 1, 2, 3, 4, 5, 6}};

// The true frame in T; rows of the inverse rotation made exactly square by Gram and Schmidt.
template <class T>
struct Frame {
    V<T> axis[3], origin;
    explicit Frame(const Set& set) {
        for (int k = 0; k < 3; k++) axis[k] = {T(set.rotation[0][k]), T(set.rotation[1][k]), T(set.rotation[2][k])};
        using std::sqrt;
        for (int k = 0; k < 3; k++) {
            for (int l = 0; l < k; l++) axis[k] = axis[k] - axis[l] * dot(axis[l], axis[k]);
            axis[k] = axis[k] * (T(1) / sqrt(dot(axis[k], axis[k])));
        }
        origin = {T(set.origin.x), T(set.origin.y), T(set.origin.z)};
    }
    V<T> inward(V<double> p) const {
        V<T> away = V<T>{T(p.x), T(p.y), T(p.z)} - origin;
        return {dot(axis[0], away), dot(axis[1], away), dot(axis[2], away)};
    }
};

// Adds f times its derivatives to `gradient`, and products of derivatives to `gauss` where it is given.
template <class T>
void add(Kind kind, V<T> q, const std::array<T, 7>& p, T sine, T cosine, std::array<T, 7>& gradient, double (*gauss)[7]) {
    using std::sqrt;
    T scale = T(1) / sqrt(T(1) + p[3] * p[3] + p[4] * p[4]);
    V<T> u = {p[3] * scale, p[4] * scale, scale};
    V<T> w = q - V<T>{p[0], p[1], p[2]};
    T along = dot(w, u);
    V<T> across = w - u * along;
    V<T> by_a = (V<T>{T(1), T(0), T(0)} - u * u.x) * scale, by_b = (V<T>{T(0), T(1), T(0)} - u * u.y) * scale;
    std::array<T, 7> by_along = {-u.x, -u.y, -u.z, dot(w, by_a), dot(w, by_b), T(0), T(0)};
    auto take = [&](T f, const std::array<T, 7>& by) {
        for (int k = 0; k < 7; k++) gradient[k] += f * by[k];
        if (gauss)
            for (int k = 0; k < 7; k++)
                for (int l = 0; l < 7; l++) gauss[k][l] += (double)by[k] * (double)by[l];
    };
    if (kind == PLANE) return take(along, by_along);
    if (kind == SPHERE) {
        T distance = sqrt(dot(w, w));
        return take(distance - p[5], {-w.x / distance, -w.y / distance, -w.z / distance, T(0), T(0), T(-1), T(0)});
    }
    T rho = sqrt(dot(across, across));
    V<T> n = rho > T(0) ? across * (T(1) / rho) : V<T>{T(1), T(0), T(0)};
    std::array<T, 7> by_rho = {-n.x, -n.y, -n.z, -along * dot(n, by_a), -along * dot(n, by_b), T(0), T(0)};
    if (kind == LINE) {
        // The two directions across: both matter for the products, the far one has no residual.
        if (gauss) {
            for (V<T> side : {V<T>{T(1), T(0), T(0)}, V<T>{T(0), T(1), T(0)}}) {
                std::array<T, 7> by = {-side.x, -side.y, -side.z, -along * dot(side, by_a), -along * dot(side, by_b), T(0), T(0)};
                for (int k = 0; k < 7; k++)
                    for (int l = 0; l < 7; l++) gauss[k][l] += (double)by[k] * (double)by[l];
            }
            gauss = nullptr;
        }
        return take(rho, by_rho);
    }
    if (kind == CIRCLE || kind == CYLINDER) {
        std::array<T, 7> by = by_rho;
        by[5] = T(-1);
        take(rho - p[5], by);
        if (kind == CIRCLE) take(along, by_along);
        return;
    }
    std::array<T, 7> by;
    if (kind == CONE) {
        for (int k = 0; k < 7; k++) by[k] = by_rho[k] * cosine - by_along[k] * sine;
        by[5] = -cosine;
        by[6] = -(rho - p[5]) * sine - along * cosine;
        return take((rho - p[5]) * cosine - along * sine, by);
    }
    T g = sqrt((rho - p[5]) * (rho - p[5]) + along * along), c = (rho - p[5]) / g, s = along / g;
    for (int k = 0; k < 7; k++) by[k] = by_rho[k] * c + by_along[k] * s;
    by[5] = -c;
    by[6] = T(-1);
    take(g - p[6], by);
}

template <class T>
std::array<T, 7> gradient_of(Kind kind, const std::vector<V<T>>& q, const std::array<T, 7>& p, double (*gauss)[7]) {
    using std::cos;
    using std::sin;
    T sine = kind == CONE ? sin(p[6]) : T(0), cosine = kind == CONE ? cos(p[6]) : T(0);
    std::array<T, 7> gradient{};
    for (const V<T>& point : q) add(kind, point, p, sine, cosine, gradient, gauss);
    return gradient;
}

// Solves by elimination with full pivoting, in long double; the condition is left to the data.
std::vector<long double> solve(std::vector<std::vector<long double>> m, std::vector<long double> right) {
    int n = (int)right.size();
    std::vector<int> order(n);
    for (int k = 0; k < n; k++) order[k] = k;
    for (int k = 0; k < n; k++) {
        int row = k, column = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabsl(m[i][j]) > fabsl(m[row][column])) row = i, column = j;
        std::swap(m[k], m[row]);
        std::swap(right[k], right[row]);
        for (int i = 0; i < n; i++) std::swap(m[i][k], m[i][column]);
        std::swap(order[k], order[column]);
        for (int i = k + 1; i < n; i++) {
            long double factor = m[i][k] / m[k][k];
            for (int j = k; j < n; j++) m[i][j] -= factor * m[k][j];
            right[i] -= factor * right[k];
        }
    }
    std::vector<long double> answer(n);
    for (int k = n - 1; k >= 0; k--) {
        long double sum = right[k];
        for (int j = k + 1; j < n; j++) sum -= m[k][j] * answer[order[j]];
        answer[order[k]] = sum / m[k][k];
    }
    return answer;
}

void reference(Kind kind, int number) {
    Set set = make(kind, number);
    const std::vector<int>& used = USED[kind];
    int count = (int)used.size();
    Frame<Real> frame(set);
    Frame<long double> rough(set);
    std::vector<V<Real>> q;
    std::vector<V<long double>> q_rough;
    V<Real> centroid = {Real(0), Real(0), Real(0)};
    double farthest = 0.0;
    for (const V<double>& point : set.points) {
        q.push_back(frame.inward(point));
        q_rough.push_back(rough.inward(point));
        centroid = centroid + q.back();
        farthest = std::max(farthest, std::sqrt(dot(point, point)));
    }
    centroid = centroid * (Real(1) / Real((double)set.points.size()));
    std::array<Real, 7> p{};
    std::array<long double, 7> p_rough{};
    p_rough[5] = kind >= CIRCLE ? set.first : 0.0;
    p_rough[6] = kind == CONE ? std::atan(set.second) : kind == TORUS ? set.second : 0.0;
    auto second_derivatives = [&](const std::array<long double, 7>& at) {
        std::vector<std::vector<long double>> matrix(count, std::vector<long double>(count));
        for (int k = 0; k < count; k++) {
            long double step = used[k] == 3 || used[k] == 4 || (kind == CONE && used[k] == 6) ? 1e-7L : 1e-5L;
            auto up = at, down = at;
            up[used[k]] += step;
            down[used[k]] -= step;
            auto high = gradient_of(kind, q_rough, up, nullptr), low = gradient_of(kind, q_rough, down, nullptr);
            for (int l = 0; l < count; l++) matrix[l][k] = (high[used[l]] - low[used[l]]) / (2 * step);
        }
        return matrix;
    };
    auto matrix = second_derivatives(p_rough);
    // With the digits of long double first.
    for (int step = 0; step < 60; step++) {
        auto gradient = gradient_of(kind, q_rough, p_rough, nullptr);
        std::vector<long double> right(count);
        for (int k = 0; k < count; k++) right[k] = -gradient[used[k]];
        auto by = solve(matrix, right);
        long double size = 0;
        for (int k = 0; k < count; k++) p_rough[used[k]] += by[k], size = std::max(size, fabsl(by[k]));
        if (step < 8) matrix = second_derivatives(p_rough);
        if (step >= 8 && size < 1e-14L) break;
    }
    matrix = second_derivatives(p_rough);
    for (int k = 0; k < 7; k++) p[k] = Real(p_rough[k]);
    bool settled = false;
    for (int step = 0; step < 40 && !settled; step++) {
        auto gradient = gradient_of(kind, q, p, nullptr);
        // Divided by its size, so that nothing is lost to the narrow range of exponents.
        Real size = 0;
        for (int k : used) size = std::max(size, Real(abs(gradient[k])));
        if (size == 0) break;
        std::vector<long double> right(count);
        for (int k = 0; k < count; k++) right[k] = -(gradient[used[k]] / size).convert_to<long double>();
        auto by = solve(matrix, right);
        Real largest = 0;
        for (int k = 0; k < count; k++) {
            Real move = Real(by[k]) * size;
            p[used[k]] += move;
            largest = std::max(largest, Real(abs(move)));
        }
        settled = largest < Real("1e-25");
    }
    for (int k : used) settled = settled && isfinite(p[k]);
    // What a unit of noise does to place, direction and numbers.
    double gauss[7][7] = {};
    gradient_of(kind, q_rough, p_rough, gauss);
    double gains[3] = {};
    for (int k = 0; k < count; k++) {
        std::vector<std::vector<long double>> m(count, std::vector<long double>(count));
        std::vector<long double> right(count);
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j++) m[i][j] = gauss[used[i]][used[j]];
        right[k] = 1;
        double gain = std::sqrt(std::fabs((double)solve(m, right)[k]));
        double& own = gains[used[k] < 3 ? 0 : used[k] < 5 ? 1 : 2];
        own = std::max(own, gain);
    }
    Real scale = Real(1) / sqrt(Real(1) + p[3] * p[3] + p[4] * p[4]);
    V<Real> u = {p[3] * scale, p[4] * scale, scale}, place = {p[0], p[1], p[2]};
    Real along = dot(centroid - place, u), first = p[5];
    if (kind == LINE || kind == CYLINDER || kind == CONE) {
        // Nearest to the centroid.
        place = place + u * along;
        if (kind == CONE) first = first + along * tan(p[6]);
    }
    if (kind == PLANE) place = centroid - u * along;
    V<Real> at = frame.axis[0] * place.x + frame.axis[1] * place.y + frame.axis[2] * place.z + frame.origin;
    V<Real> axis = frame.axis[0] * u.x + frame.axis[1] * u.y + frame.axis[2] * u.z;
    if (kind == SPHERE) axis = {Real(0), Real(0), Real(0)};
    printf("%s,%d,%d,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.3g,%.3g,%.3g,%.3g\n", NAMES[kind], number,
           (int)set.points.size(), settled ? 1 : 0, (double)at.x, (double)at.y, (double)at.z, (double)axis.x, (double)axis.y,
           (double)axis.z, (double)first, (double)p[6], farthest, gains[0], gains[1], gains[2]);
    fflush(stdout);
}

int main(int, char** words) {
    int kind = 0;
    while (strcmp(NAMES[kind], words[1]) != 0) kind++;
    for (int number = atoi(words[2]); number < atoi(words[3]); number++) reference((Kind)kind, number);
}
