// Draws facets and points: position, shade, colour by deviation, and the id under each pixel.

struct Frame {
    clip_from_local: mat4x4f,
    // Towards the eye, unit; how far points are drawn in front of where they are, mm.
    to_eye: vec4f,
    // Pixels across and down, size of a point in pixels, end of the colour scale in mm.
    size_point_scale: vec4f,
};

struct Object {
    local_from_item: mat4x4f,
    colour: vec4f,
    // Mode (0 plain, 1 by deviation), id, number of the first element, number of the highlighted element.
    mode_id_first_marked: vec4u,
};

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var scale_table: texture_2d<f32>;
@group(1) @binding(0) var<uniform> object: Object;
@group(1) @binding(1) var<storage, read> deviations: array<f32>;

struct Varying {
    @builtin(position) clip: vec4f,
    @location(0) local: vec3f,
    @location(1) @interpolate(flat) element: u32,
    @location(2) @interpolate(flat) deviation: f32,
    @location(3) in_point: vec2f,
};

struct Pixel {
    @location(0) colour: vec4f,
    @location(1) ids: vec2u,
};

// What stands for something else than a deviation lies beyond these.
const NO_DATA = 1e29;
const SELECTED = 1.5e30;
const PLAIN = 3e30;
// A grey of brightness b has the value -1e30 (1 + b).
const GREY = -5e29;
const GREY_STEP = -1e30;
// A group of number n has the value 1e31 (n + 1).
const GROUP = 5e30;
const GROUP_STEP = 1e31;
// Points and facets that are not drawn.
const HIDDEN = 1e35;
const GROUP_COLOURS = array<vec3f, 8>(
    vec3f(0.86, 0.27, 0.27),
    vec3f(0.17, 0.62, 0.38),
    vec3f(0.48, 0.36, 0.82),
    vec3f(0.93, 0.58, 0.11),
    vec3f(0.07, 0.60, 0.72),
    vec3f(0.84, 0.35, 0.65),
    vec3f(0.55, 0.42, 0.28),
    vec3f(0.45, 0.55, 0.15),
);

fn scale_colour(deviation: f32) -> vec3f {
    if deviation > GROUP {
        var colours = GROUP_COLOURS;
        return colours[u32(deviation / GROUP_STEP - 0.5) % 8u];
    }
    if deviation > PLAIN {
        return object.colour.rgb;
    }
    if deviation > SELECTED {
        return vec3f(1.0, 0.62, 0.05);
    }
    if deviation > NO_DATA {
        return vec3f(0.502, 0.502, 0.518);
    }
    if deviation < GREY {
        return vec3f(deviation / GREY_STEP - 1.0);
    }
    let steps = textureDimensions(scale_table).x;
    let share = 0.5 + 0.5 * deviation / frame.size_point_scale.w;
    let step = u32(clamp(share * f32(steps), 0.0, f32(steps) - 1.0));
    return textureLoad(scale_table, vec2u(step, 0u), 0).rgb;
}

fn base_colour(deviation: f32) -> vec3f {
    if object.mode_id_first_marked.x == 1u {
        return scale_colour(deviation);
    }
    return object.colour.rgb;
}

fn element_deviation(element: u32) -> f32 {
    if object.mode_id_first_marked.x == 1u {
        return deviations[element];
    }
    return 0.0;
}

@vertex
fn facet_vertex(@builtin(vertex_index) index: u32, @location(0) position: vec3f) -> Varying {
    var out: Varying;
    let local = object.local_from_item * vec4f(position, 1.0);
    out.local = local.xyz;
    out.clip = frame.clip_from_local * local;
    out.element = index / 3u;
    out.deviation = element_deviation(out.element);
    if out.deviation > HIDDEN {
        // All corners in one place beyond the far plane.
        out.clip = vec4f(0.0, 0.0, 2.0, 1.0);
    }
    return out;
}

@fragment
fn facet_pixel(in: Varying) -> Pixel {
    let normal = normalize(cross(dpdx(in.local), dpdy(in.local)));
    let eye = normalize(frame.to_eye.xyz);
    // Lit from the eye and, softly, from above left: both sides of a sheet show.
    let key = normalize(eye + vec3f(-0.25, -0.2, 0.55));
    let facing = abs(dot(normal, eye));
    let lit = 0.42 + 0.40 * facing + 0.20 * abs(dot(normal, key));
    var colour = base_colour(in.deviation) * min(lit, 1.05);
    let number = in.element + object.mode_id_first_marked.z;
    if number == object.mode_id_first_marked.w {
        colour = mix(colour, vec3f(1.0), 0.5);
    }
    var out: Pixel;
    out.colour = vec4f(colour, object.colour.a);
    out.ids = vec2u(object.mode_id_first_marked.y, number);
    return out;
}

fn point_varying(position: vec3f, element: u32) -> Varying {
    var out: Varying;
    let local = object.local_from_item * vec4f(position, 1.0);
    out.local = local.xyz;
    out.clip = frame.clip_from_local * local;
    // Points just below the nominal would vanish in it: only their depth is drawn nearer.
    let nearer = frame.clip_from_local * vec4f(local.xyz + frame.to_eye.xyz * frame.to_eye.w, 1.0);
    out.clip.z = nearer.z / nearer.w * out.clip.w;
    out.element = element;
    out.deviation = element_deviation(element);
    if out.deviation > HIDDEN {
        // Behind everything.
        out.clip = vec4f(0.0, 0.0, 2.0, 1.0);
    }
    return out;
}

@vertex
fn point_vertex(@builtin(vertex_index) index: u32, @location(0) position: vec3f) -> Varying {
    return point_varying(position, index);
}

@vertex
fn disc_vertex(
    @builtin(vertex_index) corner: u32,
    @builtin(instance_index) index: u32,
    @location(0) position: vec3f,
) -> Varying {
    var out = point_varying(position, index);
    let corners = array<vec2f, 6>(
        vec2f(-1.0, -1.0), vec2f(1.0, -1.0), vec2f(1.0, 1.0),
        vec2f(-1.0, -1.0), vec2f(1.0, 1.0), vec2f(-1.0, 1.0),
    );
    out.in_point = corners[corner];
    let reach = frame.size_point_scale.z / frame.size_point_scale.xy * out.clip.w;
    out.clip = vec4f(out.clip.xy + out.in_point * reach, out.clip.zw);
    return out;
}

@fragment
fn point_pixel(in: Varying) -> Pixel {
    if dot(in.in_point, in.in_point) > 1.0 {
        discard;
    }
    let number = in.element + object.mode_id_first_marked.z;
    var out: Pixel;
    out.colour = vec4f(base_colour(in.deviation), 1.0);
    if number == object.mode_id_first_marked.w {
        out.colour = vec4f(1.0);
    }
    out.ids = vec2u(object.mode_id_first_marked.y, number);
    return out;
}
