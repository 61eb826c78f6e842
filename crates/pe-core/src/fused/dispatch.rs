//! Runtime choice of the instruction set, and matrix products: all the unsafe code of the crate.

#![allow(unsafe_code, reason = "code compiled for a detected processor, and products on raw pointers")]

use super::kernels::{self, Affine};
use super::real::{Fused, Portable, Real};

/// An instruction set that this processor has been asked for and has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Isa(Level);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl Isa {
    /// The best one here.
    pub(crate) fn best() -> Self {
        Self::available()[0]
    }

    /// All that work here, the best first.
    pub(crate) fn available() -> &'static [Self] {
        #[cfg(target_arch = "x86_64")]
        {
            const ALL: [Isa; 3] = [Isa(Level::Avx512), Isa(Level::Avx2), Isa(Level::Portable)];
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512bw");
            match (avx512, avx2) {
                (true, true) => &ALL,
                (false, true) => &ALL[1..],
                _ => &ALL[2..],
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        &[Isa(Level::Portable)]
    }
}

/// Each kernel, compiled three times.
macro_rules! dispatched {
    ($(fn $name:ident($($arg:ident: $type:ty),* $(,)?);)*) => {$(
        pub(super) fn $name<S: Real>(isa: Isa, $($arg: $type),*) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
            fn avx512<S: Real>($($arg: $type),*) {
                kernels::$name::<S, Fused>($($arg),*);
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn avx2<S: Real>($($arg: $type),*) {
                kernels::$name::<S, Fused>($($arg),*);
            }
            match isa.0 {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: an `Isa` of this level is made only where the processor has these features.
                Level::Avx512 => unsafe { avx512($($arg),*) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: as above.
                Level::Avx2 => unsafe { avx2($($arg),*) },
                Level::Portable => kernels::$name::<S, Portable>($($arg),*),
            }
        }
    )*};
}

dispatched! {
    fn add_bias(x: &mut [S], bias: &[S]);
    fn add(x: &mut [S], y: &[S]);
    fn add_residual(x: &mut [S], residual: &[S], bias: &[S]);
    fn add_rows(x: &[S], sums: &mut [S]);
    fn multiply_and_add_rows(x: &mut [S], y: &[S], sums: &mut [S]);
    fn gelu(x: &mut [S], bias: &[S], y: &mut [S]);
    fn residual_norm(
        x: &mut [S],
        residual: &[S],
        bias: &[S],
        affine: Affine<'_, S>,
        rstd: &mut [S],
        y: &mut [S],
    );
    fn norm(x: &[S], affine: Affine<'_, S>, normed: &mut [S], rstd: &mut [S], y: &mut [S]);
    fn norm_backward(
        dy: &[S],
        normed: &[S],
        rstd: &[S],
        gamma: &[S],
        dx: &mut [S],
        sums: (&mut [S], &mut [S]),
    );
    fn softmax(x: &mut [S], keys: usize);
    fn masked_softmax(x: &mut [S], hidden: &[bool]);
    fn softmax_backward(dx: &mut [S], weights: &[S], keys: usize);
}

/// The shape of a matrix in a slice: element (i, j) is at `i * strides.0 + j * strides.1`.
#[derive(Debug, Clone, Copy)]
struct Shape {
    rows: usize,
    columns: usize,
    strides: (usize, usize),
}

impl Shape {
    fn rows(rows: usize, columns: usize, stride: usize) -> Self {
        Self { rows, columns, strides: (stride, 1) }
    }

    /// Checks that every element lies in a slice of this length.
    fn check(self, len: usize) -> Self {
        if self.rows > 0 && self.columns > 0 {
            let last = (self.rows - 1)
                .checked_mul(self.strides.0)
                .and_then(|at| at.checked_add((self.columns - 1).checked_mul(self.strides.1)?));
            assert!(last.is_some_and(|last| last < len), "{self:?} leaves its slice of {len}");
        }
        self
    }
}

/// A matrix to read.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a, S> {
    data: &'a [S],
    shape: Shape,
}

impl<'a, S> Matrix<'a, S> {
    /// Rows that begin `stride` apart.
    pub(super) fn rows(data: &'a [S], rows: usize, columns: usize, stride: usize) -> Self {
        Self { data, shape: Shape::rows(rows, columns, stride).check(data.len()) }
    }

    /// A whole slice, row after row.
    pub(super) fn whole(data: &'a [S], columns: usize) -> Self {
        Self::rows(data, data.len() / columns, columns, columns)
    }

    pub(super) fn transposed(self) -> Self {
        let Shape { rows, columns, strides } = self.shape;
        let shape = Shape { rows: columns, columns: rows, strides: (strides.1, strides.0) };
        Self { data: self.data, shape }
    }
}

/// A matrix to write.
pub(super) struct MatrixMut<'a, S> {
    data: &'a mut [S],
    shape: Shape,
}

impl<'a, S> MatrixMut<'a, S> {
    /// Rows that begin `stride` apart.
    pub(super) fn rows(data: &'a mut [S], rows: usize, columns: usize, stride: usize) -> Self {
        let shape = Shape::rows(rows, columns, stride).check(data.len());
        Self { data, shape }
    }

    /// A whole slice, row after row.
    pub(super) fn whole(data: &'a mut [S], columns: usize) -> Self {
        let rows = data.len() / columns;
        Self::rows(data, rows, columns, columns)
    }

    /// `self = scale * a b`.
    pub(super) fn set(self, a: Matrix<'_, S>, b: Matrix<'_, S>, scale: S)
    where
        S: Real,
    {
        self.product(a, b, scale, false);
    }

    /// `self += a b`.
    pub(super) fn add(self, a: Matrix<'_, S>, b: Matrix<'_, S>)
    where
        S: Real,
    {
        self.product(a, b, S::ONE, true);
    }

    /// On the calling thread alone, so that the same sizes give the same bits, whatever else runs.
    fn product(self, a: Matrix<'_, S>, b: Matrix<'_, S>, scale: S, accumulate: bool)
    where
        S: Real,
    {
        let (rows, columns, inner) = (self.shape.rows, self.shape.columns, a.shape.columns);
        let fits = rows == a.shape.rows && columns == b.shape.columns && inner == b.shape.rows;
        assert!(fits, "{:?} = {:?} x {:?}", self.shape, a.shape, b.shape);
        // Slices are shorter than `isize::MAX`, and so are strides within them; the rest are multiplied by 0 only.
        let strides = |shape: Shape| (shape.strides.1 as isize, shape.strides.0 as isize);
        let (c_strides, a_strides, b_strides) = (strides(self.shape), strides(a.shape), strides(b.shape));
        // SAFETY: `Shape::check` has seen that all elements of the three matrices lie in their slices, the sizes
        // agree, `self.data` is borrowed mutably and so overlaps neither of the others, and all three are
        // initialised. `S` is f32 or f64, which `gemm` knows.
        unsafe {
            gemm::gemm(
                rows,
                columns,
                inner,
                self.data.as_mut_ptr(),
                c_strides.0,
                c_strides.1,
                accumulate,
                a.data.as_ptr(),
                a_strides.0,
                a_strides.1,
                b.data.as_ptr(),
                b_strides.0,
                b_strides.1,
                S::ONE,
                scale,
                false,
                false,
                false,
                gemm::Parallelism::None,
            );
        }
    }
}
