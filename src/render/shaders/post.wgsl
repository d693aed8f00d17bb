// Eye-dome lighting (Boucheny 2009) over the depth of the scene, and the background behind it.

struct Post {
    // Background at the top and at the bottom.
    top: vec4f,
    bottom: vec4f,
    // Strength, radius in pixels, whether the lens is a perspective one, ratio of far to near distance.
    lighting: vec4f,
};

@group(0) @binding(0) var<uniform> post: Post;
@group(0) @binding(1) var colour: texture_2d<f32>;
@group(0) @binding(2) var depth: texture_depth_2d;

@vertex
fn screen(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    let corner = vec2f(f32((index << 1u) & 2u), f32(index & 2u));
    return vec4f(corner * 2.0 - 1.0, 0.0, 1.0);
}

// Depth as a share of the scene's reach, the same for both lenses.
fn even_depth(pixel: vec2i, size: vec2i) -> f32 {
    let d = textureLoad(depth, clamp(pixel, vec2i(0), size - 1), 0);
    if post.lighting.z < 0.5 || d >= 1.0 {
        return d;
    }
    let ratio = post.lighting.w;
    // Distance over far distance, from the hyperbolic depth.
    let distance = 1.0 / (ratio - d * (ratio - 1.0));
    return clamp((distance * ratio - 1.0) / (ratio - 1.0), 0.0, 1.0);
}

@fragment
fn pixel(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let size = vec2i(textureDimensions(colour));
    let here = vec2i(at.xy);
    let centre = even_depth(here, size);
    if centre >= 1.0 {
        let share = at.y / f32(size.y);
        // What is transparent was blended over nothing.
        let over = textureLoad(colour, here, 0);
        return vec4f(over.rgb + (1.0 - over.a) * mix(post.top.rgb, post.bottom.rgb, share), 1.0);
    }
    let radius = i32(post.lighting.y);
    var shade = 0.0;
    let ways = array<vec2i, 8>(
        vec2i(1, 0), vec2i(-1, 0), vec2i(0, 1), vec2i(0, -1), vec2i(1, 1), vec2i(-1, 1), vec2i(1, -1), vec2i(-1, -1),
    );
    for (var i = 0; i < 8; i++) {
        let neighbour = min(even_depth(here + ways[i] * radius, size), centre + 0.02);
        shade += max(0.0, centre - neighbour);
    }
    let light = exp(-post.lighting.x * shade);
    let rgb = textureLoad(colour, here, 0).rgb;
    return vec4f(rgb * max(light, 0.25), 1.0);
}
