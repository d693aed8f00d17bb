//! The plane through a neighbourhood, in few operations.

/// Newton steps to the least eigenvalue; from below they come near at once where points lie about a plane.
const STEPS: usize = 12;

/// Unit direction of least variance of a covariance (xx, xy, xz, yy, yz, zz); zero if there is no single one.
pub fn normal(covariance: [f32; 6]) -> [f32; 3] {
    let [xx, xy, xz, yy, yz, zz] = covariance.map(f64::from);
    let trace = xx + yy + zz;
    if trace <= 0.0 {
        return [0.0; 3];
    }
    // The characteristic polynomial falls monotonously from 0 to its least root, and Newton's steps stay below it.
    let minors = xx * yy - xy * xy + xx * zz - xz * xz + yy * zz - yz * yz;
    let determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    let mut least = 0.0;
    for _ in 0..STEPS {
        let value = ((trace - least) * least - minors) * least + determinant;
        let slope = (2.0 * trace - 3.0 * least) * least - minors;
        let step = value / slope;
        if !step.is_finite() {
            break;
        }
        least -= step;
        if step.abs() <= 1e-7 * trace {
            break;
        }
    }
    // Rows of the matrix less the eigenvalue are perpendicular to the direction.
    let (a, b, c) = ([xx - least, xy, xz], [xy, yy - least, yz], [xz, yz, zz - least]);
    let candidates = [cross(a, b), cross(b, c), cross(c, a)];
    let squares = candidates.map(|own| own.iter().map(|value| value * value).sum::<f64>());
    let best = if squares[0] >= squares[1] && squares[0] >= squares[2] {
        0
    } else if squares[1] >= squares[2] {
        1
    } else {
        2
    };
    let length = squares[best].sqrt();
    // Points along a line have two small eigenvalues.
    if length <= 1e-5 * trace * trace { [0.0; 3] } else { candidates[best].map(|value| (value / length) as f32) }
}

/// Two unit axes perpendicular to `normal` and to each other, turning about it in the positive sense.
pub fn axes(normal: [f32; 3]) -> [[f32; 3]; 2] {
    let [x, y, z] = normal;
    // Duff et al., "Building an orthonormal basis, revisited", 2017.
    let sign = if z < 0.0 { -1.0 } else { 1.0 };
    let a = -1.0 / (sign + z);
    let b = x * y * a;
    [[1.0 + sign * x * x * a, sign * b, -sign * x], [b, sign + y * y * a, -y]]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
