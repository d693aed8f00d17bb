//! Defects found in mesh and point files: counts, and sentences for the operator.

use serde::{Deserialize, Serialize};

use super::topology::Topology;
use super::winding::Orientation;

/// Defects found in a mesh file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MeshFindings {
    /// Degenerate facets (zero area), dropped.
    pub degenerate_facets: usize,
    /// Facets with a non-finite coordinate, dropped.
    pub not_finite_facets: usize,
    /// Duplicate vertices of an indexed file, merged.
    pub merged_vertices: usize,
    /// Boundary vertices that nearly coincided with another, merged with it.
    pub closed_cracks: usize,
    /// Edges of exactly one facet (boundary edges).
    pub open_edges: usize,
    /// Edges of more than two facets.
    #[serde(rename = "crowded_edges")]
    pub non_manifold_edges: usize,
    /// Edges whose two facets have opposite winding.
    #[serde(rename = "turned_edges")]
    pub inconsistent_edges: usize,
    /// Whether the mesh is closed and has negative volume: all facets face inward.
    pub inside_out: bool,
    /// Closed shells reoriented to face outward.
    pub turned_outward: usize,
    /// Closed shells reoriented to face inward (cavities).
    pub turned_inward: usize,
    /// Facets reversed in those shells.
    pub turned_facets: usize,
    /// Closed shells that overlap others, so that cavities cannot be identified; left unchanged.
    pub undecided_shells: usize,
    /// Centre of the bounding box of those shells, mm.
    pub undecided_centre_mm: [f64; 3],
    /// Whether they are taken as one solid, as each of them has a part outside all others.
    pub is_union: bool,
    /// Area over which bodies touch each other face to face, mm².
    pub touching_mm2: f64,
    /// Centre of that area, mm.
    pub touching_centre_mm: [f64; 3],
}

impl MeshFindings {
    /// Adds the edge counts of `topology`, and whether the mesh is inside out.
    pub fn with_topology(mut self, topology: &Topology, volume_mm3: f64) -> Self {
        self.open_edges = topology.open_edges;
        self.non_manifold_edges = topology.non_manifold_edges;
        self.inconsistent_edges = topology.inconsistent_edges;
        self.inside_out = topology.is_closed() && volume_mm3 < 0.0;
        self
    }

    /// Adds the shells reoriented on loading and those left undecided.
    pub fn with_orientation(mut self, orientation: &Orientation) -> Self {
        self.turned_outward = orientation.outward;
        self.turned_inward = orientation.inward;
        self.turned_facets = orientation.facets;
        self.with_undecided(orientation)
    }

    /// Adds the shells whose orientation could not be decided.
    pub fn with_undecided(mut self, orientation: &Orientation) -> Self {
        self.undecided_shells = orientation.undecided;
        self.undecided_centre_mm = orientation.undecided_bounds.centre().coords.into();
        self.is_union = orientation.is_union;
        (self.touching_mm2, self.touching_centre_mm) = (orientation.touching_mm2, orientation.touching_centre_mm);
        self
    }

    /// One sentence per kind of defect; empty for a clean mesh.
    pub fn sentences(&self) -> Vec<String> {
        let counted = [
            (self.degenerate_facets, "degenerate facets (zero area) were skipped"),
            (self.not_finite_facets, "facets with non-finite coordinates were skipped"),
            (self.merged_vertices, "duplicate vertices were merged"),
            (self.closed_cracks, "vertices along cracks in the mesh were merged"),
            (self.open_edges, "open edges: deviations beyond them have no sign and are left out"),
            (self.non_manifold_edges, "non-manifold edges (shared by more than two facets)"),
            (self.inconsistent_edges, "edges lie between facets of opposite winding; “Unify winding” corrects them"),
        ];
        let mut sentences: Vec<String> =
            counted.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}.")).collect();
        if self.turned_facets > 0 {
            sentences.push(format!(
                "Closed shells were reoriented by their nesting: {} outward, {} inward as cavities ({} facets).",
                self.turned_outward, self.turned_inward, self.turned_facets
            ));
        }
        if self.undecided_shells > 0 {
            let [x, y, z] = self.undecided_centre_mm;
            sentences.push(match self.is_union {
                true => format!(
                    "{} closed shells overlap, near ({x:.2}, {y:.2}, {z:.2}) mm, and are taken as one solid, none as a \
                     cut-out: their faces inside each other bound nothing, and points nearest to these are not evaluated.",
                    self.undecided_shells
                ),
                false => format!(
                    "{} closed shells overlap, so cavities cannot be identified: they were loaded unchanged, and the sign \
                     of deviations is undefined there, near ({x:.2}, {y:.2}, {z:.2}) mm.",
                    self.undecided_shells
                ),
            });
        }
        if self.touching_mm2 > 0.0 {
            let [x, y, z] = self.touching_centre_mm;
            sentences.push(format!(
                "Bodies touch each other face to face, on about {:.2} mm², near ({x:.2}, {y:.2}, {z:.2}) mm: the faces \
                 between them bound nothing.",
                self.touching_mm2
            ));
        }
        if self.inside_out {
            sentences
                .push("The mesh is inside out: deviations have the wrong sign. “Unify winding” corrects it.".into());
        }
        sentences
    }
}

/// Defects found in a point file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CloudFindings {
    /// Points with a non-finite coordinate or marked invalid, skipped.
    pub not_finite_points: usize,
    /// Facets of a mesh with a non-finite coordinate, skipped.
    #[serde(default)]
    pub not_finite_facets: usize,
    /// Points with exactly the coordinates of another.
    pub duplicate_points: usize,
}

impl CloudFindings {
    /// One sentence per kind of defect; empty for a clean cloud.
    pub fn sentences(&self) -> Vec<String> {
        let counted = [
            (
                self.not_finite_points,
                "point without finite coordinates was skipped",
                "points without finite coordinates were skipped",
            ),
            (
                self.not_finite_facets,
                "facet with non-finite coordinates was skipped",
                "facets with non-finite coordinates were skipped",
            ),
            (self.duplicate_points, "point coincides exactly with another", "points coincide exactly with another"),
        ];
        let found = counted.iter().filter(|(count, ..)| *count > 0);
        found.map(|(count, one, many)| format!("{}.", base::counted(*count, one, many))).collect()
    }
}
