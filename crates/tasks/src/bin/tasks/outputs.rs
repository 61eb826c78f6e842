//! Where results go: each to a file of its own, none over what is read, and over what is there only with `--force`.

use std::fs;
use std::path::Path;

use tasks::fmri::FmriError;
use tasks::write_whole;

use crate::problems::BadInput;

/// A path, and the option that names it.
pub(crate) type Named<'a> = (&'a str, &'a Path);

/// Refuses outputs that would lose something.
pub(crate) fn check(outputs: &[Named<'_>], inputs: &[Named<'_>], force: bool) -> Result<(), BadInput> {
    for (at, (option, path)) in outputs.iter().enumerate() {
        let same = |(_, other): &&Named<'_>| terminal::same_file(path, other);
        if let Some((other, _)) = inputs.iter().find(same) {
            let path = path.display();
            return Err(BadInput(format!(
                "{option}: expected another file than {other}, got {path} for both; choose another name"
            )));
        }
        if let Some((other, _)) = outputs[..at].iter().find(same) {
            let path = path.display();
            return Err(BadInput(format!(
                "{option}: expected another file than {other} writes, got {path} for both; choose another name"
            )));
        }
        if path.exists() && !force {
            let (path, option) = (path.display(), option.split(' ').next().unwrap_or(option));
            return Err(BadInput(format!(
                "{path}: expected no file, got one; choose another {option} or add --force"
            )));
        }
    }
    Ok(())
}

/// Refuses files that would lose what a folder has. Files of the same content are no harm: they stay what they are.
pub(crate) fn refuse_to_replace<N: AsRef<Path>, C: AsRef<[u8]>>(
    folder: &Path,
    files: &[(N, C)],
) -> Result<(), BadInput> {
    for (name, content) in files {
        let path = folder.join(name);
        if path.exists() && fs::read(&path).ok().as_deref() != Some(content.as_ref()) {
            let path = path.display();
            let message = format!(
                "{path}: expected no file or the same one, got another; choose another --out or add --force"
            );
            return Err(BadInput(message));
        }
    }
    Ok(())
}

/// Writes a file whole; creates its folder.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), FmriError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| write_whole(path, bytes))
        .map_err(|problem| FmriError::Write { path: path.to_owned(), problem })
}
