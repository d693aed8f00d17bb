//! A scan made ready for alignment.

use geometry::{Cloud, OrderedPoints, Vector, normals};

/// A scan made ready for alignment: thinned with normals for the search, ordered for the fit.
#[derive(Clone, Default)]
pub struct PreparedScan {
    /// All points along a space-filling curve.
    pub ordered: OrderedPoints,
    /// Unit normals by point number, where the file has them.
    pub normals: Vec<Vector>,
    /// Whether normals know their sign.
    pub oriented: bool,
}

impl PreparedScan {
    /// Orders `cloud`. Normals are taken from the file only: the fit does without where there are none.
    pub fn new(cloud: &Cloud) -> Self {
        Self {
            ordered: OrderedPoints::new(&cloud.points),
            normals: cloud.normals.iter().map(|normal| geometry::cloud::vector(*normal)).collect(),
            oriented: normals::face_the_sensor(cloud),
        }
    }
}
