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
        // Flat areas compress best as they are.
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
    let sum = crc(&file[start..]);
    file.extend(sum.to_be_bytes());
}

/// The checksum that PNG asks for: CRC-32 as in ISO 3309.
fn crc(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = table();
    let step = |sum: u32, byte: &u8| TABLE[((sum ^ u32::from(*byte)) & 0xff) as usize] ^ (sum >> 8);
    !bytes.iter().fold(u32::MAX, step)
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut sum = index as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { 0xedb8_8320 ^ (sum >> 1) } else { sum >> 1 };
            bit += 1;
        }
        table[index] = sum;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::raster::Pixels;
    use super::{crc, png};
    use miniz_oxide::inflate::decompress_to_vec_zlib;

    #[test]
    fn the_checksum_is_the_known_one() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc(b"IEND"), 0xae42_6082);
    }

    #[test]
    fn a_file_holds_its_size_and_its_pixels() {
        let bytes: Vec<u8> = (0..2 * 3 * 3).collect();
        let file = png(&Pixels { width: 2, height: 3, bytes: bytes.clone() });
        assert_eq!(&file[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(&file[16..24], [0, 0, 0, 2, 0, 0, 0, 3]);
        assert_eq!(&file[file.len() - 8..file.len() - 4], b"IEND");
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
