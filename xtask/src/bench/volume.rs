//! A synthetic recording and its parcels, as compressed NIfTI.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use rand::RngExt;
use streams::{Stream, Streams};

/// The grid of MNI152 at 2 mm.
pub(super) const SHAPE: [usize; 3] = [91, 109, 91];

/// Parcels along each axis: 6 x 7 x 5 blocks, those within the brain.
const BLOCKS: [usize; 3] = [6, 7, 5];

/// Writes both files, unless they are there. Within an ellipsoid the size of a brain: a level a voxel, and noise;
/// outside 0, as after skull stripping.
pub(super) fn write(bold: &Path, labels: &Path, frames: usize) -> Result<()> {
    let voxels = || (0..SHAPE.iter().product::<usize>()).map(voxel);
    if !labels.exists() {
        let ids: Vec<u8> = voxels().flat_map(|voxel| label(voxel).to_le_bytes()).collect();
        put(labels, &header([&SHAPE[..], &[]].concat(), 4, 16), |out| out.write_all(&ids))?;
    }
    if bold.exists() {
        return Ok(());
    }
    let inside: Vec<bool> = voxels().map(|voxel| label(voxel) != 0).collect();
    let streams = Streams::new(1);
    put(bold, &header([&SHAPE[..], &[frames]].concat(), 16, 32), |out| {
        let mut frame = Vec::new();
        for index in 0..frames {
            let mut rng = streams.rng_at(Stream::Data, index as u64);
            frame.clear();
            for (voxel, inside) in inside.iter().enumerate() {
                let level = 8000.0 + (voxel % 977) as f32;
                let value = if *inside { level + 200.0 * (rng.random::<f32>() - 0.5) } else { 0.0 };
                frame.extend(value.to_le_bytes());
            }
            out.write_all(&frame)?;
        }
        Ok(())
    })
}

fn voxel(number: usize) -> [usize; 3] {
    [number % SHAPE[0], number / SHAPE[0] % SHAPE[1], number / (SHAPE[0] * SHAPE[1])]
}

/// 0 outside of the ellipsoid, else the number of the block.
fn label(voxel: [usize; 3]) -> i16 {
    let at = |axis: usize| voxel[axis] as f64 / (SHAPE[axis] as f64 - 1.0) * 2.0 - 1.0;
    let radius = (0..3).map(|axis| (at(axis) / 0.8).powi(2)).sum::<f64>();
    if radius > 1.0 {
        return 0;
    }
    let block = |axis: usize| voxel[axis] * BLOCKS[axis] / SHAPE[axis];
    (1 + block(0) + BLOCKS[0] * (block(1) + BLOCKS[1] * block(2))) as i16
}

/// A NIfTI-1 header of 352 bytes: 2 mm, 0.8 s, sform.
fn header(shape: Vec<usize>, datatype: i16, bits: i16) -> Vec<u8> {
    let mut bytes = vec![0; 352];
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(0, &348i32.to_le_bytes());
    put(40, &(shape.len() as i16).to_le_bytes());
    for axis in 0..7 {
        put(42 + 2 * axis, &(shape.get(axis).copied().unwrap_or(1) as i16).to_le_bytes());
        put(80 + 4 * axis, &[2.0f32, 2.0, 2.0, 0.8, 1.0, 1.0, 1.0][axis].to_le_bytes());
    }
    put(70, &datatype.to_le_bytes());
    put(72, &bits.to_le_bytes());
    put(76, &1f32.to_le_bytes());
    put(108, &352f32.to_le_bytes());
    // Millimetres and seconds.
    put(123, &[10]);
    put(254, &4i16.to_le_bytes());
    for (row, offset) in [-90f32, -126.0, -72.0].into_iter().enumerate() {
        put(280 + 16 * row + 4 * row, &2f32.to_le_bytes());
        put(280 + 16 * row + 12, &offset.to_le_bytes());
    }
    put(344, b"n+1\0");
    bytes
}

/// Compresses under a temporary name, then renames.
fn put(path: &Path, header: &[u8], fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let partial = path.with_extension("part");
    let write = || {
        let mut out = GzEncoder::new(BufWriter::new(File::create(&partial)?), Compression::fast());
        out.write_all(header)?;
        fill(&mut out)?;
        out.finish()?.into_inner()?.sync_all()?;
        std::fs::rename(&partial, path)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
