// Points: as pixels, or as discs that face the eye.

@group(1) @binding(3) var<storage, read> positions: array<f32>;

struct Varying {
    @builtin(position) clip: vec4f,
    @location(0) @interpolate(flat) element: u32,
    @location(1) @interpolate(flat) channels: vec2u,
    @location(2) in_point: vec2f,
};

fn point_varying(position: vec3f, element: u32) -> Varying {
    var out: Varying;
    let local = look.local_from_item * vec4f(position, 1.0);
    out.clip = clip_of_scan(local);
    out.element = element;
    out.channels = channels_of(element);
    if out.channels.x == HIDDEN || is_cut_away(local.xyz) {
        // Behind everything.
        out.clip = vec4f(0.0, 0.0, 2.0, 1.0);
    }
    return out;
}

@vertex
fn point_vertex(@builtin(vertex_index) index: u32, @location(0) position: vec3f) -> Varying {
    return point_varying(position, index);
}

// Six corners for each point, one after another: of an instance for each point, most lanes of a device would be idle.
@vertex
fn disc_vertex(@builtin(vertex_index) index: u32) -> Varying {
    let element = index / 6u;
    let corner = index % 6u;
    let first = 3u * element;
    let position = vec3f(positions[first], positions[first + 1u], positions[first + 2u]);
    var out = point_varying(position, element);
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
    return Pixel(vec4f(channels_colour(in.channels), look.colour.a), vec2u(look.id, in.element + look.first));
}
