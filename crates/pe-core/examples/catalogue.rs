//! Draws what attention can see of positions under each encoding, as SVG files:
//! `cargo run --release -p pe-core --example catalogue -- docs/img`.
//!
//! Of 16 cells of a 4 x 4 grid, row by row: the part of the attention logit of a query (down) and a key (across) with
//! equal content that comes from their positions, at initialization. For encodings that are added it is the product
//! of their rows; for rotary ones the mean over contents; for `relative` that of one content; else the bias.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use burn::tensor::{Tensor, TensorData};
use pe_core::encoding::Site;
use pe_core::{Arm, Cpu, Positions, Rows};
use rand_distr::{Distribution, StandardNormal};
use streams::{Stream, Streams};

const SIDE: usize = 4;
const TOKENS: usize = SIDE * SIDE;
const WIDTH: usize = 32;
const CONTENTS: usize = 512;
const ARMS: [&str; 9] = [
    "learn-0.2", "learn-2.0", "2d-fixed", "1d-fixed", "random", "relative", "alibi", "rope", "2d-rope",
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("expected the folder to write to, such as docs/img")?;
    for name in ARMS {
        let map = map(name)?;
        let path = Path::new(&folder).join(format!("pe-{name}.svg"));
        std::fs::write(&path, svg(name, &map)?)?;
        println!("{}", path.display());
    }
    Ok(())
}

/// `[tokens, tokens]`.
fn map(name: &str) -> Result<Vec<f32>, Box<dyn Error>> {
    let (streams, device) = (Streams::new(1), Default::default());
    let site = Site { blocks: 1, tokens: TOKENS, axes: 2, width: WIDTH, heads: 1 };
    let encoding = name.parse::<Arm>()?.encoding.init::<Cpu>(site, &streams, &device)?;
    let positions = Positions::grid(&[SIDE, SIDE])?;
    let placement = encoding.place(&positions, &device)?;
    if let Some(table) = encoding.table(0, &placement) {
        return Ok(table.clone().matmul(table.transpose()).into_data().to_vec()?);
    }
    let terms = encoding.terms(0, &placement);
    let contents = if terms.relative.is_some() { 1 } else { CONTENTS };
    let mut rng = streams.rng(Stream::Data);
    let values: Vec<f32> = (0..contents * WIDTH).map(|_| StandardNormal.sample(&mut rng)).collect();
    // The same content at every token.
    let x = Tensor::<Cpu, 4>::from_data(TensorData::new(values, [contents, 1, 1, WIDTH]), &device);
    let x = x.repeat_dim(2, TOKENS);
    let logits = match (&terms.rotation, &terms.relative) {
        (Some(rotation), _) => {
            let turned = rotation.turn(x, &Rows::All);
            turned.clone().matmul(turned.transpose())
        }
        (None, Some(relative)) => relative.products(&x, &Rows::All),
        (None, None) => Tensor::zeros([contents, 1, TOKENS, TOKENS], &device),
    };
    let logits = logits.mean_dim(0).reshape([TOKENS, TOKENS]);
    let logits = match terms.bias {
        Some(bias) => logits + bias.reshape([TOKENS, TOKENS]),
        None => logits,
    };
    Ok(logits.into_data().to_vec()?)
}

/// Blue below, white at and orange above the middle of the range.
fn svg(name: &str, map: &[f32]) -> Result<String, std::fmt::Error> {
    let (low, high) = map.iter().fold((f32::MAX, f32::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
    let (middle, half) = ((low + high) / 2.0, ((high - low) / 2.0).max(1e-12));
    let mut svg = String::new();
    writeln!(svg, r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 180 196" width="180" height="196">"#)?;
    writeln!(svg, "<title>{name}: position part of attention logits, 16 x 16 cells</title>")?;
    writeln!(svg, r##"<rect width="180" height="196" fill="#ffffff"/>"##)?;
    for (i, value) in map.iter().enumerate() {
        let (row, column) = (i / TOKENS, i % TOKENS);
        let t = (value - middle) / half;
        let end = if t < 0.0 { [0.0, 114.0, 178.0] } else { [213.0, 94.0, 0.0] };
        let [r, g, b] = end.map(|end| (255.0 + (end - 255.0) * t.abs()).round());
        let (x, y) = (10 + 10 * column, 10 + 10 * row);
        writeln!(svg, r#"<rect x="{x}" y="{y}" width="10" height="10" fill="rgb({r},{g},{b})"/>"#)?;
    }
    // Where one row of the grid ends.
    for i in 1..SIDE {
        let at = 10 + 10 * SIDE * i;
        writeln!(svg, r##"<path d="M{at} 10V170M10 {at}H170" stroke="#888888" stroke-width="0.5"/>"##)?;
    }
    let label = format!("{low:.1} (blue) to {high:.1} (orange)");
    writeln!(
        svg,
        r##"<text x="90" y="186" font-family="sans-serif" font-size="10" text-anchor="middle" fill="#222222">{label}</text>"##
    )?;
    writeln!(svg, "</svg>")?;
    Ok(svg)
}
