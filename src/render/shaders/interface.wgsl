// The interface's triangles: colour times texture, in the display's encoding.

// Whether the window's format encodes sRGB by itself.
override window_encodes: bool = false;

// Size of the window in points.
@group(0) @binding(0) var<uniform> window: vec2<f32>;
@group(1) @binding(0) var picture: texture_2d<f32>;
@group(1) @binding(1) var filtering: sampler;

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) place: vec2<f32>,
    @location(1) colour: vec4<f32>,
}

@vertex
fn corner(@location(0) at: vec2<f32>, @location(1) place: vec2<f32>, @location(2) colour: vec4<f32>) -> Corner {
    let clip = vec2(2.0, -2.0) * at / window + vec2(-1.0, 1.0);
    return Corner(vec4(clip, 0.0, 1.0), place, colour);
}

fn linear(encoded: vec3<f32>) -> vec3<f32> {
    return select(pow((encoded + 0.055) / 1.055, vec3(2.4)), encoded / 12.92, encoded <= vec3(0.04045));
}

fn shown(colour: vec4<f32>) -> vec4<f32> {
    if window_encodes {
        return vec4(linear(colour.rgb), colour.a);
    }
    return colour;
}

@fragment
fn textured(corner: Corner) -> @location(0) vec4<f32> {
    return shown(corner.colour * textureSample(picture, filtering, corner.place));
}

@fragment
fn plain(corner: Corner) -> @location(0) vec4<f32> {
    return shown(corner.colour);
}
