// What all primitives know: the frame, the item, its channels, and how an element gets its colour.

struct Frame {
    clip_from_local: mat4x4f,
    local_from_clip: mat4x4f,
    // What is kept is where the dot product with the first three, plus the fourth, is not negative; zero keeps all.
    cut: vec4f,
    // Towards the eye, unit; how far points are drawn in front of where they are, mm.
    to_eye: vec4f,
    // Pixels across and down, size of a point in pixels, end of the colour scale in mm.
    size_point_scale: vec4f,
    // Towards the soft light above left of the eye, unit.
    to_light: vec4f,
    // Pixels per mm at the middle of the view.
    pixels_per_mm: f32,
    // Beginning of the colour scale in mm.
    scale_begin_mm: f32,
};

struct Look {
    local_from_item: mat4x4f,
    // RGB and opacity.
    colour: vec4f,
    colouring: u32,
    id: u32,
    // Index of the chunk's first element.
    first: u32,
    // Of lines their width, pixels; of distance fields the distance at which they are drawn, spacings.
    parameter: f32,
};

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var scale_table: texture_2d<f32>;
@group(1) @binding(0) var<uniform> look: Look;
// A deviation or thickness in mm or a brightness from 0 to 1; NaN is no data.
@group(1) @binding(1) var<storage, read> values: array<u32>;
// Four to a word.
@group(1) @binding(2) var<storage, read> marks: array<u32>;

struct Pixel {
    @location(0) colour: vec4f,
    @location(1) ids: vec2u,
};

const PLAIN = 0u;
const SCALE = 1u;
const GREY = 2u;

const SELECTED = 1u;
const HIDDEN = 2u;
const FIRST_GROUP = 3u;
const BACKGROUND = 11u;
const SELECTED_COLOUR = vec3f(1.0, 0.62, 0.05);
const BACKGROUND_COLOUR = vec3f(0.62, 0.64, 0.67);
const NO_DATA_COLOUR = vec3f(0.502, 0.502, 0.518);
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

fn mark_of(element: u32) -> u32 {
    return (marks[element / 4u] >> (8u * (element % 4u))) & 0xffu;
}

// Whether the bits are those of a NaN; comparing the number itself may be optimised away.
fn is_nan(bits: u32) -> bool {
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

// Of an element that is selected or belongs to a group or the background.
fn mark_colour(mark: u32) -> vec3f {
    if mark == SELECTED {
        return SELECTED_COLOUR;
    }
    if mark == BACKGROUND {
        return BACKGROUND_COLOUR;
    }
    var colours = GROUP_COLOURS;
    return colours[(mark - FIRST_GROUP) % 8u];
}

fn value_colour(value: f32) -> vec3f {
    if look.colouring == GREY {
        return vec3f(value);
    }
    let steps = textureDimensions(scale_table).x;
    let begin = frame.scale_begin_mm;
    let share = (value - begin) / (frame.size_point_scale.w - begin);
    let step = u32(clamp(share * f32(steps), 0.0, f32(steps) - 1.0));
    return textureLoad(scale_table, vec2u(step, 0u), 0).rgb;
}

// What the colour of an element comes from: its mark, and the bits of its value. Colours are found pixel by pixel: a
// software rasteriser shares pixels among its threads, but not corners.
fn channels_of(element: u32) -> vec2u {
    var bits = 0u;
    if look.colouring != PLAIN {
        bits = values[element];
    }
    return vec2u(mark_of(element), bits);
}

fn channels_colour(channels: vec2u) -> vec3f {
    let mark = channels.x;
    let bits = channels.y;
    if mark == SELECTED || mark >= FIRST_GROUP {
        return mark_colour(mark);
    }
    if look.colouring == PLAIN {
        return look.colour.rgb;
    }
    if is_nan(bits) {
        return select(NO_DATA_COLOUR, look.colour.rgb, look.colouring == GREY);
    }
    return value_colour(bitcast<f32>(bits));
}

// Where a point of the scan is drawn. Just below the nominal it would vanish in it: only its depth is drawn nearer.
fn clip_of_scan(local: vec4f) -> vec4f {
    var clip = frame.clip_from_local * local;
    let nearer = frame.clip_from_local * vec4f(local.xyz + frame.to_eye.xyz * frame.to_eye.w, 1.0);
    clip.z = nearer.z / nearer.w * clip.w;
    return clip;
}

// Whether the pipeline cuts, or leaves out facets of which a corner is hidden: a shader that may discard a pixel tests
// depth late, which costs a picture that is not cut.
override CUTS: bool = false;

fn is_cut_away(local: vec3f) -> bool {
    return CUTS && dot(frame.cut.xyz, local) + frame.cut.w < 0.0;
}

// Lit from the eye and, softly, from above left: both sides of a sheet show.
fn lit(colour: vec3f, normal: vec3f) -> vec3f {
    let light = 0.42 + 0.40 * abs(dot(normal, frame.to_eye.xyz)) + 0.20 * abs(dot(normal, frame.to_light.xyz));
    // The colours of a scale stay near those of the legend.
    let flat = select(0.0, 0.55, look.colouring == SCALE);
    return colour * min(flat + (1.0 - flat) * light, 1.05);
}
