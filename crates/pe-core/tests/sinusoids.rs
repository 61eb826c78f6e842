//! The fixed sinusoids against their formulas.

use approx::assert_abs_diff_eq;
use burn::tensor::Tensor;
use pe_core::additive::{Scale, SinusoidKdConfig};
use pe_core::encoding::Site;
use pe_core::{Arm, Coords, Cpu, EncodingConfig, Positions};
use streams::Streams;

fn table(encoding: &EncodingConfig, positions: &Positions, width: usize) -> Vec<Vec<f32>> {
    let site = Site { blocks: 1, tokens: positions.tokens(), axes: positions.coords().axes(), width, heads: 1 };
    let encoding = encoding.init::<Cpu>(site, &Streams::new(1), &Default::default()).unwrap();
    let placement = encoding.place(positions, &Default::default()).unwrap();
    let table: Tensor<Cpu, 2> = encoding.table(0, &placement).unwrap();
    table.to_data().to_vec::<f32>().unwrap().chunks(width).map(<[f32]>::to_vec).collect()
}

fn fixed(name: &str) -> EncodingConfig {
    name.parse::<Arm>().unwrap().encoding
}

#[test]
fn in_1d_the_first_pair_is_the_sine_and_cosine_of_the_id() {
    let table = table(&fixed("1d-fixed"), &Positions::grid(&[16]).unwrap(), 4);
    for (id, row) in table.iter().enumerate() {
        let p = id as f32;
        let expected = [p.sin(), p.cos(), (p / 100.0).sin(), (p / 100.0).cos()];
        for (a, b) in row.iter().zip(expected) {
            assert_abs_diff_eq!(*a, b, epsilon = 1e-6);
        }
    }
}

#[test]
fn in_2d_the_first_half_is_the_column_and_the_last_half_the_row() {
    let table = table(&fixed("2d-fixed"), &Positions::grid(&[4, 4]).unwrap(), 8);
    let line = |x: f32| [x.sin(), x.cos(), (x / 100.0).sin(), (x / 100.0).cos()];
    for (cell, row) in table.iter().enumerate() {
        let expected = [line((cell % 4) as f32), line((cell / 4) as f32)].concat();
        for (a, b) in row.iter().zip(expected) {
            assert_abs_diff_eq!(*a, b, epsilon = 1e-6);
        }
    }
}

/// cos(a)cos(b) + sin(a)sin(b) = cos(a - b): the inner product depends on the offset alone.
#[test]
fn inner_products_depend_on_the_offset_alone() {
    let positions = Positions::grid(&[3, 4, 2]).unwrap();
    let table = table(&fixed("2d-fixed"), &positions, 26);
    let coords = positions.coords();
    let mut by_offset: Vec<(Vec<f64>, f32)> = Vec::new();
    for i in 0..24 {
        for j in 0..24 {
            let offset: Vec<f64> = coords.row(i).iter().zip(coords.row(j)).map(|(a, b)| a - b).collect();
            let product: f32 = table[i].iter().zip(&table[j]).map(|(a, b)| a * b).sum();
            match by_offset.iter().find(|(known, _)| *known == offset) {
                Some((_, known)) => assert_abs_diff_eq!(*known, product, epsilon = 1e-4),
                None => by_offset.push((offset, product)),
            }
        }
    }
    assert_eq!(by_offset.len(), 5 * 7 * 3);
}

#[test]
fn unit_spacing_makes_the_sinusoid_independent_of_the_unit() {
    let config = EncodingConfig::SinusoidKd(SinusoidKdConfig { scale: Scale::UnitSpacing });
    let grid = Positions::grid(&[4, 4]).unwrap();
    let scaled = grid.coords().values().iter().map(|v| v * 12.5).collect();
    let millimetres = Positions::in_order(Coords::new(scaled, 2).unwrap());
    let (a, b) = (table(&config, &grid, 16), table(&config, &millimetres, 16));
    for (a, b) in a.concat().iter().zip(b.concat()) {
        assert_abs_diff_eq!(*a, b, epsilon = 1e-6);
    }
}
