// Facets: flat, lit from the eye.

struct Varying {
    @builtin(position) clip: vec4f,
    @location(0) local: vec3f,
    @location(1) @interpolate(flat) element: u32,
    @location(2) @interpolate(flat) channels: vec2u,
};

@vertex
fn facet_vertex(@builtin(vertex_index) index: u32, @location(0) position: vec3f) -> Varying {
    var out: Varying;
    let local = look.local_from_item * vec4f(position, 1.0);
    out.local = local.xyz;
    out.clip = frame.clip_from_local * local;
    out.element = index / 3u;
    out.channels = channels_of(out.element);
    if out.channels.x == HIDDEN {
        // All corners in one place beyond the far plane.
        out.clip = vec4f(0.0, 0.0, 2.0, 1.0);
    }
    return out;
}

@fragment
fn facet_pixel(in: Varying) -> Pixel {
    let normal = normalize(cross(dpdx(in.local), dpdy(in.local)));
    if is_cut_away(in.local) {
        discard;
    }
    let colour = lit(channels_colour(in.channels), normal);
    return Pixel(vec4f(colour, look.colour.a), vec2u(look.id, in.element + look.first));
}
