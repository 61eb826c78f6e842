//! Which tensor of a Hugging Face checkpoint holds the positions, and which of its rows are positions.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::io::ArrayInfo;

/// Rows of GPT-2's table that the paper reads.
const GPT2_ROWS: usize = 512;

/// RoBERTa's first two rows are the padding's.
const PADDING_OFFSET: usize = 2;

/// Kinds of checkpoints that are told by the names of their tensors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Architecture {
    /// BERT and what shares its embeddings (DistilBERT, ELECTRA, MiniLM): row i is position i.
    Bert,
    /// RoBERTa and what shares its padding offset (XLM-R, CamemBERT, MPNet): row i is position i - 2.
    Roberta,
    /// GPT-2: the first 512 rows, as in the paper.
    Gpt2,
    /// ViT: row 0 is the class token's; the others are patches, row by row of the image.
    Vit,
}

/// What its self-attention sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// All tokens: encoders.
    Bidirectional,
    /// Earlier tokens: decoders.
    Causal,
}

/// A table found in a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recognised {
    /// The tensor.
    pub tensor: String,
    /// The kind of checkpoint.
    pub architecture: Architecture,
    /// Rows that are positions.
    pub rows: Range<usize>,
    /// How it was told.
    pub because: String,
}

impl Architecture {
    /// What its self-attention sees.
    pub fn family(self) -> Family {
        match self {
            Architecture::Gpt2 => Family::Causal,
            Architecture::Bert | Architecture::Roberta | Architecture::Vit => Family::Bidirectional,
        }
    }

    /// By `model_type` of a checkpoint's config.json.
    fn of_model_type(model_type: &str) -> Option<Self> {
        match model_type {
            "bert" | "distilbert" | "electra" | "albert" => Some(Architecture::Bert),
            "roberta" | "xlm-roberta" | "camembert" | "mpnet" | "longformer" => Some(Architecture::Roberta),
            "gpt2" => Some(Architecture::Gpt2),
            "vit" | "deit" => Some(Architecture::Vit),
            _ => None,
        }
    }

    fn rows(self, rows: usize) -> Range<usize> {
        match self {
            Architecture::Bert => 0..rows,
            Architecture::Roberta => PADDING_OFFSET.min(rows)..rows,
            Architecture::Gpt2 => 0..rows.min(GPT2_ROWS),
            Architecture::Vit => 1.min(rows)..rows,
        }
    }
}

/// Finds the position table among the arrays of a file; `asked` restricts the search to one of them.
///
/// Tensors are told by the end of their names, so that any prefix (`bert.`, `roberta.`, `transformer.`) may stand
/// before. BERT and RoBERTa name theirs alike: a prefix decides, else `model_type` in a config.json beside the file,
/// else two rows more than a power of two. `None` where nothing, or more than one tensor, is recognised.
pub fn recognise(path: &Path, arrays: &[ArrayInfo], asked: Option<&str>) -> Option<Recognised> {
    let candidates = arrays.iter().filter(|array| asked.is_none_or(|asked| asked == array.name));
    let mut found = candidates.filter_map(|array| recognise_one(path, array));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

fn recognise_one(path: &Path, array: &ArrayInfo) -> Option<Recognised> {
    let ends =
        |suffix: &str| array.name.strip_suffix(suffix).filter(|rest| rest.is_empty() || rest.ends_with('.'));
    let rows = *array.shape.iter().rev().nth(1)?;
    let told = |architecture: Architecture, because: String| {
        let tensor = array.name.clone();
        Some(Recognised { tensor, architecture, rows: architecture.rows(rows), because })
    };
    if ends("wpe.weight").is_some() {
        return told(Architecture::Gpt2, "the tensor's name".into());
    }
    if ends("embeddings.position_embeddings").is_some() {
        return told(Architecture::Vit, "the tensor's name".into());
    }
    let prefix = ends("embeddings.position_embeddings.weight")?;
    for component in prefix.split('.').filter(|component| !component.is_empty()) {
        if let Some(architecture) = Architecture::of_model_type(&component.replace('_', "-")) {
            return told(architecture, format!("the prefix `{component}.`"));
        }
    }
    if let Some((model_type, architecture)) = model_type(path) {
        return told(architecture, format!("config.json says `{model_type}`"));
    }
    if rows > PADDING_OFFSET && (rows - PADDING_OFFSET).is_power_of_two() {
        return told(Architecture::Roberta, format!("{rows} rows are two more than a power of two"));
    }
    told(Architecture::Bert, "the tensor's name".into())
}

/// `model_type` of the config.json in the file's folder, if it is one that is known.
fn model_type(path: &Path) -> Option<(String, Architecture)> {
    let text = std::fs::read_to_string(path.with_file_name("config.json")).ok()?;
    let config: serde_json::Value = serde_json::from_str(&text).ok()?;
    let model_type = config.get("model_type")?.as_str()?;
    Some((model_type.to_owned(), Architecture::of_model_type(model_type)?))
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Architecture::Bert => "BERT",
            Architecture::Roberta => "RoBERTa",
            Architecture::Gpt2 => "GPT-2",
            Architecture::Vit => "ViT",
        })
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Family::Bidirectional => "bidirectional",
            Family::Causal => "causal",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(names: &[(&str, &[usize])], path: &Path) -> Option<(Architecture, Range<usize>)> {
        let arrays: Vec<ArrayInfo> = names
            .iter()
            .map(|(name, shape)| ArrayInfo { name: (*name).into(), shape: shape.to_vec() })
            .collect();
        recognise(path, &arrays, None).map(|found| (found.architecture, found.rows))
    }

    #[test]
    fn checkpoints_are_told_by_their_names() {
        use Architecture::{Bert, Gpt2, Roberta, Vit};
        let nowhere = Path::new("no/such/folder/model.safetensors");
        for (name, shape, expected) in [
            ("embeddings.position_embeddings.weight", vec![512, 768], (Bert, 0..512)),
            ("bert.embeddings.position_embeddings.weight", vec![514, 768], (Bert, 0..514)),
            ("distilbert.embeddings.position_embeddings.weight", vec![512, 768], (Bert, 0..512)),
            ("0.auto_model.embeddings.position_embeddings.weight", vec![512, 384], (Bert, 0..512)),
            ("roberta.embeddings.position_embeddings.weight", vec![514, 768], (Roberta, 2..514)),
            ("model.xlm_roberta.embeddings.position_embeddings.weight", vec![100, 8], (Roberta, 2..100)),
            ("embeddings.position_embeddings.weight", vec![514, 768], (Roberta, 2..514)),
            ("wpe.weight", vec![1024, 768], (Gpt2, 0..512)),
            ("transformer.wpe.weight", vec![64, 768], (Gpt2, 0..64)),
            ("vit.embeddings.position_embeddings", vec![1, 197, 768], (Vit, 1..197)),
        ] {
            let others: [(&str, &[usize]); 2] =
                [("wte.weight", &[50257, 768]), ("embeddings.word_embeddings.weight", &[9, 9])];
            assert_eq!(found(&[(name, &shape), others[0], others[1]], nowhere), Some(expected), "{name}");
        }
        assert_eq!(found(&[("swpe.weight", &[10, 10])], nowhere), None);
        assert_eq!(found(&[("a.wpe.weight", &[10, 10]), ("b.wpe.weight", &[10, 10])], nowhere), None);
    }

    #[test]
    fn a_config_beside_the_file_decides() {
        let dir = tempfile::tempdir().unwrap();
        let name = "embeddings.position_embeddings.weight";
        for (model_type, expected) in [("bert", 0..514), ("mpnet", 2..514), ("unheard-of", 2..514)] {
            std::fs::write(dir.path().join("config.json"), format!("{{\"model_type\": \"{model_type}\"}}"))
                .unwrap();
            let (_, rows) = found(&[(name, &[514, 768])], &dir.path().join("model.safetensors")).unwrap();
            assert_eq!(rows, expected, "{model_type}");
        }
    }
}
