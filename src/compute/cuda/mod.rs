//! CUDA backend. Computations that fail on the device are repeated on the CPU, with a message.

mod backend;
mod companions;
mod copies;
mod distance_field;
mod distance_offset;
pub mod driver;
mod facet_answers;
mod facet_facet_matching;
mod flat;
mod grid;
mod icp;
pub mod kernels;
mod mesh;
mod meshing;
mod morphological_offset;
mod nearest_descriptors;
mod neighbourhoods;
mod nvidia;
mod order_statistic;
mod page_locked;
mod parallel_planes;
mod point_deviation;
mod point_facet_matching;
mod points;
mod pose_refinement;
mod pose_scores;
mod pose_votes;
mod published_matching;
mod queries;
mod registration;
mod scan;
mod smoothing;
mod sort;
mod statistics;
mod surface;
mod thickness;
mod thinning;
mod tree;
mod voxel_error;
mod voxelisation;
mod voxels;

use std::sync::{Arc, Mutex, PoisonError};

use super::Capability;
use super::registration::{Problem, Target};
use base::{ErrorKind, Progress, Result, UserError};
use copies::Copies;
pub use distance_field::DistanceFieldJob;
pub use distance_offset::DistanceOffsetJob;
use driver::Driver;
pub use facet_facet_matching::FacetFacetJob;
use geometry::Surface;
pub use icp::IcpJob;
pub use meshing::{DeviceFacets, MeshingJob};
pub use morphological_offset::MorphologicalOffsetJob;
pub use nearest_descriptors::NearestDescriptorsJob;
pub use neighbourhoods::NeighbourhoodsJob;
pub use page_locked::PageLockedBuffer;
pub use parallel_planes::ParallelPlanesJob;
pub use point_deviation::PointDeviationJob;
pub use point_facet_matching::PointFacetJob;
use pose_refinement::DeviceLattice;
pub use pose_refinement::PoseRefinementJob;
pub use pose_scores::PoseScoresJob;
pub use pose_votes::PoseVotesJob;
pub use published_matching::{PublishedJob, Step as PublishedStep};
pub use registration::DeviceRegistration;
use registration::DeviceTarget;
pub use smoothing::SmoothingJob;
pub use statistics::StatisticsJob;
pub use surface::DeviceSurface;
pub use thickness::ThicknessJob;
pub use thinning::ThinningJob;
pub use voxelisation::VoxelisationJob;

/// Most surfaces kept on the device: a nominal and a meshed scan.
const MAX_SURFACES: usize = 2;
/// Most lattices about parts kept on the device, of some 10 MB each: those of the parts looked for.
const MAX_LATTICES: usize = 32;

/// The backend of one CUDA device.
pub struct Cuda {
    driver: Arc<dyn Driver>,
    companions: companions::Companions,
    surfaces: Copies<DeviceSurface>,
    lattices: Copies<DeviceLattice>,
    notices: Mutex<Vec<String>>,
}

impl Cuda {
    /// Opens the first GPU. Returns an error if it cannot be used.
    pub fn open() -> Result<Self> {
        Self::open_device(0)
    }

    /// Opens the GPU at an index. Returns an error if it cannot be used.
    pub fn open_device(index: usize) -> Result<Self> {
        let driver = Arc::new(nvidia::Nvidia::open(index)?);
        Ok(Self { companions: companions::Companions::beside(index), ..Self::on(driver) })
    }

    /// Opens the GPU at an index, which shares no work with others. Returns an error if it cannot be used.
    pub fn open_alone(index: usize) -> Result<Self> {
        Ok(Self::on(Arc::new(nvidia::Nvidia::open(index)?)))
    }

    /// Names of all GPUs by index. Returns an error if there are none.
    pub fn names() -> Result<Vec<String>> {
        nvidia::Nvidia::names()
    }

    /// A backend on the given driver, for tests.
    pub fn on(driver: Arc<dyn Driver>) -> Self {
        let companions = companions::Companions::of(Vec::new());
        let (surfaces, lattices) = (Copies::new(MAX_SURFACES), Copies::new(MAX_LATTICES));
        Self { driver, companions, surfaces, lattices, notices: Mutex::new(Vec::new()) }
    }

    /// A backend on several drivers, for tests: long work is shared among them.
    pub fn on_several(driver: Arc<dyn Driver>, companions: Vec<Arc<dyn Driver>>) -> Self {
        Self { companions: companions::Companions::of(companions), ..Self::on(driver) }
    }

    /// Uploads the data of a request, for callers that launch it repeatedly.
    pub fn prepare_point_deviation<'a>(
        &self,
        request: &super::point_deviation::Request<'a>,
    ) -> Result<PointDeviationJob<'a>> {
        PointDeviationJob::new(&self.driver, self.surface(request.surface)?, request)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_point_facet_matching(
        &self,
        request: &super::point_facet_matching::Request<'_>,
    ) -> Result<PointFacetJob> {
        PointFacetJob::new(&self.driver, request)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_facet_facet_matching(
        &self,
        request: &super::facet_facet_matching::Request<'_>,
    ) -> Result<FacetFacetJob> {
        FacetFacetJob::new(&self.driver, self.surface(request.scan)?, request)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_parallel_planes<'a>(
        &self,
        request: &super::parallel_planes::Request<'a>,
    ) -> Result<ParallelPlanesJob<'a>> {
        ParallelPlanesJob::new(&self.driver, request)
    }

    /// As [`Self::prepare_point_deviation`]; not for sides by winding numbers.
    pub fn prepare_distance_offset<'a>(
        &self,
        request: &super::distance_offset::Request<'a>,
    ) -> Result<DistanceOffsetJob<'a>> {
        Ok(DistanceOffsetJob::new(&self.driver, self.surface(request.solid.surface())?, request))
    }

    /// As [`Self::prepare_point_deviation`]; not for sides by winding numbers.
    pub fn prepare_distance_field<'a>(
        &self,
        request: &super::distance_field::Request<'a>,
    ) -> Result<DistanceFieldJob<'a>> {
        Ok(DistanceFieldJob::new(&self.driver, self.surface(request.solid.surface())?, request))
    }

    /// As [`Self::prepare_point_deviation`]; `None` if the points are too few to be meshed.
    pub fn prepare_meshing(&self, request: &super::meshing::Request<'_>) -> Result<Option<MeshingJob>> {
        MeshingJob::new(&self.driver, request)
    }

    /// As [`Self::prepare_point_deviation`]; for templates that are not decided by distances.
    pub fn prepare_morphological_offset<'a>(
        &self,
        request: &super::morphological_offset::Request<'a>,
    ) -> Result<MorphologicalOffsetJob<'a>> {
        MorphologicalOffsetJob::new(&self.driver, &self.companions, request)
    }

    /// Measures an offset volume; `None` if it lies too far from its source to be measured on the device.
    pub fn measure_voxels(
        &self,
        request: &super::voxel_error::Request<'_>,
    ) -> Result<Option<super::voxel_error::Answer>> {
        voxel_error::measure(&self.driver, request)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_nearest_descriptors(
        &self,
        request: &super::nearest_descriptors::Request<'_>,
    ) -> Result<NearestDescriptorsJob> {
        NearestDescriptorsJob::new(&self.driver, request)
    }

    /// As [`Self::prepare_point_deviation`]. Returns an error if the lattice is not complete and the fit not rough: the device
    /// has its lists alone.
    pub fn prepare_pose_refinement(&self, request: &super::pose_refinement::Request<'_>) -> Result<PoseRefinementJob> {
        if !request.is_rough && !request.lattice.is_complete() {
            return Err(UserError::internal("A close fit on the GPU needs all facets near a position."));
        }
        let lattice = self.lattices.get_or_upload(request.lattice.id(), || {
            driver::require(self.driver.as_ref(), DeviceLattice::bytes(request.lattice), "The part")?;
            DeviceLattice::new(&self.driver, request.lattice)
        })?;
        PoseRefinementJob::new(&self.driver, lattice, request)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_pose_scores(&self, request: &super::pose_scores::Request<'_>) -> Result<PoseScoresJob> {
        PoseScoresJob::new(&self.driver, request)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_pose_votes<'a>(&self, request: &super::pose_votes::Request<'a>) -> Result<PoseVotesJob<'a>> {
        PoseVotesJob::new(&self.driver, request)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_registration(&self, problem: &Problem<'_>) -> Result<DeviceRegistration> {
        let target = match problem.target {
            Target::Surface(surface) => {
                DeviceTarget::surface(&self.driver, self.surface(surface)?, problem.points.points.len())?
            }
            Target::Cloud { points, normals, .. } => DeviceTarget::cloud(&self.driver, points, normals)?,
        };
        DeviceRegistration::new(&self.driver, target, problem)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_icp(
        &self,
        problem: &super::icp::Problem<'_>,
        parameters: &super::icp::Parameters,
        progress: &Progress,
    ) -> Result<IcpJob> {
        IcpJob::new(&self.driver, problem, parameters, progress)
    }

    /// Point-facet matching as first published, for benchmarks.
    pub fn prepare_published_points(&self, request: &super::point_facet_matching::Request<'_>) -> Result<PublishedJob> {
        PublishedJob::of_points(&self.driver, request)
    }

    /// Facet-facet matching as first published, for benchmarks.
    pub fn prepare_published_facets(&self, request: &super::facet_facet_matching::Request<'_>) -> Result<PublishedJob> {
        PublishedJob::of_facets(&self.driver, request)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_neighbourhoods(&self, request: &super::neighbourhoods::Request<'_>) -> Result<NeighbourhoodsJob> {
        NeighbourhoodsJob::new(&self.driver, request)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_smoothing(&self, request: &super::smoothing::Request<'_>) -> Result<SmoothingJob> {
        SmoothingJob::new(&self.driver, request)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_statistics(&self, request: &super::statistics::Request<'_>) -> Result<StatisticsJob> {
        StatisticsJob::new(&self.driver, request)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_thickness<'a>(&self, request: &super::thickness::Request<'a>) -> Result<ThicknessJob<'a>> {
        ThicknessJob::new(&self.driver, self.surface(request.surface)?, request)
    }

    /// As [`Self::prepare_point_deviation`].
    pub fn prepare_thinning(&self, request: &super::thinning::Request<'_>) -> Result<ThinningJob> {
        ThinningJob::new(&self.driver, request)
    }

    /// As [`Self::prepare_point_deviation`]; not for sides by winding numbers.
    pub fn prepare_voxelisation<'a>(&self, request: &super::voxelisation::Request<'a>) -> Result<VoxelisationJob<'a>> {
        Ok(VoxelisationJob::new(&self.driver, self.surface(request.solid.surface())?, request))
    }

    /// Uploads a surface without keeping it for other requests, for benchmarks.
    pub fn prepare_surface(&self, surface: &Surface) -> Result<DeviceSurface> {
        DeviceSurface::new(&self.driver, surface)
    }

    /// `count` zeros in page-locked host memory, for data that is uploaded repeatedly.
    pub fn page_locked<T: bytemuck::Pod>(&self, count: usize) -> Result<PageLockedBuffer<T>> {
        PageLockedBuffer::zeros(&self.driver, count)
    }

    /// Releases what is kept on the device.
    pub fn forget(&self) {
        self.surfaces.forget();
        self.lattices.forget();
    }

    /// The driver of the device.
    pub fn driver(&self) -> &Arc<dyn Driver> {
        &self.driver
    }

    /// The resident copy of `surface`, uploaded on first use.
    fn surface(&self, surface: &Surface) -> Result<Arc<DeviceSurface>> {
        self.surfaces.get_or_upload(surface.id(), || {
            driver::require(self.driver.as_ref(), DeviceSurface::bytes(surface), "The surface")?;
            DeviceSurface::new(&self.driver, surface)
        })
    }

    fn record_notice(&self, error: &UserError) {
        let notice = format!("{} This step was computed on the processor.", error.sentence);
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).push(notice);
    }

    /// Computes `request` on the device, or on the CPU if the device fails. Checks for cancellation before and after.
    pub(super) fn compute_or_fall_back<C: Capability>(&self, request: &C, progress: &Progress) -> Result<C::Answer> {
        progress.report(0.0, C::LABEL)?;
        let answer = match request.on_cuda(self, progress) {
            Err(error) if error.kind != ErrorKind::Cancelled && !request.is_request_error(&error) => {
                self.record_notice(&error);
                request.on_cpu(progress)
            }
            answer => answer,
        }?;
        progress.check()?;
        Ok(answer)
    }
}
