// Wide lines over the lit picture: a box of pixels around each segment, cut to a capsule with soft edges. Where something
// lies before them they are drawn again, dashed.

struct Varying {
    @builtin(position) clip: vec4f,
    // Both ends on the screen, pixels.
    @location(0) @interpolate(flat) ends: vec4f,
    // Distance along the line at both ends, pixels.
    @location(1) @interpolate(flat) along: vec2f,
    // Above the plane that cuts the view, pixels.
    @location(2) height: f32,
};

// Length of the dashes of what is hidden, pixels.
const DASH = 5.0;

fn on_screen(clip: vec4f) -> vec2f {
    return vec2f(0.5 + 0.5 * clip.x / clip.w, 0.5 - 0.5 * clip.y / clip.w) * frame.size_point_scale.xy;
}

// The end of a segment in clip space, drawn a little nearer to the eye than it is: lines lie in the surfaces that they
// outline, and in the discs of its points.
fn end_clip(position: vec3f) -> vec4f {
    let local = look.local_from_item * vec4f(position, 1.0);
    var clip = frame.clip_from_local * local;
    let nearer_mm = frame.to_eye.w + max(2.0, frame.size_point_scale.z) / frame.pixels_per_mm;
    let nearer = frame.clip_from_local * vec4f(local.xyz + frame.to_eye.xyz * nearer_mm, 1.0);
    clip.z = nearer.z / nearer.w * clip.w;
    return clip;
}

@vertex
fn line_vertex(
    @builtin(vertex_index) corner: u32,
    @location(0) start: vec4f,
    @location(1) end: vec4f,
) -> Varying {
    var out: Varying;
    let a = end_clip(start.xyz);
    let b = end_clip(end.xyz);
    // Behind the eye there is no screen.
    if a.w <= 0.0 || b.w <= 0.0 {
        out.clip = vec4f(0.0, 0.0, 2.0, 1.0);
        return out;
    }
    let ends = vec4f(on_screen(a), on_screen(b));
    out.ends = ends;
    out.along = vec2f(start.w, end.w) * frame.pixels_per_mm;
    let run = ends.zw - ends.xy;
    let length_px = length(run);
    let direction = select(vec2f(1.0, 0.0), run / max(length_px, 1e-6), length_px > 1e-6);
    let reach = 0.5 * look.parameter + 1.0;
    let is_end = corner == 1u || corner == 3u || corner == 4u;
    let side = select(-1.0, 1.0, corner == 2u || corner == 4u || corner == 5u);
    let base = select(a, b, is_end);
    let local = look.local_from_item * vec4f(select(start.xyz, end.xyz, is_end), 1.0);
    out.height = (dot(frame.cut.xyz, local.xyz) + frame.cut.w) * frame.pixels_per_mm;
    let forward = select(-reach, reach, is_end);
    let offset = direction * forward + vec2f(-direction.y, direction.x) * side * reach;
    // Pixels count downwards, clip space upwards.
    let shift = vec2f(offset.x, -offset.y) * 2.0 / frame.size_point_scale.xy;
    out.clip = vec4f(base.xy + shift * base.w, base.zw);
    return out;
}

// Whether it is cut away with what it lies on; lines in the plane of the cut itself are not.
fn is_cut(in: Varying) -> bool {
    return any(frame.cut != vec4f(0.0)) && in.height < -2.0;
}

// How much of the pixel the line covers, and where along the segment it is, pixels.
fn covered(in: Varying) -> vec2f {
    let run = in.ends.zw - in.ends.xy;
    let length_px = max(length(run), 1e-6);
    let offset = in.clip.xy - in.ends.xy;
    let at = clamp(dot(offset, run) / length_px, 0.0, length_px);
    let away = length(offset - run / length_px * at);
    return vec2f(clamp(0.5 * look.parameter + 0.5 - away, 0.0, 1.0), at / length_px);
}

@fragment
fn line_pixel(in: Varying) -> @location(0) vec4f {
    if is_cut(in) {
        discard;
    }
    return vec4f(look.colour.rgb, look.colour.a * covered(in).x);
}

@fragment
fn hidden_pixel(in: Varying) -> @location(0) vec4f {
    let found = covered(in);
    let along = mix(in.along.x, in.along.y, found.y);
    if is_cut(in) || fract(along / (2.0 * DASH)) > 0.5 {
        discard;
    }
    return vec4f(look.colour.rgb, look.colour.a * found.x);
}
