//! What recordings are called: their files' names, told apart by the folders that they lie in.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};

/// The kinds of files that are recordings.
pub(super) const KINDS: [&str; 6] = [".npy", ".npz", ".mat", ".csv", ".tsv", ".ptseries.nii"];

/// The names of recordings, in the order of their files: the name of the file without its kind (`.npy`, `.npz`, `.mat`,
/// `.csv`, `.tsv`, `.ptseries.nii`, in any case), so that `rec.2020.csv` is `rec.2020`. Where two would be equal, the
/// names of as many folders as it takes stand before them: `sub-01/bold.npy` and `sub-02/bold.npy` are `sub-01-bold` and
/// `sub-02-bold`.
///
/// Paths that lead to one file have one name, and so may others that no folder of theirs tells apart:
/// [`SubjectSet::load`](super::SubjectSet::load) refuses those.
pub fn subject_names(paths: &[PathBuf]) -> Vec<String> {
    let parts: Vec<Vec<String>> = paths.iter().map(|path| parts(path)).collect();
    let first = first_of_file(paths);
    // How many parts, the last ones, are in each name.
    let mut counts = vec![1; paths.len()];
    let name = |file: usize, count: usize| parts[file][parts[file].len() - count..].join("-");
    loop {
        let mut of_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for file in (0..paths.len()).filter(|&file| first[file] == file) {
            of_name.entry(name(file, counts[file])).or_default().push(file);
        }
        let longer: Vec<usize> = of_name
            .into_values()
            .filter(|files| files.len() > 1)
            .flatten()
            .filter(|&file| counts[file] < parts[file].len())
            .collect();
        if longer.is_empty() {
            return first.iter().map(|&file| name(file, counts[file])).collect();
        }
        longer.into_iter().for_each(|file| counts[file] += 1);
    }
}

/// The name of a file without its kind; nothing for files that are no recordings.
pub(super) fn without_kind(name: &str) -> Option<&str> {
    KINDS.iter().find_map(|kind| {
        let (stem, end) = name.split_at_checked(name.len().checked_sub(kind.len())?)?;
        end.eq_ignore_ascii_case(kind).then_some(stem)
    })
}

/// The names of the folders of a path, and that of the file without its kind: at least that one.
fn parts(path: &Path) -> Vec<String> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let folders = path.parent().into_iter().flat_map(Path::components);
    let folder = |component: Component<'_>| match component {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        // A name that began with a point would be that of a hidden file.
        Component::ParentDir => Some("up".to_owned()),
        _ => None,
    };
    let file = without_kind(&file).unwrap_or(&file).to_owned();
    folders.filter_map(folder).chain([file]).collect()
}

/// For each path the first one that leads to the same file.
fn first_of_file(paths: &[PathBuf]) -> Vec<usize> {
    let mut known = HashMap::new();
    let place = |(at, path): (usize, &PathBuf)| {
        *known.entry(path.canonicalize().unwrap_or_else(|_| path.clone())).or_insert(at)
    };
    paths.iter().enumerate().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[&str]) -> Vec<String> {
        subject_names(&paths.iter().map(PathBuf::from).collect::<Vec<_>>())
    }

    #[test]
    fn only_the_kind_is_cut() {
        let paths =
            ["a/sub-01.npy", "rec.2020.csv", "B.NPY", "é.tsv", "x.ptseries.nii", "no.kind", "v1.2.mat"];
        assert_eq!(names(&paths), ["sub-01", "rec.2020", "B", "é", "x", "no.kind", "v1.2"]);
        assert_eq!(without_kind("a.npz.txt"), None);
        assert_eq!((without_kind("ä"), without_kind(".npy")), (None, Some("")));
    }

    #[test]
    fn folders_tell_files_of_one_name_apart() {
        let paths = ["d/sub-01/bold.npy", "d/sub-02/bold.npy", "d/rest.csv"];
        assert_eq!(names(&paths), ["sub-01-bold", "sub-02-bold", "rest"]);
        // One folder is not enough for two of them, and kinds are no part of names.
        let paths = ["a/ses-1/bold.npy", "b/ses-1/bold.npy", "b/ses-2/bold.csv"];
        assert_eq!(names(&paths), ["a-ses-1-bold", "b-ses-1-bold", "ses-2-bold"]);
        // A name that another one has become is no longer free.
        let paths = ["a/s/bold.npy", "a/t/bold.npy", "b/s-bold.npy"];
        assert_eq!(names(&paths), ["a-s-bold", "t-bold", "b-s-bold"]);
        assert_eq!(names(&["bold.npy", "../bold.npy", "a/bold.npy"]), ["bold", "up-bold", "a-bold"]);
    }

    /// The order of the files changes no name.
    #[test]
    fn names_belong_to_files() {
        let paths = ["a/s/bold.npy", "a/t/bold.npy", "b/s-bold.npy", "c/x.npy"];
        let mut turned = paths;
        turned.reverse();
        let (names, mut back) = (names(&paths), names(&turned));
        back.reverse();
        assert_eq!(names, back);
        assert_eq!(names.iter().collect::<std::collections::HashSet<_>>().len(), 4);
    }

    #[test]
    fn one_file_has_one_name() {
        assert_eq!(names(&["a/x.npy", "a/x.npy", "b/x.npy"]), ["a-x", "a-x", "b-x"]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.npy");
        std::fs::write(&path, "").unwrap();
        let detour = folder.path().join("..").join(folder.path().file_name().unwrap()).join("x.npy");
        assert_eq!(subject_names(&[path, detour]), ["x", "x"]);
    }
}
