//! Bad input: one line with the place and what to do, exit code 2, and nothing written.

use std::fs;
use std::path::Path;

use streams::Streams;
use tasks::latin_square::{GeneratorConfig, LatinSquareData};

use crate::common::{Place, program, refused, tiny, tiny_config};

/// The exit code and the line of `train ARGS`, which must leave `folder` as it was.
fn train(folder: &Path, args: &[&str]) -> (i32, String) {
    let before = fs::read_dir(folder).unwrap().count();
    let output = program().current_dir(folder).args(args).output().unwrap();
    assert_eq!(fs::read_dir(folder).unwrap().count(), before, "{args:?} wrote something");
    assert!(output.stdout.is_empty());
    refused(&output)
}

fn config_refused(changes: &[(&str, &str)], expected: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("c.toml"), tiny(changes)).unwrap();
    let (code, line) = train(folder.path(), &["run", "c.toml"]);
    assert!(code == 2 && line.starts_with("error: c.toml"), "{changes:?}: {code}: {line}");
    assert!(expected.iter().all(|part| line.contains(part)), "{changes:?}: {line}");
}

#[test]
fn unknown_keys() {
    for path in [
        "colour",
        "seeds.colour",
        "task.colour",
        "task.generator.colour",
        "model.colour",
        "model.encoding.colour",
        "optimizer.colour",
        "stop.colour",
        "record.colour",
    ] {
        config_refused(
            &[("record.evaluate_every", "1"), (path, "1")],
            &["unknown field `colour`", "remove it"],
        );
    }
    for schedule in ["{ kind = 'constant', colour = 1 }", "{ kind = 'warm-up', steps = 1, colour = 1 }"] {
        config_refused(&[("schedule", schedule)], &["unknown field `colour`"]);
    }
    let plateau = "{ patience = 1, min_delta = 0.0, colour = 1 }";
    config_refused(&[("stop.plateau", plateau)], &["unknown field `colour`"]);
    config_refused(&[("seeds.pins", "{ colour = 1 }")], &["unknown variant `colour`", "pe-init"]);
    for encoding in ["nope", "random", "sinusoid-kd", "sinusoid-1d"] {
        let encoding = format!("{{ kind = '{encoding}', colour = 1 }}");
        config_refused(&[("arm", "'x'"), ("model.encoding", &encoding)], &["unknown field `colour`"]);
    }
}

/// The Latin Square Task asks for one token.
#[test]
fn a_readout_of_all_tokens() {
    config_refused(&[("model.readout", "'all'")], &["model.readout", "expected `last` or `target`"]);
}

#[test]
fn missing_keys() {
    for path in ["schema", "experiment", "batch", "seeds", "seeds.seed", "task", "model.width", "stop.epochs"]
    {
        let key = path.rsplit('.').next().unwrap();
        config_refused(&[(path, "")], &[&format!("missing field `{key}`; add it")]);
    }
    for path in ["task.kind", "model.encoding.kind"] {
        config_refused(&[(path, "")], &["missing", "kind"]);
    }
    config_refused(&[("model.encoding.sigma", "")], &["missing field `sigma`"]);
}

#[test]
fn settings_out_of_range() {
    for (path, value, expected) in [
        ("batch", "0", "`batch` is 0: expected at least 1"),
        ("batch", "-1", "invalid value: integer `-1`"),
        ("clip", "0.0", "`clip` is 0: expected a finite number > 0"),
        ("clip", "nan", "`clip` is NaN"),
        ("optimizer.lr", "0.0", "`optimizer.lr` is 0: expected a finite number > 0"),
        ("optimizer.lr", "-1e-3", "`optimizer.lr` is -0.001"),
        ("optimizer.lr", "inf", "`optimizer.lr` is inf"),
        ("optimizer.betas", "[0.9, 1.0]", "`optimizer.betas` is 1"),
        ("optimizer.epsilon", "0.0", "`optimizer.epsilon` is 0"),
        ("optimizer.weight_decay", "-1.0", "`optimizer.weight_decay` is -1"),
        ("optimizer.momentum", "0.9", "expected 0 unless the kind is `sgd`"),
        ("optimizer.kind", "'lion'", "unknown variant `lion`, expected one of `adam-w`, `adam`, `sgd`"),
        ("schedule", "{ kind = 'warm-up', steps = 0 }", "`schedule.steps` is 0"),
        ("schedule", "{ kind = 'cosine', warm_up = 0, floor = 2.0 }", "`schedule.floor` is 2"),
        ("stop.epochs", "0", "`stop.epochs` is 0"),
        ("stop.steps", "0", "`stop.steps` is 0"),
        ("stop.train_accuracy", "1.5", "`stop.train_accuracy` is 1.5: expected a fraction"),
        ("stop.plateau", "{ patience = 0, min_delta = 0.0 }", "`stop.plateau.patience` is 0"),
        ("stop.plateau", "{ patience = 1, min_delta = -1.0 }", "`stop.plateau.min_delta` is -1"),
        ("record.evaluate_every", "0", "`record.evaluate_every` is 0"),
        ("record", "{ evaluate_every = 1, snapshots = [0] }", "`record.snapshots` is 0"),
        ("model.heads", "3", "width 16 is not divisible by 3 heads: choose"),
        ("model.width", "0", "`width` is 0: expected at least 1"),
        ("model.blocks", "0", "`blocks` is 0"),
        ("model.inputs", "6", "model.inputs: 6 does not fit the task: expected 5"),
        ("model.tokens", "15", "model.tokens: 15 does not fit the task: expected 16"),
        ("model.dropout", "1.0", "`dropout` is 1: expected a probability"),
        ("model.norm", "'both'", "unknown variant `both`, expected `post` or `pre`"),
        (
            "model.encoding",
            "{ kind = 'learned', sigma = -0.2 }",
            "sigma is -0.2: expected a finite number >= 0",
        ),
        ("model.encoding", "{ kind = 'rotary' }", "unknown variant `rotary`"),
        ("task.generator.pool", "91", "`task.generator`: generator setting `pool`: expected a multiple of 3"),
        ("arm", "'2d-fixed'", "the paper's name of another encoding"),
        ("model.causal", "true", "choose a name of your own, such as `c-learn-0.2-mine`"),
        ("experiment", "'../up'", "`experiment` is \"../up\""),
        ("arm", "''", "`arm` is \"\""),
        ("schema", "2", "c.toml has schema 2, this program reads schema 1"),
    ] {
        let own_name = ("arm", "'own-name'");
        let changes = match path {
            "model.encoding" if !value.contains("rotary") => vec![own_name, (path, value)],
            _ => vec![(path, value)],
        };
        config_refused(&changes, &[expected]);
    }
    // The tiny config calls itself `learn-0.2`, which is one table per block.
    let shared = "{ kind = 'learned', sigma = 0.2, sharing = 'shared' }";
    config_refused(&[("model.encoding", shared)], &["the paper's name of another encoding"]);
    let narrow = [("arm", "'2d-fixed'"), ("model.encoding", "{ kind = 'sinusoid-kd' }")];
    let narrow = [&narrow[..], &[("model.width", "2"), ("model.heads", "1")]].concat();
    config_refused(&narrow, &["width 2 is too small for 2d-fixed on 2 axes"]);
}

#[test]
fn places_name_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("c.toml"), "schema = 1\nexperiment = \"x\"\nbatch = = 3\n").unwrap();
    let (code, line) = train(folder.path(), &["run", "c.toml"]);
    assert!(code == 2 && line.starts_with("error: c.toml:3:9: "), "{line}");
    let (code, line) = train(folder.path(), &["run", "nowhere.toml"]);
    assert!(
        code == 2 && line.contains("nowhere.toml: cannot read it") && line.ends_with("check the path"),
        "{line}"
    );
}

#[test]
fn arguments() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("c.toml"), tiny(&[])).unwrap();
    for (args, expected) in [
        (&["run"][..], "required arguments were not provided: <CONFIG>"),
        (&["run", "c.toml", "--colour"], "unexpected argument '--colour'"),
        (&["run", "c.toml", "--plan", "p.json", "--id", "x"], "cannot be used with"),
        (&["run", "c.toml", "--checkpoint-seconds", "-1"], "`--checkpoint-seconds` is -1: expected a number"),
        (&["run", "c.toml", "--checkpoint-steps", "0"], "`--checkpoint-steps` is 0: expected at least 1"),
        (&["run", "c.toml", "--progress-seconds", "-1"], "`--progress-seconds` is -1"),
        (&["run", "c.toml", "--device", "tpu"], "unknown device `tpu`: expected cpu or cuda"),
        (&["measure", "c.toml", "--steps", "0"], "`--steps` is 0: expected at least 1"),
    ] {
        let (code, line) = train(folder.path(), args);
        assert!(code == 2 && line.contains(expected), "{code}: {line}");
    }
    #[cfg(not(feature = "cuda"))]
    {
        let (code, line) = train(folder.path(), &["run", "c.toml", "--device", "cuda"]);
        assert!(code == 2 && line.contains("build it with `--features cuda`"), "{line}");
    }
}

const EXPERIMENT: &str = r#"
schema = 1
name = "tiny"
base.batch = 27
base.seeds.pins = { data = 1 }
base.task = { kind = "latin-square", generator = { pool = 90, generalization = 36 } }
base.optimizer = { kind = "adam-w", lr = 1e-3 }
scales.quick = { pe = ["nope"], sigma = [0.2], seeds = [1, 2], set.stop.epochs = 2 }
"#;

#[test]
fn experiments_and_plans() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    for (from, to, expected) in [
        ("name =", "colour = 1\nname =", "e.toml:3:1: unknown field `colour`"),
        ("base.batch =", "base.colour = 1\nbase.batch =", "scale `quick`: unknown field `colour`"),
        ("seeds = [1, 2]", "seeds = [1, 2], colour = 1", "unknown field `colour`"),
        ("schema = 1", "schema = 2", "e.toml has schema 2, this program reads schema 1"),
        ("\"nope\"", "\"nop\"", "scale `quick`: unknown positional encoding `nop`: expected learn-<sigma>"),
        ("[0.2]", "[-0.2]", "sigma is -0.2"),
        ("[1, 2]", "[1, 1]", "stands twice: name each arm and seed once"),
        ("[1, 2]", "[]", "no run: expected at least one arm and one seed"),
        ("base.batch", "base.arm = 'x'\nbase.batch", "`arm` does not belong in `base`"),
        ("base.batch", "base.model.preset = 'both'\nbase.batch", "`model.preset`"),
        ("base.batch", "base.model.causal = true\nbase.batch", "such as `c-nope-mine`"),
        ("base.batch", "base.model.heads = 3\nbase.batch", "width 160 is not divisible by 3 heads"),
        ("{ data = 1 }", "{}", "every seed would generate other data: pin them"),
        ("90", "91", "expected a multiple of 3"),
        ("base.task = ", "base.tusk = ", "`task` is missing"),
    ] {
        assert!(EXPERIMENT.contains(from), "{from}");
        write("e.toml", &EXPERIMENT.replacen(from, to, 1));
        let (code, line) = train(folder.path(), &["plan", "e.toml"]);
        assert!(code == 2 && line.contains(expected), "{to}: {code}: {line}");
    }
    write("e.toml", EXPERIMENT);
    for (args, expected) in [
        (&["--scale", "huge"][..], "scale `huge`: unknown: expected one of quick"),
        (&["--pe", "3d-fixed"], "unknown positional encoding `3d-fixed`"),
        (&["--sigma", "-1"], "sigma is -1"),
        (&["--seeds", "3,3"], "stands twice"),
        (&["--puzzles", "nowhere"], "nowhere: cannot read"),
    ] {
        let (code, line) = train(folder.path(), &[&["plan", "e.toml"], args].concat());
        assert!(code == 2 && line.contains(expected), "{code}: {line}");
    }

    let plan = program().current_dir(folder.path()).args(["plan", "e.toml", "--json"]).output().unwrap();
    assert!(plan.status.success());
    let plan = String::from_utf8(plan.stdout).unwrap();
    let id = serde_json::from_str::<serde_json::Value>(&plan).unwrap()["runs"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    for (text, id, expected) in [
        (plan[..plan.len() / 2].to_owned(), id.as_str(), "p.json: not a whole plan"),
        (plan.replacen("\"schema\": 1", "\"schema\": 2", 1), &id, "p.json has schema 2"),
        (
            plan.replace("batch = 27", "batch = 28"),
            &id,
            "is not the one that was planned: make the plan again",
        ),
        (plan.clone(), "other", "p.json: no run `other`: expected one of its `id`s"),
    ] {
        write("p.json", &text);
        let (code, line) = train(folder.path(), &["run", "--plan", "p.json", "--id", id]);
        assert!(code == 2 && line.contains(expected), "{code}: {line}");
    }
}

#[test]
fn puzzles() {
    let folder = tempfile::tempdir().unwrap();
    let generator = GeneratorConfig { pool: 90, generalization: 36, ..GeneratorConfig::default() };
    let data = LatinSquareData::generate(&generator, &Streams::new(3)).unwrap();
    let files = folder.path().join("puzzles");
    data.save(&files).unwrap();
    let config = |changes: &[(&str, &str)]| {
        let text = tiny(&[&[("task.puzzles", "'puzzles'")], changes].concat());
        fs::write(folder.path().join("c.toml"), text).unwrap();
        train(folder.path(), &["run", "c.toml"])
    };

    let (code, line) = config(&[("task.puzzles", "'nowhere'")]);
    assert!(
        code == 2 && line.contains("nowhere: cannot read") && line.contains("check `task.puzzles`"),
        "{line}"
    );
    let (code, line) = config(&[("task.sha256", "'0000'")]);
    assert!(
        code == 2 && line.contains("the data of puzzles have SHA-256") && line.contains("says 0000"),
        "{line}"
    );
    let generated = tiny_config(&[("task.sha256", "'0000'")]);
    fs::write(folder.path().join("c.toml"), generated.to_toml()).unwrap();
    let (code, line) = train(folder.path(), &["run", "c.toml"]);
    assert!(code == 2 && line.contains("the data of the generator have SHA-256"), "{line}");

    let binary = files.join("binary.csv");
    let text = fs::read_to_string(&binary).unwrap();
    let first = text.lines().nth(1).unwrap();
    let puzzle = first.split(',').nth(3).unwrap();
    for (wrong, expected) in [
        (puzzle[1..].to_owned(), "binary.csv:2: expected 16 cells (4 x 4), got 15"),
        (format!("55{}", &puzzle[2..]), "binary.csv:2: expected"),
    ] {
        fs::write(&binary, text.replacen(puzzle, &wrong, 1)).unwrap();
        let (code, line) = config(&[]);
        assert!(code == 2 && line.contains(expected), "{line}");
        fs::write(folder.path().join("e.toml"), EXPERIMENT).unwrap();
        let (code, line) = train(folder.path(), &["plan", "e.toml", "--puzzles", "puzzles"]);
        assert!(code == 2 && line.contains(expected), "{line}");
        fs::remove_file(folder.path().join("e.toml")).unwrap();
    }
}

#[test]
fn damaged_checkpoints() {
    let place = Place::new(&[("stop.epochs", "400")]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert_eq!(
        place.command("out", &["--progress-json"]).stdout(writer).output().unwrap().status.code(),
        Some(1)
    );
    let path = place.run_dir("out").join("checkpoint/state.safetensors");
    let bytes = fs::read(&path).unwrap();
    for length in [0, 5, 200, bytes.len() - 1] {
        fs::write(&path, &bytes[..length]).unwrap();
        let (code, line) = refused(&place.command("out", &[]).output().unwrap());
        let expected = "state.safetensors: not a whole safetensors file";
        assert!(
            code == 2 && line.contains(expected) && line.contains("delete it and start the run again"),
            "{line}"
        );
    }
    fs::remove_file(&path).unwrap();
    fs::write(place.path().join("config.toml"), tiny(&[("stop.epochs", "400")])).unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let again = place.command("out", &["--progress-json"]).stdout(writer).output().unwrap();
    assert!(again.status.code() == Some(1) && path.exists(), "it starts anew");
}

/// A learning rate without bounds is a failure while running, told in one line, also where the loss is lost only
/// after the last step.
#[test]
fn divergence_is_code_1() {
    for epochs in ["1", "30"] {
        let place = Place::new(&[
            ("optimizer", "{ kind = 'sgd', lr = 1e30 }"),
            ("stop.epochs", epochs),
            ("batch", "81"),
            ("model.norm", "'pre'"),
        ]);
        let (code, line) = refused(&place.command("out", &[]).output().unwrap());
        assert!(
            code == 1
                && line.contains("at step 1: lower `optimizer.lr` or the σ of the encoding, or set `clip`"),
            "{code}: {line}"
        );
    }
}
