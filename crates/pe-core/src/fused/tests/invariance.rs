//! What results must not depend on: precision, instruction set, groups, memory, and other threads.

use std::sync::atomic::{AtomicBool, Ordering};

use burn::tensor::{Tensor, TensorData};

use crate::Cpu;
use crate::fused::dispatch::Isa;
use crate::fused::op::FusedBackend;

use super::{Case, Outcome, all_cases, assert_agree, cases};

#[test]
fn f32_agrees_with_f64_on_every_instruction_set() {
    // Norms over few numbers amplify rounding.
    let narrow = [(5, 1, 1, 4, 1e-4), (4, 1, 3, 1, 1e-4), (1, 3, 1, 7, 1e-4)];
    let wide = [(5, 1, 7, 9, 1e-5), (3, 3, 5, 31, 1e-5), (17, 2, 16, 64, 1e-5)];
    for (tokens, heads, head_width, inner, tolerance) in narrow.into_iter().chain(wide) {
        for mut case in all_cases(3, tokens, heads, head_width, inner) {
            let exact = case.run::<f64>();
            for isa in Isa::available() {
                case.call.isa = *isa;
                assert_agree(&exact, &case.run::<f32>(), tolerance, &format!("{}, {isa:?}", case.name));
            }
        }
    }
}

#[test]
fn groups_of_any_size_agree() {
    for mut case in all_cases(5, 7, 2, 9, 33) {
        case.call.group = 5;
        let together = case.run::<f32>();
        for group in 1..5 {
            case.call.group = group;
            assert_agree(&together, &case.run::<f32>(), 1e-5, &format!("{}, groups of {group}", case.name));
        }
    }
}

#[test]
fn keeping_nothing_for_a_gradient_changes_no_bit() {
    for case in all_cases(3, 5, 3, 7, 20) {
        assert_eq!(bits(&case.run::<f32>().y), bits(&case.output::<f32>()), "{}", case.name);
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn all_bits(outcome: &Outcome<f32>) -> Vec<u32> {
    outcome.parts().iter().flat_map(|(_, values)| bits(values)).collect()
}

#[test]
fn the_same_sizes_give_the_same_bits_while_other_threads_run() {
    let all = all_cases(4, 16, 2, 20, 80);
    let alone: Vec<_> = all.iter().map(|case| all_bits(&case.run::<f32>())).collect();
    let stop = AtomicBool::new(false);
    let check = |all: &[Case]| {
        for (case, alone) in all.iter().zip(&alone) {
            assert!(all_bits(&case.run::<f32>()) == *alone, "{}", case.name);
        }
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                // Other sizes, so that the allocator and the caches see other work.
                all_cases(3, 9, 1, 31, 77).iter().for_each(|case| drop(case.run::<f32>()));
            }
        });
        let twin = scope.spawn(|| check(&all));
        for _ in 0..3 {
            check(&all);
        }
        twin.join().unwrap();
        stop.store(true, Ordering::Relaxed);
        other.join().unwrap();
    });
}

#[test]
fn a_view_gives_what_its_copy_gives() {
    let flex = |values: &[f64], shape: [usize; 2]| {
        let values: Vec<f32> = values.iter().map(|v| *v as f32).collect();
        Tensor::<Cpu, 2>::from_data(TensorData::new(values, shape), &Default::default())
    };
    /// The same matrix as a window into a larger one, and as the transpose of its transpose.
    fn views(whole: &Tensor<Cpu, 2>) -> [Tensor<Cpu, 2>; 2] {
        let [rows, columns] = whole.dims();
        let border = |shape| Tensor::<Cpu, 2>::ones(shape, &whole.device()) * 7.0;
        let above = Tensor::cat(vec![border([1, columns]), whole.clone()], 0);
        let framed = Tensor::cat(vec![above, border([rows + 1, 2])], 1);
        let transposed = Tensor::cat(vec![whole.clone().transpose() + 0.0], 0).transpose();
        [framed.narrow(0, 1, rows).narrow(1, 0, columns), transposed]
    }
    let (items, tokens, width) = (2, 5, 6);
    for number in 0..cases(items, tokens, 2, 3, 8).len() {
        let mut outputs = Vec::new();
        for view in 0..3 {
            let case = cases(items, tokens, 2, 3, 8).swap_remove(number);
            let pick = |whole: Tensor<Cpu, 2>| match view {
                0 => whole,
                view => views(&whole)[view - 1].clone(),
            };
            let primitive = |tensor: Tensor<Cpu, 2>| tensor.into_primitive().tensor();
            // One vector in two is a view with an offset; all that matters is that an offset is not ignored.
            let mut inputs: Vec<_> = case
                .params
                .iter()
                .map(|values| match values.len() {
                    len @ (6 | 18 | 8) if view > 0 => {
                        let whole = Tensor::cat(vec![flex(&[3.0; 4], [1, 4]), flex(values, [1, len])], 1);
                        primitive(whole.narrow(1, 4, len)).reshape([len].into())
                    }
                    len @ (6 | 18 | 8) => primitive(flex(values, [1, len])).reshape([len].into()),
                    108 => primitive(pick(flex(values, [6, 18]))),
                    36 => primitive(pick(flex(values, [6, 6]))),
                    _ if values[..] == case.params[6][..] => primitive(pick(flex(values, [6, 8]))),
                    _ => primitive(pick(flex(values, [8, 6]))),
                })
                .collect();
            let x = pick(flex(&case.x, [items * tokens, width])).reshape([items, tokens, width]);
            inputs.insert(0, x.into_primitive().tensor());
            let Ok(inputs) = <[_; 13]>::try_from(inputs) else { unreachable!("x and 12 parameters") };
            let (y, _) = Cpu::run(case.call, inputs);
            outputs.push(y.into_data().to_vec::<f32>().unwrap());
        }
        assert_eq!(outputs[0], outputs[1], "case {number}, window");
        assert_eq!(outputs[0], outputs[2], "case {number}, transpose");
    }
}

#[test]
fn a_number_that_is_not_finite_shows_and_stays_in_its_item() {
    for mut case in all_cases(3, 5, 1, 7, 9) {
        case.x[5 * 7 + 3] = f64::NAN;
        let y = case.output::<f32>();
        let mut items = y.chunks(y.len() / 3);
        let nan = |item: Option<&[f32]>| item.is_some_and(|values| values.iter().any(|v| v.is_nan()));
        assert_eq!(std::array::from_fn(|_| nan(items.next())), [false, true, false], "{}", case.name);
    }
}
