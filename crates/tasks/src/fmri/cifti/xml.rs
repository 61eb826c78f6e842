//! The XML that describes the axes of a CIFTI matrix.

use std::path::Path;
use std::str::FromStr;

use roxmltree::{Document, Node, ParsingOptions};

use super::axis::{Axis, BrainModel, BrainModels, Elements, NamedMap, Parcel, Series};
use crate::fmri::affine::{Affine, Grid};
use crate::fmri::error::{FmriError, Result};
use crate::fmri::label_table::LabelTable;

/// More nodes than any parcellation needs.
const MOST_NODES: u32 = 1_000_000;

/// The axes of dimensions 0 and 1.
pub(super) fn axes(path: &Path, content: &[u8]) -> Result<[Axis; 2]> {
    let xml = Xml { path };
    let end = content.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let text = std::str::from_utf8(content.get(..end).unwrap_or_default())
        .map_err(|problem| xml.wrong("CIFTI XML", "UTF-8 text", problem))?;
    let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|problem| xml.wrong("CIFTI XML", "well-formed XML", problem))?;
    let root = document.root_element();
    if !(root.has_tag_name("CIFTI") && root.attribute("Version").is_some_and(|v| v.starts_with('2'))) {
        let got = format!("{} {}", root.tag_name().name(), root.attribute("Version").unwrap_or("no version"));
        return Err(xml.wrong("CIFTI XML", "CIFTI of version 2", got));
    }
    let matrix = xml.child(root, "Matrix")?;
    let mut axes = [None, None];
    for map in children(matrix, "MatrixIndicesMap") {
        let applies = xml.attribute(map, "AppliesToMatrixDimension")?;
        let axis = xml.axis(map)?;
        for dimension in applies.split(',') {
            let slot = dimension.trim().parse::<usize>().ok().and_then(|index| axes.get_mut(index));
            let Some(slot @ None) = slot else {
                return Err(xml.wrong("AppliesToMatrixDimension", "0 and 1, each once", applies));
            };
            *slot = Some(axis.clone());
        }
    }
    match axes {
        [Some(first), Some(second)] => Ok([first, second]),
        _ => Err(xml.wrong("MatrixIndicesMap", "one for each of the dimensions 0 and 1", "fewer")),
    }
}

/// Reads elements, and says of which file something is wrong.
struct Xml<'a> {
    path: &'a Path,
}

impl Xml<'_> {
    fn wrong(&self, field: &str, expected: &str, got: impl ToString) -> FmriError {
        FmriError::format(self.path, field, expected, got, "the file is damaged: write it again")
    }

    fn axis(&self, map: Node) -> Result<Axis> {
        let kind = self.attribute(map, "IndicesMapToDataType")?;
        match kind.trim_start_matches("CIFTI_INDEX_TYPE_") {
            "SERIES" => Ok(Axis::Series(self.series(map)?)),
            "BRAIN_MODELS" => Ok(Axis::BrainModels(self.brain_models(map)?)),
            "PARCELS" => children(map, "Parcel")
                .map(|parcel| self.parcel(parcel))
                .collect::<Result<_>>()
                .map(Axis::Parcels),
            "LABELS" => {
                children(map, "NamedMap").map(|map| self.labels(map)).collect::<Result<_>>().map(Axis::Labels)
            }
            "SCALARS" => Ok(Axis::Scalars(children(map, "NamedMap").map(map_name).collect())),
            _ => Err(self.wrong("IndicesMapToDataType", "one of the five types of CIFTI-2", kind)),
        }
    }

    fn series(&self, map: Node) -> Result<Series> {
        let points = self.number(map, "NumberOfSeriesPoints")?;
        let step = self.number::<f64>(map, "SeriesStep")?;
        let exponent = self.number::<i32>(map, "SeriesExponent")?;
        // A negative power is divided by, so that 720 at exponent -3 is 0.72 exactly.
        let size = 10f64.powi(exponent.saturating_abs());
        let step = if exponent < 0 { step / size } else { step * size };
        let is_time = self.attribute(map, "SeriesUnit")? == "SECOND";
        Ok(Series { points, step: (is_time && step.is_finite() && step > 0.0).then_some(step) })
    }

    fn brain_models(&self, map: Node) -> Result<BrainModels> {
        let volume = map.children().find(|node| node.has_tag_name("Volume"));
        let volume = volume.map(|node| self.volume(node)).transpose()?;
        let mut models = Vec::new();
        for node in children(map, "BrainModel") {
            let offset = self.number::<usize>(node, "IndexOffset")?;
            let structure = self.attribute(node, "BrainStructure")?.to_owned();
            let elements = self.elements(node)?;
            let count = self.number::<usize>(node, "IndexCount")?;
            if elements.len() != count {
                return Err(self.wrong(
                    "IndexCount",
                    &format!("{}, as many as are listed", elements.len()),
                    count,
                ));
            }
            models.push((offset, BrainModel { structure, elements }));
        }
        models.sort_by_key(|(offset, _)| *offset);
        let mut next = 0;
        for (offset, model) in &models {
            if *offset != next {
                return Err(self.wrong("IndexOffset", &format!("{next}, behind the model before"), offset));
            }
            next += model.elements.len();
        }
        let models: Vec<_> = models.into_iter().map(|(_, model)| model).collect();
        let has_voxels = models.iter().any(|model| matches!(model.elements, Elements::Voxels(_)));
        if has_voxels && volume.is_none() {
            return Err(self.wrong("Volume", "an element that places the voxels", "none"));
        }
        Ok(BrainModels { models, volume })
    }

    fn elements(&self, node: Node) -> Result<Elements> {
        let kind = self.attribute(node, "ModelType")?;
        match kind.trim_start_matches("CIFTI_MODEL_TYPE_") {
            "SURFACE" => {
                let surface = self.number(node, "SurfaceNumberOfVertices")?;
                let indices: Vec<u32> = self.numbers(self.child(node, "VertexIndices")?)?;
                if let Some(index) = indices.iter().find(|index| **index as usize >= surface) {
                    return Err(self.wrong("VertexIndices", &format!("indices below {surface}"), index));
                }
                Ok(Elements::Vertices { surface, indices })
            }
            "VOXELS" => Ok(Elements::Voxels(self.voxels(self.child(node, "VoxelIndicesIJK")?)?)),
            _ => Err(self.wrong("ModelType", "CIFTI_MODEL_TYPE_SURFACE or CIFTI_MODEL_TYPE_VOXELS", kind)),
        }
    }

    fn voxels(&self, node: Node) -> Result<Vec<[u32; 3]>> {
        let numbers: Vec<u32> = self.numbers(node)?;
        match numbers.as_chunks::<3>() {
            (voxels, []) => Ok(voxels.to_vec()),
            _ => Err(self.wrong(
                "VoxelIndicesIJK",
                "three indices a voxel",
                format!("{} indices", numbers.len()),
            )),
        }
    }

    fn volume(&self, node: Node) -> Result<Grid> {
        let field = "TransformationMatrixVoxelIndicesIJKtoXYZ";
        let dimensions = self.attribute(node, "VolumeDimensions")?;
        let shape: Vec<usize> =
            dimensions.split(',').filter_map(|length| length.trim().parse().ok()).collect();
        let &[x, y, z] = shape.as_slice() else {
            return Err(self.wrong("VolumeDimensions", "three lengths", dimensions));
        };
        if x.checked_mul(y).and_then(|xy| xy.checked_mul(z)).is_none_or(|count| count == 0) {
            return Err(self.wrong(
                "VolumeDimensions",
                "three lengths whose product fits into memory",
                dimensions,
            ));
        }
        let matrix = self.child(node, field)?;
        let values: Vec<f64> = self.numbers(matrix)?;
        let (rows, _) = values.as_chunks::<4>();
        let exponent = matrix.attribute("MeterExponent").map_or(Ok(-3), |text| text.trim_parse::<i32>());
        let exponent =
            exponent.map_err(|()| self.wrong("MeterExponent", "a whole number", "something else"))?;
        let affine = match rows {
            [x, y, z, _] if values.len() == 16 => Affine { rows: [*x, *y, *z] },
            _ => return Err(self.wrong(field, "16 numbers", values.len())),
        };
        // From metres · 10^exponent to mm.
        let affine =
            if exponent == -3 { affine } else { affine.scaled(10f64.powi(exponent.saturating_add(3))) };
        if !affine.is_finite() {
            return Err(self.wrong(field, "finite numbers", "NaN or infinity"));
        }
        Ok(Grid { shape: [x, y, z], affine })
    }

    fn parcel(&self, node: Node) -> Result<Parcel> {
        let mut size = 0;
        for voxels in children(node, "VoxelIndicesIJK") {
            size += self.voxels(voxels)?.len();
        }
        for vertices in children(node, "Vertices") {
            size += self.numbers::<u32>(vertices)?.len();
        }
        Ok(Parcel { name: self.attribute(node, "Name")?.to_owned(), size })
    }

    fn labels(&self, map: Node) -> Result<NamedMap> {
        let mut table = LabelTable::default();
        for label in children(self.child(map, "LabelTable")?, "Label") {
            let (key, name) = (self.number(label, "Key")?, label.text().unwrap_or_default().trim());
            if let Err(earlier) = table.insert(key, name) {
                return Err(self.wrong("LabelTable", &format!("key {key} once ({earlier})"), name));
            }
        }
        Ok(NamedMap { name: map_name(map), table })
    }

    fn child<'a, 'b>(&self, node: Node<'a, 'b>, name: &str) -> Result<Node<'a, 'b>> {
        let missing = || self.wrong(node.tag_name().name(), &format!("an element {name}"), "none");
        node.children().find(|child| child.has_tag_name(name)).ok_or_else(missing)
    }

    fn attribute<'a>(&self, node: Node<'a, '_>, name: &str) -> Result<&'a str> {
        node.attribute(name)
            .ok_or_else(|| self.wrong(node.tag_name().name(), &format!("an attribute {name}"), "none"))
    }

    fn number<T: FromStr>(&self, node: Node, name: &str) -> Result<T> {
        let text = self.attribute(node, name)?;
        text.trim_parse().map_err(|()| self.wrong(name, "a number in range", text))
    }

    fn numbers<T: FromStr>(&self, node: Node) -> Result<Vec<T>> {
        let words = node.text().unwrap_or_default().split_whitespace();
        let number = |word: &str| {
            word.trim_parse().map_err(|()| self.wrong(node.tag_name().name(), "numbers in range", word))
        };
        words.map(number).collect()
    }
}

/// Numbers with blanks around them.
trait TrimParse {
    fn trim_parse<T: FromStr>(&self) -> std::result::Result<T, ()>;
}

impl TrimParse for str {
    fn trim_parse<T: FromStr>(&self) -> std::result::Result<T, ()> {
        self.trim().parse().map_err(|_| ())
    }
}

fn children<'a, 'b>(node: Node<'a, 'b>, name: &'static str) -> impl Iterator<Item = Node<'a, 'b>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

fn map_name(map: Node) -> String {
    let name = children(map, "MapName").find_map(|node| node.text().map(str::to_owned));
    name.unwrap_or_default().trim().to_owned()
}
