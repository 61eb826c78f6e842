//! The same config gives the same bytes, whatever runs beside it.

use std::process::Stdio;
use std::thread;

use pe_core::TrainCpu;
use train::device::DeviceKind;
use train::{RunConfig, RunOptions, run};

use crate::common::{PAPER_2D, Place, Record, tiny_config};

#[test]
fn three_processes_at_once() {
    let place = Place::new(&PAPER_2D);
    let alone = place.complete("alone");
    let outs = ["a", "b", "c"];
    let start = |out| place.command(out, &[]).stderr(Stdio::null()).spawn().unwrap();
    for mut child in outs.map(start) {
        assert!(child.wait().unwrap().success());
    }
    for out in outs {
        assert!(Record::read(&place.run_dir(out)) == alone, "{out}");
    }
}

/// Two of one config, and two others between them, in one process.
#[test]
fn four_threads_of_one_process() {
    let place = Place::new(&[]);
    let alone = place.complete("alone");
    let configs =
        [tiny_config(&[]), tiny_config(&PAPER_2D), tiny_config(&[]), tiny_config(&[("seeds.seed", "2")])];
    let one = |config: &RunConfig, out: &str| {
        let path = place.path().join(out).join("tiny").join(config.run_id());
        run::<TrainCpu>(config, &path, DeviceKind::Cpu, RunOptions::default(), &mut |_| Ok(())).unwrap();
    };
    thread::scope(|scope| {
        for (i, config) in configs.iter().enumerate() {
            scope.spawn(move || one(config, &format!("thread-{i}")));
        }
    });
    for out in ["thread-0", "thread-2"] {
        assert!(Record::read(&place.run_dir(out)) == alone, "{out}");
    }
}
