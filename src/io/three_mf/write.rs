//! Writer of 3MF: one part in mm (3MF Core Specification 1.3).

use std::fs::File;
use std::io::{self, BufWriter, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use geometry::Mesh;

const CONTENT_TYPES: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
 <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
 <Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>
</Types>
"#;
const RELATIONS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
 <Relationship Target="/3D/3dmodel.model" Id="rel0" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>
</Relationships>
"#;
const MODEL: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<model unit="millimeter" xml:lang="en-US" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">
 <resources>
  <object id="1" type="model">
   <mesh>
    <vertices>
"#;
const MODEL_END: &str = r#"    </triangles>
   </mesh>
  </object>
 </resources>
 <build>
  <item objectid="1"/>
 </build>
</model>
"#;

/// Writes a mesh in mm.
pub fn mesh(writer: &mut BufWriter<File>, mesh: &Mesh) -> io::Result<()> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).large_file(true);
    let mut archive = ZipWriter::new(writer);
    archive.start_file("[Content_Types].xml", options)?;
    archive.write_all(CONTENT_TYPES.as_bytes())?;
    archive.start_file("_rels/.rels", options)?;
    archive.write_all(RELATIONS.as_bytes())?;
    archive.start_file("3D/3dmodel.model", options)?;
    let mut model = BufWriter::new(&mut archive);
    model.write_all(MODEL.as_bytes())?;
    for v in &mesh.vertices {
        writeln!(model, r#"     <vertex x="{}" y="{}" z="{}"/>"#, v.x, v.y, v.z)?;
    }
    model.write_all(b"    </vertices>\n    <triangles>\n")?;
    for [a, b, c] in &mesh.facets {
        writeln!(model, r#"     <triangle v1="{a}" v2="{b}" v3="{c}"/>"#)?;
    }
    model.write_all(MODEL_END.as_bytes())?;
    model.flush()?;
    drop(model);
    archive.finish()?;
    Ok(())
}
