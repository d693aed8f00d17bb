// Writes single marks, four to a word: each change is an element and the code of its mark.

@group(0) @binding(0) var<storage, read_write> marks: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read> changes: array<vec2u>;

@compute @workgroup_size(256)
fn write_marks(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) own: u32) {
    // Groups in rows of at most 32768.
    let index = (group.y * 32768u + group.x) * 256u + own;
    if index < arrayLength(&changes) {
        let change = changes[index];
        let word = change.x / 4u;
        let shift = 8u * (change.x % 4u);
        if word < arrayLength(&marks) {
            // Each element stands in the list once: only its own byte is touched.
            atomicAnd(&marks[word], ~(0xffu << shift));
            atomicOr(&marks[word], change.y << shift);
        }
    }
}
