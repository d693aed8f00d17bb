//! Thickness of walls and width of gaps on a CUDA device.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each, require};
use super::flat;
use super::queries::resident_normals;
use super::surface::DeviceSurface;
use crate::Capability;
use crate::thickness::{Method, Request};
use base::Result;

/// `Request` of thickness.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct RequestParameter {
    points: u64,
    normals: u64,
    count: u32,
    is_ray: u32,
    sign: f64,
    max_mm: f64,
    contact_mm: f64,
}

/// A request resident on a device; can be launched repeatedly.
pub struct ThicknessJob<'a> {
    driver: Arc<dyn Driver>,
    surface: Arc<DeviceSurface>,
    request: Request<'a>,
    points: Buffer<f64>,
    normals: Option<Buffer<f64>>,
    thickness_mm: Buffer<f64>,
}

impl<'a> ThicknessJob<'a> {
    /// Uploads the points. `surface` is the resident copy of the surface in the request.
    pub(super) fn new(driver: &Arc<dyn Driver>, surface: Arc<DeviceSurface>, request: &Request<'a>) -> Result<Self> {
        let count = request.points.points.len();
        require(driver.as_ref(), count * (24 + 24 + 8), Request::LABEL)?;
        Ok(Self {
            driver: Arc::clone(driver),
            surface,
            request: *request,
            points: Buffer::from_slice(driver, flat::of_points(&request.points.points))?,
            normals: resident_normals(driver, request.points, request.normals)?,
            thickness_mm: Buffer::new(driver, count)?,
        })
    }

    /// Launches the computation, without waiting for it.
    pub fn launch(&self) -> Result<()> {
        let parameter = RequestParameter {
            points: self.points.address(),
            normals: self.normals.as_ref().map_or(0, Buffer::address),
            count: self.request.points.points.len() as u32,
            is_ray: u32::from(self.request.method == Method::Ray),
            sign: self.request.sign(),
            max_mm: self.request.max_mm,
            contact_mm: self.request.contact_mm(),
        };
        let (surface, answers) = (self.surface.parameter(), self.thickness_mm.address());
        let arguments: [&[u8]; 3] = [bytes_of(&surface), bytes_of(&parameter), bytes_of(&answers)];
        launch_each(self.driver.as_ref(), "thickness", self.request.points.points.len(), &arguments)
    }

    /// Waits for everything launched.
    pub fn wait(&self) -> Result<()> {
        self.driver.synchronize()
    }

    /// Waits for the answers and downloads them, by point index.
    pub fn read(&self) -> Result<Vec<Option<f64>>> {
        let ordered = self.thickness_mm.read_as(|mm| (*mm >= 0.0).then_some(*mm))?;
        Ok(self.request.points.scatter(&ordered))
    }
}
