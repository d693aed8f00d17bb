// Puts the finished picture into the window: egui's own shader costs a software rasteriser several times as much.

@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var filtered: sampler;

// Whether the window's format encodes sRGB by itself; the picture holds encoded values already.
override window_encodes: bool = false;
// Whether the picture is smaller than the view; else each pixel is taken as it is, which costs a software rasteriser less.
override is_scaled: bool = false;

struct Corner {
    @builtin(position) clip: vec4f,
    @location(0) place: vec2f,
};

@vertex
fn corner(@builtin(vertex_index) index: u32) -> Corner {
    let at = vec2f(f32((index << 1u) & 2u), f32(index & 2u));
    var out: Corner;
    out.clip = vec4f(at.x * 2.0 - 1.0, 1.0 - at.y * 2.0, 0.0, 1.0);
    out.place = at;
    return out;
}

@fragment
fn pixel(in: Corner) -> @location(0) vec4f {
    var encoded: vec3f;
    if is_scaled {
        encoded = textureSampleLevel(picture, filtered, in.place, 0.0).rgb;
    } else {
        encoded = textureLoad(picture, vec2i(in.place * vec2f(textureDimensions(picture))), 0).rgb;
    }
    if window_encodes {
        let low = encoded / 12.92;
        let high = pow((encoded + 0.055) / 1.055, vec3f(2.4));
        return vec4f(select(high, low, encoded <= vec3f(0.04045)), 1.0);
    }
    return vec4f(encoded, 1.0);
}
