//! `train run`.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use train::TrainError;
use train::config::RunConfig;
use train::device::DeviceKind;
use train::run::{Beginning, Outcome, Progress, RunOptions, run};

use super::{OnDevice, Source, on_device};

#[derive(Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    source: Source,
    /// Folder of run directories; the run gets one of its own in it
    #[arg(long, default_value = "out/runs")]
    out: PathBuf,
    /// cpu or cuda
    #[arg(long, default_value_t)]
    device: DeviceKind,
    /// Seconds from one checkpoint to the next
    #[arg(long, default_value_t = 30.0)]
    checkpoint_seconds: f64,
    /// Steps from one checkpoint to the next, whatever the time
    #[arg(long)]
    checkpoint_steps: Option<u64>,
    /// Print progress as one JSON object a line, and stop when nobody reads it
    #[arg(long)]
    progress_json: bool,
}

pub(super) fn main(args: &RunArgs) -> Result<(), TrainError> {
    let config = args.source.load()?;
    let path = args.out.join(&config.experiment).join(config.run_id());
    let after = Duration::try_from_secs_f64(args.checkpoint_seconds).map_err(|_| TrainError::Setting {
        field: "--checkpoint-seconds",
        got: args.checkpoint_seconds.to_string(),
        expected: "a number >= 0",
    })?;
    let options = RunOptions { checkpoint_after: after, checkpoint_steps: args.checkpoint_steps };
    let job = Job { config: &config, path: path.clone(), args, options };
    let word = match on_device(args.device, job)? {
        Outcome::Skipped => "skipped: complete already, with the same config and all files".to_owned(),
        Outcome::Completed(Beginning::Fresh(None)) => "complete".to_owned(),
        Outcome::Completed(Beginning::Fresh(Some(reason))) => {
            format!("complete, after it was started anew because {reason}")
        }
        Outcome::Completed(Beginning::Resumed(step)) => format!("complete, resumed after step {step}"),
    };
    eprintln!("{}: {word}", path.display());
    Ok(())
}

struct Job<'a> {
    config: &'a RunConfig,
    path: PathBuf,
    args: &'a RunArgs,
    options: RunOptions,
}

impl OnDevice for Job<'_> {
    type Output = Outcome;

    fn call<B: train::TrainBackend>(self) -> Result<Outcome, TrainError> {
        let mut report = Report { json: self.args.progress_json, last: None };
        let mut progress = |at: Progress| report.say(at);
        run::<B>(self.config, &self.path, self.args.device, self.options, &mut progress)
    }
}

/// Progress on the terminal: at most twice a second as JSON, every ten seconds for people.
struct Report {
    json: bool,
    last: Option<(Instant, u64)>,
}

impl Report {
    fn say(&mut self, at: Progress) -> Result<(), TrainError> {
        let pause = if self.json { Duration::from_millis(500) } else { Duration::from_secs(10) };
        let due = self.last.is_none_or(|(time, _)| time.elapsed() >= pause);
        if !due && at.step < at.steps {
            return Ok(());
        }
        let before = self.last.replace((Instant::now(), at.step));
        if self.json {
            let line = serde_json::to_string(&at).unwrap_or_default();
            // Whoever started this run reads these lines. If that has been killed, the run must not go on alone.
            return writeln!(std::io::stdout(), "{line}").map_err(|_| TrainError::Orphaned);
        }
        let eta = before.map_or(String::new(), |(time, step)| {
            let rate = (at.step - step) as f64 / time.elapsed().as_secs_f64();
            format!(", {:.1} steps/s, {:.0} s left", rate, (at.steps - at.step) as f64 / rate)
        });
        eprintln!(
            "step {}/{}, epoch {}, training accuracy {:.3}{eta}",
            at.step, at.steps, at.epoch, at.accuracy
        );
        Ok(())
    }
}
