//! Where results go: each to a file of its own, none over what is read, and over what is there only with `--force`.

use std::path::Path;

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
