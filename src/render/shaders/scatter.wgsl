// Writes single values into a buffer: each change is a place and the bits of the value.

@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@group(0) @binding(1) var<storage, read> changes: array<vec2u>;

@compute @workgroup_size(256)
fn scatter(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) own: u32) {
    // Groups in rows of at most 32768.
    let number = (group.y * 32768u + group.x) * 256u + own;
    if number < arrayLength(&changes) {
        let change = changes[number];
        if change.x < arrayLength(&values) {
            values[change.x] = change.y;
        }
    }
}
