//! Whether two paths of a command line are one file.

use std::path::{Path, PathBuf};

/// The first of `inputs` that writing to `output` would overwrite.
pub fn overwritten<'a>(output: &Path, inputs: impl IntoIterator<Item = &'a Path>) -> Option<&'a Path> {
    inputs.into_iter().find(|input| same_file(output, input))
}

/// Whether two paths lead to one file, whatever links and detours are on the way; also to one that is not there yet.
pub fn same_file(one: &Path, other: &Path) -> bool {
    resolved(one) == resolved(other)
}

/// The path without links and detours, as far as it is there.
fn resolved(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = whole.ancestors().find_map(|part| {
        let rest = whole.strip_prefix(part).ok()?;
        Some(part.canonicalize().ok()?.join(rest))
    });
    there.unwrap_or(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detours_lead_to_the_same_file() {
        let folder = std::env::temp_dir().join(format!("terminal-paths-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("inner")).unwrap();
        let file = folder.join("a.csv");
        std::fs::write(&file, "1\n").unwrap();
        let detour = folder.join("inner").join("..").join("a.csv");
        assert!(same_file(&file, &detour) && same_file(&detour, &file));
        assert!(!same_file(&file, &folder.join("b.csv")));
        let new = folder.join("new.csv");
        assert!(same_file(&new, &folder.join("inner/../new.csv")), "what is not there yet, too");
        assert!(same_file(&folder.join("made/x.csv"), &folder.join("inner/../made/./x.csv")));
        let inputs = [new.as_path(), file.as_path()];
        assert_eq!(overwritten(&detour, inputs), Some(file.as_path()));
        assert_eq!(overwritten(&folder.join("c.csv"), inputs), None);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
