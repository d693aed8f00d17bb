// The surface between points: values are interpolated before they get their colour, so that bands have sharp edges.

struct Varying {
    @builtin(position) clip: vec4f,
    @location(0) local: vec3f,
    @location(1) normal: vec3f,
    // The value, and how many of the corners have one.
    @location(2) value: vec2f,
    // The colour of the mark, and how many of the corners have one.
    @location(3) marked: vec4f,
    // How many of the corners are hidden.
    @location(4) hidden: f32,
    @location(5) @interpolate(flat) element: u32,
};

fn unfolded(at: vec2f) -> vec3f {
    let z = 1.0 - abs(at.x) - abs(at.y);
    let sides = select(vec2f(-1.0), vec2f(1.0), at >= vec2f(0.0));
    return normalize(vec3f(select(at, (1.0 - abs(at.yx)) * sides, z < 0.0), z));
}

@vertex
fn surface_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) position: vec3f,
    @location(1) folded_normal: vec2f,
) -> Varying {
    var out: Varying;
    let local = look.local_from_item * vec4f(position, 1.0);
    out.local = local.xyz;
    out.clip = clip_of_scan(local);
    let normal = (look.local_from_item * vec4f(unfolded(folded_normal), 0.0)).xyz;
    // Normals point either way; those of one side agree when they face the eye.
    out.normal = select(normal, -normal, dot(normal, frame.to_eye.xyz) < 0.0);
    out.element = index;
    let bits = values[index];
    out.value = select(vec2f(bitcast<f32>(bits), 1.0), vec2f(0.0), is_nan(bits));
    let mark = mark_of(index);
    out.hidden = select(0.0, 1.0, mark == HIDDEN);
    out.marked = select(vec4f(0.0), vec4f(mark_colour(mark), 1.0), mark == SELECTED || mark >= FIRST_GROUP);
    return out;
}

@fragment
fn surface_pixel(in: Varying) -> Pixel {
    if CUTS && (in.hidden > 0.0 || is_cut_away(in.local)) {
        discard;
    }
    var colour = look.colour.rgb;
    if in.marked.a > 0.5 {
        colour = in.marked.rgb / in.marked.a;
    } else if look.colouring != PLAIN {
        if in.value.y > 0.5 {
            colour = value_colour(in.value.x / in.value.y);
        } else if look.colouring == SCALE {
            colour = NO_DATA_COLOUR;
        }
    }
    return Pixel(vec4f(lit(colour, normalize(in.normal)), look.colour.a), vec2u(look.id, in.element + look.first));
}
