//! `train export` and `train import`.

use std::path::{Path, PathBuf};

use clap::Args;
use train::TrainError;
use train::config::RunConfig;
use train::device::DeviceKind;
use train::exchange::{export, import_model, import_run};

use super::{OnDevice, not_over, on_device, read};

#[derive(Args)]
pub(super) struct ExportArgs {
    /// The directory of a finished run
    run: PathBuf,
    /// Where to write its weights: a state_dict, for PyTorch's load_state_dict
    #[arg(long)]
    torch: PathBuf,
}

#[derive(Args)]
pub(super) struct ImportArgs {
    /// The run config that the weights belong to
    #[arg(long)]
    config: PathBuf,
    /// A state_dict, saved with safetensors
    #[arg(long)]
    torch: PathBuf,
    /// The state_dict before training, for the change of the tables
    #[arg(long, value_name = "FILE")]
    initial: Option<PathBuf>,
    /// A run directory to make, or a .safetensors file for the weights alone
    #[arg(long)]
    out: PathBuf,
    /// cpu or cuda
    #[arg(long, default_value_t)]
    device: DeviceKind,
}

pub(super) fn export_main(args: &ExportArgs) -> Result<(), TrainError> {
    let count = on_device(DeviceKind::Cpu, Export(args))?;
    terminal::tell(&format!("{}: {count} tensors under PyTorch's names", args.torch.display()));
    Ok(())
}

struct Export<'a>(&'a ExportArgs);

impl OnDevice for Export<'_> {
    type Output = usize;

    fn call<B: train::TrainBackend>(self) -> Result<usize, TrainError> {
        export::<B>(&self.0.run, &self.0.torch)
    }
}

pub(super) fn import_main(args: &ImportArgs) -> Result<(), TrainError> {
    not_over("--out", &args.out, "--torch", Some(&args.torch))?;
    let config = RunConfig::from_toml(&read(&args.config)?, &args.config.display().to_string())?;
    on_device(args.device, Import { args, config: &config })?;
    terminal::tell(&format!("{}: imported", args.out.display()));
    Ok(())
}

struct Import<'a> {
    args: &'a ImportArgs,
    config: &'a RunConfig,
}

impl OnDevice for Import<'_> {
    type Output = ();

    fn call<B: train::TrainBackend>(self) -> Result<(), TrainError> {
        let ImportArgs { torch, initial, out, device, .. } = self.args;
        if !is_weight_file(out) {
            return import_run::<B>(self.config, torch, initial.as_deref(), out, *device);
        }
        if initial.is_some() {
            return Err(TrainError::Config {
                place: "--initial".to_owned(),
                problem: "a file of weights has no place for it: give a run directory as --out".to_owned(),
            });
        }
        import_model::<B>(self.config, torch, out)
    }
}

fn is_weight_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "safetensors")
}
