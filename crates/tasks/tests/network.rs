//! What theory says of graphs, dynamics and integrators.

use ndarray::{Array1, Array2};
use streams::{Stream, StreamRng, Streams};
use tasks::masked::baseline::Moments;
use tasks::network::{
    Coupling, DynamicsConfig, Graph, GraphConfig, GridConfig, Integrator, ModularConfig, NetworkConfig,
    NetworkData, NetworkError, NetworkWarning, Nonlinearity, Operator, PointsConfig, RingConfig,
    SpatialModulesConfig, Storage, linear_covariance, simulate, simulate_from, stein,
};

fn rng(label: &str) -> StreamRng {
    Streams::new(7).rng_for(Stream::Data, label)
}

fn build(config: GraphConfig) -> Result<Graph, NetworkError> {
    Graph::build(&config, &Streams::new(11))
}

fn grid(sides: &[usize], periodic: bool) -> Graph {
    build(GraphConfig::Grid(GridConfig { sides: sides.to_vec(), periodic, ..Default::default() })).unwrap()
}

/// The largest difference, as a share of the largest value.
fn difference(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let largest = b.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    (a - b).iter().fold(0.0f64, |most, value| most.max(value.abs())) / largest
}

#[test]
fn spatial_coupling_is_the_formula() {
    let graph = grid(&[2, 3], false);
    let w = graph.coupling().to_dense();
    // Node 0 is at (0, 0): its neighbours are at squared distances 1, 4, 1, 2, 5.
    let raw = [0.0, -0.5, -2.0, -0.5, -1.0, -2.5].map(f64::exp);
    let sum: f64 = raw[1..].iter().sum();
    assert_eq!(w[[0, 0]], 0.0);
    for j in 1..6 {
        assert!((w[[0, j]] - raw[j] / sum).abs() < 1e-15);
    }
}

#[test]
fn every_graph_has_normalised_rows_and_no_loops() {
    let modular = ModularConfig { weight_spread: 0.5, inhibitory: 0.25, ..Default::default() };
    for config in [
        GraphConfig::default(),
        GraphConfig::Grid(GridConfig { sides: vec![3, 4, 3], periodic: true, ..Default::default() }),
        GraphConfig::Ring(RingConfig::default()),
        GraphConfig::Points(PointsConfig { periodic: true, ..Default::default() }),
        GraphConfig::Modular(modular),
        GraphConfig::SpatialModules(SpatialModulesConfig::default()),
    ] {
        let graph = build(config.clone()).unwrap();
        assert_eq!((graph.nodes(), graph.layout().map_or(0, |l| l.coords().ncols())), (36, config.axes()));
        let w = graph.coupling().to_dense();
        for (i, row) in w.rows().into_iter().enumerate() {
            let sum: f64 = row.iter().map(|weight| weight.abs()).sum();
            assert!(w[[i, i]] == 0.0 && (sum - 1.0).abs() < 1e-12, "{config:?}");
        }
        let distances = graph.distances();
        assert_eq!(distances, distances.t());
        assert!(distances.diag().iter().all(|&d| d == 0.0));
        assert_eq!(graph, build(config).unwrap(), "the same seed, the same graph");
    }
}

/// Shifting a closed axis changes nothing, and a ring is a grid of one closed axis.
#[test]
fn closed_axes_have_no_ends() {
    let ring = build(GraphConfig::Ring(RingConfig { nodes: 9, ..Default::default() })).unwrap();
    assert_eq!(ring, grid(&[9], true));
    let w = ring.coupling().to_dense();
    for (i, j) in (0..81).map(|pair| (pair / 9, pair % 9)) {
        assert!((w[[i, j]] - w[[(i + 4) % 9, (j + 4) % 9]]).abs() < 1e-15);
    }
    assert!(grid(&[9], false).coupling().to_dense()[[0, 8]] < 1e-12);
}

#[test]
fn modules_have_the_densities_asked_for() {
    let config = ModularConfig { sizes: vec![40, 60], within: 0.7, between: 0.1, ..Default::default() };
    let graph = build(GraphConfig::Modular(config.clone())).unwrap();
    let w = graph.coupling().to_dense();
    let module = graph.modules().unwrap();
    assert_eq!(module.iter().filter(|&&m| m == 0).count(), 40);
    for (same, share) in [(true, 0.7), (false, 0.1)] {
        let pairs = (0..100).flat_map(|i| (0..i).map(move |j| (i, j)));
        let edges: Vec<bool> =
            pairs.filter(|&(i, j)| (module[i] == module[j]) == same).map(|pair| w[pair] != 0.0).collect();
        let n = edges.len() as f64;
        let found = edges.iter().filter(|&&edge| edge).count() as f64 / n;
        // Five standard errors of a binomial share.
        assert!((found - share).abs() < 5.0 * (share * (1.0 - share) / n).sqrt(), "{found} {share}");
    }
    assert!((0..100).all(|i| (0..100).all(|j| (w[[i, j]] == 0.0) == (w[[j, i]] == 0.0))), "both ways");
    let signed = build(GraphConfig::Modular(ModularConfig { inhibitory: 0.2, ..config })).unwrap();
    let w = signed.coupling().to_dense();
    let negative = |j: usize| w.column(j).iter().any(|&weight| weight < 0.0);
    let positive = |j: usize| w.column(j).iter().any(|&weight| weight > 0.0);
    assert_eq!((0..100).filter(|&j| negative(j)).count(), 20);
    assert!((0..100).all(|j| negative(j) != positive(j)), "a node sends one sign");
}

/// Plain loops with the standard library's functions.
fn reference(w: &Array2<f64>, dynamics: &DynamicsConfig, steps: usize, start: &[f64]) -> Array1<f64> {
    let f = |u: f64| match dynamics.nonlinearity {
        Nonlinearity::Tanh => u.tanh(),
        Nonlinearity::Logistic => 1.0 / (1.0 + (-u).exp()),
        Nonlinearity::Relu => u.max(0.0),
        Nonlinearity::Linear => u,
    };
    let slope = |x: &Array1<f64>| w.dot(x).mapv(|u| f(dynamics.gain * u)) - x;
    let mut x = Array1::from(start.to_vec());
    for _ in 0..steps {
        let first = slope(&x);
        let end = &x + &(&first * dynamics.dt);
        x = match dynamics.integrator {
            Integrator::EulerMaruyama => end,
            Integrator::Heun => &x + &((&first + &slope(&end)) * (0.5 * dynamics.dt)),
        };
    }
    x
}

#[test]
fn steps_without_noise_are_those_of_plain_loops() {
    let graph = grid(&[13], false);
    let w = graph.coupling().to_dense();
    let start: Vec<f64> = (0..13).map(|node| f64::from(node).sin()).collect();
    use Nonlinearity::{Linear, Logistic, Relu, Tanh};
    for nonlinearity in [Tanh, Logistic, Relu, Linear] {
        for integrator in [Integrator::EulerMaruyama, Integrator::Heun] {
            for storage in [Storage::Dense, Storage::Sparse] {
                let dynamics = DynamicsConfig {
                    nonlinearity,
                    integrator,
                    storage,
                    gain: 0.9,
                    noise: 0.0,
                    burn_in: 0,
                    every: 25,
                    ..Default::default()
                };
                let operator = Operator::new(graph.coupling(), storage);
                assert_eq!(operator.is_sparse(), storage == Storage::Sparse);
                let got = simulate_from(&operator, &dynamics, &start, 2, &mut rng("silent")).unwrap();
                for frame in 0..2 {
                    let expected = reference(&w, &dynamics, 25 * (frame + 1), &start);
                    let close = |(a, b): (&f32, &f64)| (f64::from(*a) - b).abs() < 1e-6;
                    assert!(got.row(frame).iter().zip(&expected).all(close), "{dynamics:?}");
                }
            }
        }
    }
}

/// Long simulations of a linear network, and of tanh so weakly driven that it is linear.
#[test]
fn stationary_covariance_meets_the_theory() {
    let graph = grid(&[3, 3], false);
    let one = Array2::from_diag(&Array1::<f64>::ones(9));
    let a = graph.coupling().to_dense() * 0.7 - &one;
    for (nonlinearity, noise) in [(Nonlinearity::Linear, 0.5), (Nonlinearity::Tanh, 1e-3)] {
        for integrator in [Integrator::EulerMaruyama, Integrator::Heun] {
            let dynamics = DynamicsConfig {
                nonlinearity,
                integrator,
                noise,
                gain: 0.7,
                dt: 0.25,
                burn_in: 200,
                every: 12,
                ..Default::default()
            };
            let operator = Operator::new(graph.coupling(), Storage::Auto);
            let series = simulate(&operator, &dynamics, 60_000, &mut rng("stationary")).unwrap();
            let got = Moments::fit([series.view()].into_iter()).covariance().clone();
            let dt = dynamics.dt;
            // One step is x <- M x + N noise.
            let (m, n) = match integrator {
                Integrator::EulerMaruyama => (&one + &(&a * dt), one.clone()),
                Integrator::Heun => {
                    (&one + &(&a * dt) + a.dot(&a) * (dt * dt / 2.0), &one + &(&a * (dt / 2.0)))
                }
            };
            let of_steps = stein(&m, &(n.dot(&n.t()) * (noise * noise * dt))).unwrap();
            assert!(difference(&got, &of_steps) < 0.03, "{} {dynamics:?}", difference(&got, &of_steps));
            // Continuous time: Heun's error is of the second order in dt, Euler's of the first.
            let continuous = linear_covariance(graph.coupling(), 0.7, noise).unwrap();
            let (error, bound) = (difference(&of_steps, &continuous), dt * dt / 4.0);
            assert_eq!(error < bound, integrator == Integrator::Heun, "{error} {bound}");
        }
    }
}

/// The mean square of one self-coupled node, whose stationary density is known: exp(-2 V(x) / s²) with
/// V = x²/2 - ln cosh(g x) / g.
fn exact_mean_square(gain: f64, noise: f64) -> f64 {
    let density = |x: f64| (-2.0 / (noise * noise) * (x * x / 2.0 - (gain * x).cosh().ln() / gain)).exp();
    let points = (-20_000..=20_000).map(|i| f64::from(i) * 5e-4);
    let (sum, total) = points.fold((0.0, 0.0), |(s, t), x| (s + x * x * density(x), t + density(x)));
    sum / total
}

#[test]
fn integrators_have_their_weak_order() {
    let (gain, noise) = (0.5, 1.0);
    let exact = exact_mean_square(gain, noise);
    let alone = Coupling::from_dense(&Array2::from_diag(&Array1::<f64>::ones(400))).unwrap();
    let operator = Operator::new(&alone, Storage::Sparse);
    for (integrator, least, most) in [(Integrator::EulerMaruyama, 1.6, 2.7), (Integrator::Heun, 3.2, 5.5)] {
        let error = |dt: f64, every: usize| {
            let base = DynamicsConfig { gain, noise, integrator, burn_in: 60, ..Default::default() };
            let dynamics = DynamicsConfig { dt, every, ..base };
            let series = simulate(&operator, &dynamics, 8_000, &mut rng("order")).unwrap();
            let sum: f64 = series.iter().map(|&x| f64::from(x).powi(2)).sum();
            sum / series.len() as f64 - exact
        };
        let (coarse, fine) = (error(0.8, 3), error(0.4, 6));
        let ratio = coarse / fine;
        assert!((least..most).contains(&ratio), "{integrator:?}: {coarse} {fine} {ratio}");
    }
}

fn small() -> NetworkConfig {
    NetworkConfig { subjects: 2, frames: 50, ..Default::default() }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let make = |config: &NetworkConfig, seed| NetworkData::generate(config, &Streams::new(seed)).unwrap();
    let data = make(&small(), 1);
    assert_eq!(data, make(&small(), 1));
    assert_eq!(data.sha256(), make(&small(), 1).sha256());
    assert_ne!(data.sha256(), make(&small(), 2).sha256());
    assert_ne!(data.series[0], data.series[1], "subjects differ in their noise");
    let more = make(&NetworkConfig { subjects: 3, ..small() }, 1);
    assert_eq!(more.series[..2], data.series[..], "a further subject changes none of the others");
    let jittered = make(&NetworkConfig { weight_jitter: 0.2, ..small() }, 1);
    assert_eq!(jittered.graph, data.graph);
    assert_ne!(jittered.series, data.series);
}

/// Fewer frames are the beginning of more, and a frame every 10 steps is every second one of every 5.
#[test]
fn frames_are_samples_of_one_path() {
    let operator = Operator::new(grid(&[4, 4], false).coupling(), Storage::Auto);
    let run = |every, frames| {
        let dynamics = DynamicsConfig { every, ..Default::default() };
        simulate(&operator, &dynamics, frames, &mut rng("path")).unwrap()
    };
    let (coarse, fine) = (run(10, 20), run(5, 40));
    for frame in 0..20 {
        assert_eq!(coarse.row(frame), fine.row(2 * frame + 1));
    }
}

#[test]
fn what_cannot_work_is_refused_before_it_runs() {
    let modular = |between| ModularConfig { between, ..Default::default() };
    let disconnected = build(GraphConfig::Modular(modular(0.0))).unwrap_err();
    assert!(
        matches!(disconnected, NetworkError::Disconnected { parts: 4, reached: 9, .. }),
        "{disconnected}"
    );
    let points = PointsConfig { length: 0.05, ..Default::default() };
    let loose = build(GraphConfig::Points(points)).unwrap_err();
    assert!(loose.to_string().contains("raise `length`"), "{loose}");
    let generate = |change: fn(&mut DynamicsConfig)| {
        let mut config = small();
        change(&mut config.dynamics);
        NetworkData::generate(&config, &Streams::new(1))
    };
    let unbounded = generate(|d| d.nonlinearity = Nonlinearity::Relu).unwrap_err();
    assert!(matches!(unbounded, NetworkError::Unbounded { .. }), "{unbounded}");
    assert!(unbounded.to_string().contains("lower `gain`"));
    generate(|d| (d.nonlinearity, d.gain) = (Nonlinearity::Relu, 0.9)).unwrap();
    let coarse = generate(|d| d.dt = 1.0).unwrap_err();
    assert!(
        matches!(coarse, NetworkError::StepTooLarge { limit, .. } if (limit - 1.0).abs() < 1e-12),
        "{coarse}"
    );
    generate(|d| d.dt = 0.99).unwrap();
}

/// A rectified network is bounded if its excitatory part is, whatever the inhibition.
#[test]
fn inhibition_does_not_count_against_rectified_networks() {
    let graph = build(GraphConfig::Modular(ModularConfig { inhibitory: 0.5, ..Default::default() })).unwrap();
    let with = |nonlinearity, gain| DynamicsConfig { nonlinearity, gain, ..Default::default() };
    with(Nonlinearity::Relu, 1.2).check(graph.coupling()).unwrap();
    let operator = Operator::new(graph.coupling(), Storage::Auto);
    simulate(&operator, &with(Nonlinearity::Relu, 1.2), 500, &mut rng("inhibited")).unwrap();
    let error = with(Nonlinearity::Relu, 3.0).check(graph.coupling()).unwrap_err();
    assert!(matches!(error, NetworkError::Unbounded { .. }), "{error}");
}

#[test]
fn activity_that_runs_away_is_an_error() {
    let operator = Operator::new(grid(&[4], false).coupling(), Storage::Auto);
    let dynamics = DynamicsConfig { nonlinearity: Nonlinearity::Linear, gain: 3.0, ..Default::default() };
    let error = simulate(&operator, &dynamics, 100, &mut rng("away")).unwrap_err();
    assert!(matches!(error, NetworkError::Diverged { .. }), "{error}");
    assert!(!error.to_string().contains('\n'));
    let wrong = simulate_from(&operator, &dynamics, &[0.0], 1, &mut rng("away")).unwrap_err();
    assert!(matches!(wrong, NetworkError::Shape { .. }), "{wrong}");
}

/// A gain of 1 has something to learn, 0.9 and 1.2 have not: the figures stand in the README.
#[test]
fn data_without_a_signal_are_warned_of() {
    let warned = |gain| {
        let mut config = NetworkConfig::default();
        config.dynamics.gain = gain;
        let data = NetworkData::generate(&config, &Streams::new(5)).unwrap();
        let nothing = |warning: &NetworkWarning| matches!(warning, NetworkWarning::NothingToPredict { .. });
        (data.warnings().iter().any(nothing), data.stats())
    };
    let (none, stats) = warned(1.0);
    assert!(!none, "{stats:?}");
    assert!(stats.near_correlation > stats.far_correlation && stats.distance_correlation > Some(0.8));
    assert!(warned(0.5).0 && warned(1.2).0);
    let mut config = small();
    config.dynamics.every = 1;
    let data = NetworkData::generate(&NetworkConfig { frames: 400, ..config }, &Streams::new(5)).unwrap();
    let close = |warning: &NetworkWarning| matches!(warning, NetworkWarning::FramesTooClose { .. });
    assert_eq!(data.warnings().iter().any(close), data.stats().autocorrelation > Some(0.95));
}
