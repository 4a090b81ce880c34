//! Pixels → PNG.

use miniz_oxide::deflate::compress_to_vec_zlib;

use super::raster::Pixels;

/// A complete PNG file: eight bits for each of red, green and blue.
pub(crate) fn png(pixels: &Pixels) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::with_capacity(13);
    header.extend((pixels.width as u32).to_be_bytes());
    header.extend((pixels.height as u32).to_be_bytes());
    // Depth 8, true colour, and the only methods there are.
    header.extend([8, 2, 0, 0, 0]);
    chunk(&mut file, b"IHDR", &header);
    let row = 3 * pixels.width;
    let mut lines = Vec::with_capacity((row + 1) * pixels.height);
    for line in pixels.bytes.chunks(row.max(1)) {
        // Flat areas compress best without a filter.
        lines.push(0);
        lines.extend_from_slice(line);
    }
    chunk(&mut file, b"IDAT", &compress_to_vec_zlib(&lines, 7));
    chunk(&mut file, b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend_from_slice(kind);
    file.extend_from_slice(data);
    let sum = crc32fast::hash(&file[start..]);
    file.extend(sum.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::super::raster::Pixels;
    use super::png;
    use miniz_oxide::inflate::decompress_to_vec_zlib;

    #[test]
    fn a_file_holds_its_size_and_its_pixels() {
        let bytes: Vec<u8> = (0..2 * 3 * 3).collect();
        let file = png(&Pixels { width: 2, height: 3, bytes: bytes.clone() });
        assert_eq!(&file[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(&file[16..24], [0, 0, 0, 2, 0, 0, 0, 3]);
        assert_eq!(&file[file.len() - 8..], b"IEND\xae\x42\x60\x82");
        let start = 8 + 25 + 8;
        let length = u32::from_be_bytes([file[33], file[34], file[35], file[36]]) as usize;
        let lines = decompress_to_vec_zlib(&file[start..start + length]).expect("zlib");
        let mut expected = Vec::new();
        for line in bytes.chunks(6) {
            expected.push(0);
            expected.extend_from_slice(line);
        }
        assert_eq!(lines, expected);
    }
}
