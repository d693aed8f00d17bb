//! What a reader had to mend or leave out, as counts and as sentences.

use serde::{Deserialize, Serialize};

use super::topology::Topology;
use super::winding::Orientation;

/// Faults found in a mesh file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MeshFindings {
    /// Facets without area, dropped.
    pub degenerate_facets: usize,
    /// Facets with a corner that is not a finite number, dropped.
    pub not_finite_facets: usize,
    /// Vertices that an indexed file held twice, merged.
    pub merged_vertices: usize,
    /// Corners on open edges that nearly coincided with another, joined to it.
    pub closed_cracks: usize,
    /// Edges with a facet on one side only.
    pub open_edges: usize,
    /// Edges with more than two facets.
    pub crowded_edges: usize,
    /// Edges along which one facet is inside out.
    pub turned_edges: usize,
    /// Whether a closed mesh faces inward everywhere.
    pub inside_out: bool,
    /// Closed shells that were turned to face outward.
    pub turned_outward: usize,
    /// Closed shells that were turned to face inward: cavities.
    pub turned_inward: usize,
    /// Facets of those that were turned.
    pub turned_facets: usize,
    /// Closed shells that overlap others, so that it is not known which are cavities: left as they are.
    pub undecided_shells: usize,
    /// Centre of the box around those, mm.
    pub undecided_centre_mm: [f64; 3],
}

impl MeshFindings {
    /// Adds what the topology shows.
    pub fn with_topology(mut self, topology: &Topology, volume_mm3: f64) -> Self {
        self.open_edges = topology.open_edges;
        self.crowded_edges = topology.crowded_edges;
        self.turned_edges = topology.turned_edges;
        self.inside_out = topology.is_closed() && volume_mm3 < 0.0;
        self
    }

    /// Adds what was turned on loading, and what could not be decided.
    pub fn with_orientation(mut self, orientation: &Orientation) -> Self {
        self.turned_outward = orientation.outward;
        self.turned_inward = orientation.inward;
        self.turned_facets = orientation.facets;
        self.with_undecided(orientation)
    }

    /// Adds the shells that could not be decided.
    pub fn with_undecided(mut self, orientation: &Orientation) -> Self {
        self.undecided_shells = orientation.undecided;
        self.undecided_centre_mm = orientation.undecided_bounds.centre().coords.into();
        self
    }

    /// One sentence per fault; empty for a clean mesh.
    pub fn sentences(&self) -> Vec<String> {
        let counted = [
            (self.degenerate_facets, "facets without area were skipped"),
            (self.not_finite_facets, "facets with coordinates that are not numbers were skipped"),
            (self.merged_vertices, "duplicate vertices were merged"),
            (self.closed_cracks, "corners along cracks in the mesh were joined"),
            (self.open_edges, "open edges: beyond them a deviation has no side and is left out"),
            (self.crowded_edges, "edges are shared by more than two facets"),
            (self.turned_edges, "edges lie between facets of opposite winding; “Unify winding” turns them"),
        ];
        let mut sentences: Vec<String> =
            counted.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}.")).collect();
        if self.turned_facets > 0 {
            sentences.push(format!(
                "Closed shells were turned by how they lie in each other: {} outward, {} inward as cavities ({} \
                 facets).",
                self.turned_outward, self.turned_inward, self.turned_facets
            ));
        }
        if self.undecided_shells > 0 {
            let [x, y, z] = self.undecided_centre_mm;
            sentences.push(format!(
                "{} closed shells overlap, so it is not known which are cavities: loading left them as they are, and \
                 the sign of deviations is open there, about ({x:.2}, {y:.2}, {z:.2}) mm.",
                self.undecided_shells
            ));
        }
        if self.inside_out {
            sentences.push("The mesh is inside out: deviations change sign. “Unify winding” turns it.".into());
        }
        sentences
    }
}

/// Faults found in a point file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CloudFindings {
    /// Points with a coordinate that is not a finite number, or marked invalid: skipped.
    pub not_finite_points: usize,
    /// Points at exactly the place of another.
    pub duplicate_points: usize,
}

impl CloudFindings {
    /// One sentence per fault; empty for a clean cloud.
    pub fn sentences(&self) -> Vec<String> {
        let counted = [
            (
                self.not_finite_points,
                "point without finite coordinates was skipped",
                "points without finite coordinates were skipped",
            ),
            (self.duplicate_points, "point lies exactly on another", "points lie exactly on another"),
        ];
        let found = counted.iter().filter(|(count, ..)| *count > 0);
        found.map(|(count, one, many)| format!("{}.", base::counted(*count, one, many))).collect()
    }
}
