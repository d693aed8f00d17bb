// Offsets of a distance field: rays through its bricks to where the distance is the one asked for, by a compute shader,
// which all of a device can run; pixels then only take over what the rays found. Step by step the same as
// geometry/distance_field/march.rs. Lengths in spacings of the field's grid.

// What the ray of each pixel finds: depth, then colour and opacity; no opacity is nothing. Pixels read it as `values`.
@group(2) @binding(0) var<storage, read_write> found: array<vec2u>;

// Words before the nodes in `values`: root nodes along each axis, levels below them, the distance that a sample counts
// in, the spacing in mm.
const HEADER = 8u;
// Intervals and words of a brick.
const BRICK = 8.0;
const BRICK_WORDS = 365u;

// States of nodes; the last one is outside the grid.
const BEYOND = 0u;
const IN_BRICK = 1u;
const DEEP_INSIDE = 2u;
const BRANCH = 3u;
const NOWHERE = 4u;

const MAX_STEPS = 1024;
const MIN_STEP = 0.5;
const CORRECTIONS = 3;
const FAR = 1e9;
// Of sections: thickness of the outline of the part, pixels, and how much darker it is.
const OUTLINE = 1.6;

struct Spot {
    at: vec3f,
    // Minimum corner of the node.
    low: vec3f,
    // Distance of its samples.
    scale: f32,
    state: u32,
    brick: u32,
    // The node: its level, and its number along each axis among those of its size.
    level: u32,
    cell: vec3u,
};

struct Ray {
    origin: vec3f,
    direction: vec3f,
};

struct Hit {
    t: f32,
    found: bool,
    is_section: bool,
};

struct FieldPixel {
    @location(0) colour: vec4f,
    @location(1) ids: vec2u,
    @builtin(frag_depth) depth: f32,
};

// Bricks of the finest size along each axis.
fn size_in_bricks() -> vec3u {
    return vec3u(values[0], values[1], values[2]) << vec3u(values[3]);
}

fn spot_at(at: vec3f) -> Spot {
    var spot: Spot;
    spot.at = at;
    let brick = floor(at / BRICK);
    if any(brick < vec3f(0.0)) || any(brick >= vec3f(size_in_bricks())) {
        spot.state = NOWHERE;
        return spot;
    }
    let index = vec3u(brick);
    let root = index >> vec3u(values[3]);
    var node = values[HEADER + (root.z * values[1] + root.y) * values[0] + root.x];
    var level = values[3];
    while (node >> 30u) == BRANCH {
        level -= 1u;
        let child = (index >> vec3u(level)) & vec3u(1u);
        node = values[HEADER + (node & 0x3fffffffu) + child.z * 4u + child.y * 2u + child.x];
    }
    spot.cell = index >> vec3u(level);
    spot.low = vec3f(spot.cell << vec3u(level)) * BRICK;
    spot.scale = f32(1u << level);
    spot.state = node >> 30u;
    spot.brick = node & 0x3fffffffu;
    spot.level = level;
    return spot;
}

// The same, quickly if it is in the node of the spot before it.
fn spot_near(at: vec3f, last: Spot) -> Spot {
    if last.state != NOWHERE && all(at >= vec3f(0.0)) && all((vec3u(at / BRICK) >> vec3u(last.level)) == last.cell) {
        var spot = last;
        spot.at = at;
        return spot;
    }
    return spot_at(at);
}

fn sample(first: u32, number: u32) -> f32 {
    let word = marks[first + number / 2u];
    return f32(extractBits(bitcast<i32>(word), 16u * (number & 1u), 16u));
}

fn interpolated(spot: Spot) -> f32 {
    let within = clamp((spot.at - spot.low) / spot.scale, vec3f(0.0), vec3f(BRICK));
    let index = min(vec3u(within), vec3u(7u));
    let share = within - vec3f(index);
    let number = (index.z * 9u + index.y) * 9u + index.x;
    let first = spot.brick * BRICK_WORDS;
    let near = mix(
        mix(sample(first, number), sample(first, number + 1u), share.x),
        mix(sample(first, number + 9u), sample(first, number + 10u), share.x),
        share.y,
    );
    let far = mix(
        mix(sample(first, number + 81u), sample(first, number + 82u), share.x),
        mix(sample(first, number + 90u), sample(first, number + 91u), share.x),
        share.y,
    );
    return mix(near, far, share.z) * bitcast<f32>(values[4]);
}

// Signed distance at a spot.
fn distance_at(spot: Spot) -> f32 {
    if spot.state == IN_BRICK {
        return interpolated(spot);
    }
    return select(FAR, -FAR, spot.state == DEEP_INSIDE);
}

fn leaving(ray: Ray, spot: Spot, t: f32) -> f32 {
    let a = (spot.low - ray.origin) / ray.direction;
    let b = (spot.low + spot.scale * BRICK - ray.origin) / ray.direction;
    let out = max(a, b);
    return max(min(min(out.x, out.y), out.z) - t, 0.0) + 0.01 * spot.scale;
}

// Where the offset lies between a point outside and one inside, given with their values.
fn between(outside: vec2f, inside: vec2f) -> f32 {
    let fall = outside.y - inside.y;
    return outside.x + select(0.5, outside.y / fall, fall < FAR) * (inside.x - outside.x);
}

// `cut`: what is kept is where the dot product with the first three, plus the fourth, is not negative.
fn march(ray: Ray, cut: vec4f, distance: f32) -> Hit {
    let size = vec3f(size_in_bricks()) * BRICK;
    let a = (vec3f(0.0) - ray.origin) / ray.direction;
    let b = (size - ray.origin) / ray.direction;
    let low = min(a, b);
    let high = max(a, b);
    var t = max(max(max(low.x, low.y), low.z), 0.0) + 1e-3;
    var end = min(min(high.x, high.y), high.z) - 1e-3;
    var is_cut = false;
    if any(cut != vec4f(0.0)) {
        let height = dot(cut.xyz, ray.origin) + cut.w;
        let slope = dot(cut.xyz, ray.direction);
        let at = -height / slope;
        if slope > 0.0 {
            is_cut = at > t;
            t = max(t, at);
        } else if slope < 0.0 {
            end = min(end, at);
        } else if height < 0.0 {
            return Hit(0.0, false, false);
        }
    }
    var before = vec2f(t, FAR);
    var is_inside = false;
    var spot: Spot;
    spot.state = NOWHERE;
    for (var step = 0; step < MAX_STEPS; step++) {
        if t >= end {
            break;
        }
        spot = spot_near(ray.origin + t * ray.direction, spot);
        if spot.state == NOWHERE {
            break;
        }
        let value = distance_at(spot) - distance;
        if step == 0 && value < 0.0 {
            if is_cut {
                return Hit(t, true, true);
            }
            is_inside = true;
        }
        if is_inside {
            is_inside = value < 0.0;
        } else if value < 0.0 {
            var outside = before;
            var inside = vec2f(t, value);
            for (var correction = 0; correction < CORRECTIONS; correction++) {
                let middle = between(outside, inside);
                spot = spot_near(ray.origin + middle * ray.direction, spot);
                let there = distance_at(spot) - distance;
                if there < 0.0 { inside = vec2f(middle, there); } else { outside = vec2f(middle, there); }
            }
            return Hit(between(outside, inside), true, false);
        }
        before = vec2f(t, value);
        if spot.state == IN_BRICK {
            t += max(abs(value), MIN_STEP * spot.scale);
        } else {
            t += leaving(ray, spot, t);
        }
    }
    return Hit(0.0, false, false);
}

// Central differences about a distance of the samples.
fn gradient(spot: Spot) -> vec3f {
    let h = 0.75 * spot.scale;
    let limit = 4.0 * spot.scale;
    let here = distance_at(spot);
    var slope: vec3f;
    for (var axis = 0u; axis < 3u; axis++) {
        var way = vec3f(0.0);
        way[axis] = h;
        let above = clamp(distance_at(spot_near(spot.at + way, spot)) - here, -limit, limit);
        let below = clamp(distance_at(spot_near(spot.at - way, spot)) - here, -limit, limit);
        slope[axis] = above - below;
    }
    return slope;
}

@vertex
fn field_vertex(@location(0) corner: vec3f) -> @builtin(position) vec4f {
    return vec4f(corner, 1.0);
}

@fragment
fn field_pixel(@builtin(position) position: vec4f) -> FieldPixel {
    let pixel = 2u * pixel_number(vec2u(position.xy));
    let colour = unpack4x8unorm(values[pixel + 1u]);
    if colour.a == 0.0 {
        discard;
    }
    return FieldPixel(colour, vec2u(look.id, 0u), bitcast<f32>(values[pixel]));
}

fn pixel_number(pixel: vec2u) -> u32 {
    return pixel.y * u32(frame.size_point_scale.x) + pixel.x;
}

@compute @workgroup_size(8, 8)
fn field_rays(@builtin(global_invocation_id) id: vec3u) {
    let pixel = id.xy;
    if any(pixel >= vec2u(frame.size_point_scale.xy)) {
        return;
    }
    let screen = vec2f(2.0, -2.0) * (vec2f(pixel) + 0.5) / frame.size_point_scale.xy + vec2f(-1.0, 1.0);
    let near = frame.local_from_clip * vec4f(screen, 0.0, 1.0);
    let far = frame.local_from_clip * vec4f(screen, 1.0, 1.0);
    let eye = near.xyz / near.w;
    let along = normalize(far.xyz / far.w - eye);
    // The item's motion is rigid: the transpose of its rotation is its inverse.
    let rotation = mat3x3f(look.local_from_item[0].xyz, look.local_from_item[1].xyz, look.local_from_item[2].xyz);
    let shift = look.local_from_item[3].xyz;
    let spacing = bitcast<f32>(values[5]);
    let ray = Ray((eye - shift) * rotation / spacing, along * rotation);
    let cut = vec4f(frame.cut.xyz * rotation, (frame.cut.w + dot(frame.cut.xyz, shift)) / spacing);
    let hit = march(ray, cut, look.parameter);
    if !hit.found {
        found[pixel_number(pixel)] = vec2u(0u);
        return;
    }
    let local = eye + along * (hit.t * spacing);
    let spot = spot_at(ray.origin + hit.t * ray.direction);
    var colour = look.colour.rgb;
    var normal: vec3f;
    if hit.is_section {
        normal = frame.cut.xyz;
        // The part within, and its outline.
        let mm = distance_at(spot) * spacing;
        let outline = clamp(OUTLINE + 0.5 - abs(mm) * frame.pixels_per_mm, 0.0, 1.0);
        colour = mix(select(mix(colour, vec3f(1.0), 0.35), vec3f(0.62), mm < 0.0), vec3f(0.12), outline);
    } else {
        normal = rotation * gradient(spot);
    }
    let clip = frame.clip_from_local * vec4f(local, 1.0);
    let opacity = select(look.colour.a, 1.0, hit.is_section && look.colour.a == 1.0);
    let seen = pack4x8unorm(vec4f(lit(colour, normalize(normal)), opacity));
    found[pixel_number(pixel)] = vec2u(bitcast<u32>(clip.z / clip.w), seen);
}
