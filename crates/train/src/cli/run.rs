//! `train run`.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use train::TrainError;
use train::config::{RunConfig, setting_error};
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
    #[arg(long, default_value_t = 30.0, allow_negative_numbers = true)]
    checkpoint_seconds: f64,
    /// Steps from one checkpoint to the next, whatever the time
    #[arg(long)]
    checkpoint_steps: Option<u64>,
    /// Print progress as one JSON object a line, and stop when nobody reads it
    #[arg(long)]
    progress_json: bool,
    /// Seconds from one progress line to the next, 0 for one a step [default: 0.5 as JSON, else 10]
    #[arg(long, allow_negative_numbers = true)]
    progress_seconds: Option<f64>,
}

pub(super) fn main(args: &RunArgs) -> Result<(), TrainError> {
    let config = args.source.load()?;
    let path = args.out.join(&config.experiment).join(config.run_id());
    let checkpoint_after = duration("--checkpoint-seconds", args.checkpoint_seconds)?;
    let usual = if args.progress_json { 0.5 } else { 10.0 };
    let pause = duration("--progress-seconds", args.progress_seconds.unwrap_or(usual))?;
    if args.checkpoint_steps == Some(0) {
        return Err(setting_error("--checkpoint-steps", 0, "at least 1"));
    }
    let options = RunOptions { checkpoint_after, checkpoint_steps: args.checkpoint_steps };
    let report = Report { json: args.progress_json, pause, last: None };
    let job = Job { config: &config, path: path.clone(), device: args.device, report, options };
    let word = match on_device(args.device, job)? {
        Outcome::Skipped => "skipped: complete already, with the same config and all files".to_owned(),
        Outcome::Completed(Beginning::Fresh(None)) => "complete".to_owned(),
        Outcome::Completed(Beginning::Fresh(Some(reason))) => {
            format!("complete, after it was started anew because {reason}")
        }
        Outcome::Completed(Beginning::Resumed(step)) => format!("complete, resumed after step {step}"),
    };
    terminal::tell(&format!("{}: {word}", path.display()));
    Ok(())
}

fn duration(field: &'static str, seconds: f64) -> Result<Duration, TrainError> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| setting_error(field, seconds, "a number of seconds >= 0"))
}

struct Job<'a> {
    config: &'a RunConfig,
    path: PathBuf,
    device: DeviceKind,
    report: Report,
    options: RunOptions,
}

impl OnDevice for Job<'_> {
    type Output = Outcome;

    fn call<B: train::TrainBackend>(self) -> Result<Outcome, TrainError> {
        let Job { config, path, device, mut report, options } = self;
        run::<B>(config, &path, device, options, &mut |at: Progress| report.say(at))
    }
}

/// Progress on the terminal.
struct Report {
    json: bool,
    pause: Duration,
    last: Option<(Instant, u64)>,
}

impl Report {
    fn say(&mut self, at: Progress) -> Result<(), TrainError> {
        let due = self.last.is_none_or(|(time, _)| time.elapsed() >= self.pause);
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
        let Progress { step, steps, epoch, loss, .. } = at;
        let fit =
            at.accuracy.map_or_else(|| format!("loss {loss:.4}"), |share| format!("accuracy {share:.3}"));
        terminal::tell(&format!("step {step}/{steps}, epoch {epoch}, training {fit}{eta}"));
        Ok(())
    }
}
