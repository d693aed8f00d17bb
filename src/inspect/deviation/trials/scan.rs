//! Simulated scans: points at random on the whole surface, with noise along its normals.

use rayon::prelude::*;

use base::random::Random;
use geometry::sampling::{self, SurfaceSample};
use geometry::{KdTree, Point, Surface, Vector};

/// Number of waves of a correlated field.
const WAVES: usize = 120;

/// Form of the noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoiseForm {
    /// Independent from point to point.
    White,
    /// Half of the variance is correlated over two spacings.
    Short,
    /// Half of the variance is correlated over six spacings.
    Long,
    /// Independent, with a point in 300 that lies anywhere up to fifty standard deviations off.
    Flies,
}

impl NoiseForm {
    /// All forms.
    pub const ALL: [Self; 4] = [Self::White, Self::Short, Self::Long, Self::Flies];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Short => "correlated over 2 spacings",
            Self::Long => "correlated over 6 spacings",
            Self::Flies => "white with fly points",
        }
    }
}

/// Points on a surface.
pub(super) struct Scan {
    pub samples: Vec<SurfaceSample>,
    pub tree: KdTree,
    /// Mean spacing, mm.
    pub spacing_mm: f64,
}

impl Scan {
    pub fn of(surface: &Surface, count: usize, random: &mut Random) -> Self {
        let samples = sampling::by_area(surface.mesh(), count, (random.uniform() * 1e15) as u64);
        let points: Vec<Point> = samples.iter().map(|own| own.point).collect();
        let spacing_mm = (surface.mesh().area_mm2() / count as f64).sqrt();
        Self { samples, tree: KdTree::new(&points), spacing_mm }
    }

    /// Noise of each point, mm.
    pub fn noise_mm(&self, sigma_mm: f64, form: NoiseForm, random: &mut Random) -> Vec<f64> {
        let length_mm = match form {
            NoiseForm::Short => 2.0 * self.spacing_mm,
            NoiseForm::Long => 6.0 * self.spacing_mm,
            NoiseForm::White | NoiseForm::Flies => 0.0,
        };
        let white: Vec<f64> = self.samples.iter().map(|_| sigma_mm * random.normal()).collect();
        if form == NoiseForm::Flies {
            let fly =
                |own: f64| if random.uniform() < 1.0 / 300.0 { 50.0 * sigma_mm * random.range(-1.0, 1.0) } else { own };
            return white.into_iter().map(fly).collect();
        }
        if !(length_mm > 0.0) {
            return white;
        }
        let field = field(length_mm, random);
        let half = std::f64::consts::FRAC_1_SQRT_2;
        self.samples.par_iter().zip(white).map(|(own, white)| half * (white + sigma_mm * field(&own.point))).collect()
    }

    /// The measured points.
    pub fn measured(&self, noise_mm: &[f64]) -> Vec<Point> {
        self.samples.iter().zip(noise_mm).map(|(own, mm)| own.point + own.normal * *mm).collect()
    }
}

/// A field of unit variance with the correlation exp(-(d/length)²), as a sum of waves.
pub(crate) fn field(length_mm: f64, random: &mut Random) -> impl Fn(&Point) -> f64 + Sync + use<> {
    let scale = std::f64::consts::SQRT_2 / length_mm;
    let waves: Vec<(Vector, f64)> = (0..WAVES)
        .map(|_| {
            let direction = Vector::new(random.normal(), random.normal(), random.normal()) * scale;
            (direction, random.range(0.0, std::f64::consts::TAU))
        })
        .collect();
    let amplitude = (2.0 / WAVES as f64).sqrt();
    move |point: &Point| {
        amplitude * waves.iter().map(|(wave, phase)| (wave.dot(&point.coords) + phase).cos()).sum::<f64>()
    }
}
