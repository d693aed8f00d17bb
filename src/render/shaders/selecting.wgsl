// Points inside an outline on the screen: a bit for each, in the order in which they are drawn. The first pass marks
// those inside and keeps the foremost depth of each cell of pixels, the second takes away those that lie behind it.

struct Outline {
    // Rows that take a point to clip x, y and w, and to its depth (mm along the view).
    rows: array<vec4f, 4>,
    // Pixels of the view; box of the outline, pixels.
    size: vec2f,
    low: vec2f,
    high: vec2f,
    // Of the brush, pixels; negative for polygons.
    radius: f32,
    // Pixels of a cell, and how far a point may lie behind its foremost one, mm.
    cell: f32,
    behind: f32,
    columns: u32,
    lines: u32,
    // Points of this buffer, and the number of its first.
    count: u32,
    first: u32,
    only_visible: u32,
}

@group(0) @binding(0) var<uniform> outline: Outline;
@group(0) @binding(1) var<storage, read> positions: array<f32>;
@group(0) @binding(2) var<storage, read_write> inside: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> foremost: array<atomic<u32>>;
// Edges that matter to each row of pixels: where they start among the edges, and the edges from x, y to x, y.
@group(0) @binding(4) var<storage, read> starts: array<u32>;
@group(0) @binding(5) var<storage, read> edges: array<vec4f>;
// Marks of the points, four to a word; those that are hidden are not drawn at all.
@group(0) @binding(6) var<storage, read> marks: array<u32>;

const HIDDEN = 2u;

// Pixel, depth, and whether the point lies before the eye.
fn seen(number: u32) -> vec4f {
    let point = vec4f(positions[3u * number], positions[3u * number + 1u], positions[3u * number + 2u], 1.0);
    let x = dot(outline.rows[0], point);
    let y = dot(outline.rows[1], point);
    let w = dot(outline.rows[2], point);
    let pixel = vec2f(x / w * 0.5 + 0.5, 0.5 - y / w * 0.5) * outline.size;
    return vec4f(pixel, dot(outline.rows[3], point), select(0.0, 1.0, w > 0.0));
}

fn is_inside(at: vec2f) -> bool {
    if !(all(outline.low <= at) && all(at <= outline.high)) {
        return false;
    }
    let row = min(u32(at.y - outline.low.y), arrayLength(&starts) - 2u);
    var crossed = 0u;
    for (var i = starts[row]; i < starts[row + 1u]; i++) {
        let edge = edges[i];
        if outline.radius < 0.0 {
            if (edge.y <= at.y) != (edge.w <= at.y)
                && at.x < edge.x + (at.y - edge.y) / (edge.w - edge.y) * (edge.z - edge.x) {
                crossed += 1u;
            }
        } else {
            let along = edge.zw - edge.xy;
            let to = at - edge.xy;
            let length = dot(along, along);
            var t = 0.0;
            if length > 0.0 {
                t = clamp(dot(along, to) / length, 0.0, 1.0);
            }
            let away = to - t * along;
            if dot(away, away) <= outline.radius * outline.radius {
                return true;
            }
        }
    }
    return crossed % 2u == 1u;
}

fn cell_of(at: vec2f) -> u32 {
    let cell = vec2u((at - outline.low) / outline.cell);
    return min(cell.y, outline.lines - 1u) * outline.columns + min(cell.x, outline.columns - 1u);
}

// Orders as the numbers do.
fn ordered(value: f32) -> u32 {
    let bits = bitcast<u32>(value);
    return select(bits | 0x80000000u, ~bits, bits >> 31u == 1u);
}

@compute @workgroup_size(256)
fn mark(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= outline.count || ((marks[id.x / 4u] >> (8u * (id.x % 4u))) & 0xffu) == HIDDEN {
        return;
    }
    let at = seen(id.x);
    if at.w == 0.0 || !is_inside(at.xy) {
        return;
    }
    let number = outline.first + id.x;
    atomicOr(&inside[number / 32u], 1u << (number % 32u));
    if outline.only_visible == 1u {
        atomicMin(&foremost[cell_of(at.xy)], ordered(at.z));
    }
}

@compute @workgroup_size(256)
fn hide(@builtin(global_invocation_id) id: vec3u) {
    let number = outline.first + id.x;
    if id.x >= outline.count || (atomicLoad(&inside[number / 32u]) >> (number % 32u) & 1u) == 0u {
        return;
    }
    let at = seen(id.x);
    if ordered(at.z - outline.behind) > atomicLoad(&foremost[cell_of(at.xy)]) {
        atomicAnd(&inside[number / 32u], ~(1u << (number % 32u)));
    }
}
