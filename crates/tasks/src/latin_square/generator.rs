//! Random puzzles: the generalization set first, then a pool that keeps its distance.

use std::collections::HashSet;

use streams::{Stream, Streams};

use super::jaccard::{Bits, OneHots};
use super::proposal::Proposal;
use super::report::{GenerationReport, Tally, Verdict};
use super::{GeneratorConfig, GivensProfile, Grid, LatinSquareError, Level, Puzzle, oriented};

/// Puzzles without their split.
pub(crate) struct Generated {
    pub(crate) pool: Vec<Puzzle>,
    pub(crate) generalization: Vec<Puzzle>,
    pub(crate) report: GenerationReport,
}

/// Draws all puzzles. Each (set, level, givens) has a stream and a quota of its own.
pub(crate) fn generate(config: &GeneratorConfig, streams: &Streams) -> Result<Generated, LatinSquareError> {
    config.validate()?;
    let mut generator = Generator { config, streams, report: GenerationReport::default() };
    let generalization = generator.generalization()?;
    let pool = generator.pool(&generalization)?;
    Ok(Generated { pool, generalization, report: generator.report })
}

struct Generator<'a> {
    config: &'a GeneratorConfig,
    streams: &'a Streams,
    report: GenerationReport,
}

/// What one search is for.
struct Quota {
    set: &'static str,
    level: Level,
    givens: usize,
    wanted: usize,
}

impl Generator<'_> {
    /// Groups are numbered from 1, the easiest level first, as in the published set.
    fn generalization(&mut self) -> Result<Vec<Puzzle>, LatinSquareError> {
        let orientations = self.config.orientations;
        let bases = self.config.generalization / (3 * orientations);
        let (mut items, mut seen) = (Vec::new(), HashSet::new());
        for quota in quotas("generalization", &self.config.generalization_profile(), bases) {
            let mut found: Vec<Grid> = Vec::new();
            let tally = self.search(&quota, |grid| {
                let all: Vec<Grid> = (0..orientations).map(|turns| oriented(&grid, turns)).collect();
                let distinct: HashSet<&Grid> = all.iter().collect();
                if distinct.len() < orientations || all.iter().any(|grid| seen.contains(grid)) {
                    return Verdict::Repeated;
                }
                seen.extend(all);
                found.push(grid);
                Verdict::Accepted
            })?;
            self.report.generalization.entry(quota.level).or_default().add(tally);
            for grid in found {
                let group = (items.len() / orientations) as u32 + 1;
                for turns in 0..orientations {
                    items.push(Puzzle::new(oriented(&grid, turns))?.with_group(Some(group)));
                }
            }
        }
        Ok(items)
    }

    fn pool(&mut self, generalization: &[Puzzle]) -> Result<Vec<Puzzle>, LatinSquareError> {
        let items = OneHots::of(generalization);
        let mut pool = Vec::new();
        for quota in quotas("pool", &self.config.pool_profile(), self.config.pool / 3) {
            // Puzzles of other quotas differ in their level or their givens.
            let mut found = HashSet::new();
            let mut grids = Vec::new();
            let tally = self.search(&quota, |grid| {
                let bits = Bits::of(grid.order(), grid.cells(), grid.target());
                if !items.all_beyond(&bits, self.config.min_jaccard_distance) {
                    return Verdict::TooClose;
                }
                if !found.insert(grid.clone()) {
                    return Verdict::Repeated;
                }
                grids.push(grid);
                Verdict::Accepted
            })?;
            self.report.pool.entry(quota.level).or_default().add(tally);
            for grid in grids {
                pool.push(Puzzle::new(grid)?);
            }
        }
        Ok(pool)
    }

    /// Offers candidates of the quota's level until enough are accepted, or too many in a row were not.
    fn search(
        &self,
        quota: &Quota,
        mut accept: impl FnMut(Grid) -> Verdict,
    ) -> Result<Tally, LatinSquareError> {
        let Quota { set, level, givens, wanted } = *quota;
        let mut rng = self.streams.rng_for(Stream::Data, &format!("latin-square/{set}/{level}/{givens}"));
        let mut proposal = Proposal::new(self.config.order, level, givens, &mut rng)?;
        let (mut tally, mut failures) = (Tally::default(), Tally::default());
        while tally.accepted < wanted as u64 {
            let verdict = if proposal.draw(&mut rng) { accept(proposal.grid()) } else { Verdict::OtherLevel };
            tally.count(verdict);
            failures.count(verdict);
            if verdict == Verdict::Accepted {
                failures = Tally::default();
            } else if failures.candidates >= self.config.max_rejections {
                let found = tally.accepted as usize;
                let (rejected, reasons) = (failures.candidates, failures.to_string());
                return Err(LatinSquareError::Shortage {
                    set,
                    level,
                    givens,
                    wanted,
                    found,
                    rejected,
                    reasons,
                });
            }
        }
        Ok(tally)
    }
}

fn quotas(set: &'static str, profile: &GivensProfile, per_level: usize) -> Vec<Quota> {
    let of = |level| profile.quotas(level, per_level).into_iter().map(move |quota| (level, quota));
    let all = Level::ALL.into_iter().flat_map(of);
    all.map(|(level, (givens, wanted))| Quota { set, level, givens, wanted }).collect()
}
