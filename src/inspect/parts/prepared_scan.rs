//! A scan prepared for alignment.

use std::sync::{Arc, OnceLock};

use compute::meshing::Facets;
use geometry::{Cloud, OrderedPoints, Vector, normals};

/// A scan prepared for alignment: points ordered for the fit, normals as far as the file has them.
#[derive(Clone, Default)]
pub struct PreparedScan {
    /// All points in the order of a space-filling curve.
    pub ordered: OrderedPoints,
    /// Unit normals by point index; empty if the file has none.
    pub normals: Vec<Vector>,
    /// Whether the normals are consistently oriented.
    pub oriented: bool,
    /// The surface between the points, once it was asked for.
    pub(super) surface: Arc<OnceLock<Facets>>,
}

impl PreparedScan {
    /// Orders the points of `cloud` and converts its normals; missing normals are not estimated, as the fit does not
    /// need them.
    pub fn new(cloud: &Cloud) -> Self {
        Self {
            ordered: OrderedPoints::new(&cloud.points),
            normals: cloud.normals.iter().map(|normal| geometry::cloud::vector(*normal)).collect(),
            oriented: normals::are_facing_sensor(cloud),
            surface: Arc::default(),
        }
    }
}
