//! The logo of the company, on the first page of its reports.

use std::io::{Cursor, Read};
use std::path::Path;

use base::limits::format_bytes;
use base::{Result, UserError, regular_file};
use image::{ImageFormat, ImageReader, Limits, imageops};

/// Largest file that is read, bytes, and largest side, pixels.
const MAX_BYTES: u64 = 5 << 20;
const MAX_SIDE: u32 = 8192;
/// Sides of what is embedded, pixels: enough for print.
const EMBEDDED: [u32; 2] = [1200, 480];

/// A logo.
#[derive(Clone, Debug)]
pub struct Logo {
    /// As PNG.
    pub png: Vec<u8>,
    /// Width and height, pixels.
    pub size: [u32; 2],
}

impl Logo {
    /// Reads a PNG file; large ones are scaled down.
    ///
    /// Returns an error if it cannot be read, is too large, or is no PNG picture.
    pub fn read(path: &Path) -> Result<Self> {
        let (file, length) = regular_file::open(path)?;
        let refused = |why: String| UserError::input(format!("The logo {} {why}", path.display()));
        if length > MAX_BYTES {
            return Err(refused(format!(
                "has {}; a logo has at most {}.",
                format_bytes(length),
                format_bytes(MAX_BYTES)
            )));
        }
        let mut bytes = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(|e| UserError::file("read", path, &e))?;
        let mut reader = ImageReader::with_format(Cursor::new(bytes), ImageFormat::Png);
        let mut limits = Limits::default();
        (limits.max_image_width, limits.max_image_height) = (Some(MAX_SIDE), Some(MAX_SIDE));
        reader.limits(limits);
        let picture = reader.decode().map_err(|e| refused(format!("is not read as a PNG picture: {e}.")))?;
        // 8 bits per channel, which every reader of PDF files shows.
        let picture = picture.into_rgba8();
        let [width, height] = EMBEDDED.map(f64::from);
        let share = (width / f64::from(picture.width())).min(height / f64::from(picture.height())).min(1.0);
        let scaled = |side: u32| ((f64::from(side) * share).round() as u32).max(1);
        let picture = match share < 1.0 {
            true => imageops::thumbnail(&picture, scaled(picture.width()), scaled(picture.height())),
            false => picture,
        };
        let mut png = Vec::new();
        picture
            .write_to(&mut Cursor::new(&mut png), ImageFormat::Png)
            .map_err(|e| refused(format!("is not read: {e}.")))?;
        Ok(Self { png, size: picture.dimensions().into() })
    }

    /// Width and height as large as they may be within a width and a height.
    pub fn within(&self, [width, height]: [f32; 2]) -> [f32; 2] {
        let [own_width, own_height] = self.size.map(|side| side.max(1) as f32);
        let scale = (width / own_width).min(height / own_height);
        [own_width * scale, own_height * scale]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logo_is_scaled_down_and_what_is_none_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("logo.png");
        image::RgbaImage::new(3000, 600).save(&path).unwrap();
        let logo = Logo::read(&path).unwrap();
        assert_eq!(logo.size, [1200, 240]);
        assert_eq!(logo.within([100.0, 10.0]), [50.0, 10.0]);
        let sentence = |path: &Path| Logo::read(path).unwrap_err().sentence;
        assert!(sentence(&folder.path().join("none.png")).contains("none.png"));
        assert!(sentence(folder.path()).contains("is a folder"));
        let whole = std::fs::read(&path).unwrap();
        for bytes in [&whole[..whole.len() / 2], b"JFIF", b""] {
            std::fs::write(&path, bytes).unwrap();
            assert!(sentence(&path).contains("is not read as a PNG picture"), "{}", sentence(&path));
        }
        std::fs::File::create(&path).unwrap().set_len(100 << 20).unwrap();
        assert!(sentence(&path).contains("has 100.0 MiB; a logo has at most 5.0 MiB."), "{}", sentence(&path));
        // Few bytes that would be a very large picture.
        let wide = image::GrayImage::new(MAX_SIDE + 1, 1);
        wide.save(&path).unwrap();
        assert!(sentence(&path).contains("is not read as a PNG picture"), "{}", sentence(&path));
    }
}
