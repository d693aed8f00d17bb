//! Features of the nominal on CAD faces, each made once.

use std::collections::BTreeMap;

use super::PmiFeature;
use crate::features::nominal::on_facets;
use crate::features::{Kind, Shape};
use crate::tolerances::Side;
use base::Progress;
use geometry::{Mesh, Subset, triangle};
use io::cad::pmi::{DatumFeature, Pmi, SurfaceKind};

/// Why something cannot be evaluated, without a full stop.
pub(super) type Refusal<T> = std::result::Result<T, String>;

/// The features made so far, by their CAD faces.
pub(super) struct FeatureTable<'a> {
    pmi: &'a Pmi,
    mesh: &'a Mesh,
    facets_by_face: BTreeMap<u32, Vec<u32>>,
    features: BTreeMap<Vec<u32>, PmiFeature>,
    order: Vec<Vec<u32>>,
}

impl<'a> FeatureTable<'a> {
    pub fn new(pmi: &'a Pmi, mesh: &'a Mesh) -> Self {
        let mut facets_by_face: BTreeMap<u32, Vec<u32>> = pmi.surfaces.keys().map(|face| (*face, Vec::new())).collect();
        for (facet, face) in (0_u32..).zip(&mesh.cad_faces) {
            if let Some(facets) = facets_by_face.get_mut(face) {
                facets.push(facet);
            }
        }
        Self { pmi, mesh, facets_by_face, features: BTreeMap::new(), order: Vec::new() }
    }

    /// Diagonal of the part, mm.
    pub fn diagonal_mm(&self) -> f64 {
        self.mesh.bounds().diagonal()
    }

    /// The facets of CAD faces.
    pub fn facets(&self, faces: &[u32]) -> Subset {
        let of = |face: &u32| self.facets_by_face.get(face).into_iter().flatten().copied();
        Subset::new(faces.iter().flat_map(of).collect())
    }

    /// The feature on CAD faces, called `Kind letter` if a datum letter is given, else numbered.
    pub fn feature(&mut self, faces: &[u32], letter: Option<&str>) -> Refusal<&PmiFeature> {
        let mut key = faces.to_vec();
        key.sort_unstable();
        key.dedup();
        if !self.features.contains_key(&key) {
            let (kind, facets, nominal) = self.measured(&key)?;
            let same = self.features.values().filter(|own| own.kind == kind).count();
            let name = letter.map_or_else(|| (same + 1).to_string(), str::to_owned);
            let name = format!("{} {name}", kind.name());
            self.features.insert(key.clone(), PmiFeature { name, kind, facets, nominal });
            self.order.push(key.clone());
        }
        self.features.get(&key).ok_or_else(|| "its feature is missing".to_owned())
    }

    fn measured(&self, faces: &[u32]) -> Refusal<(Kind, Subset, Shape)> {
        if faces.is_empty() {
            return Err("the file names no face for it".to_owned());
        }
        let facets = self.facets(faces);
        if facets.is_empty() {
            return Err("its faces have no facets: they could not be meshed, or were removed".to_owned());
        }
        if faces.len() > 1 && !is_connected(self.mesh, &facets) {
            return Err("its faces are apart, and each of them needs an evaluation of its own".to_owned());
        }
        let kinds = faces.iter().map(|face| self.pmi.surfaces.get(face).copied().unwrap_or(SurfaceKind::Other));
        let mut kinds: Vec<SurfaceKind> = kinds.collect();
        kinds.dedup();
        let kind = match kinds[..] {
            [SurfaceKind::Plane] => Kind::Plane,
            [SurfaceKind::Cylinder] => Kind::Cylinder,
            [SurfaceKind::Cone] => Kind::Cone,
            [SurfaceKind::Sphere] => Kind::Sphere,
            [SurfaceKind::Torus] => Kind::Torus,
            [SurfaceKind::Other] => return Err("features of free-form faces are not fitted".to_owned()),
            _ => return Err("its faces are of several kinds".to_owned()),
        };
        let shape = on_facets(kind, self.mesh, &facets, &Progress::silent());
        let shape =
            shape.map_err(|_| format!("its {} faces do not form one {}", faces.len(), kind.name().to_lowercase()))?;
        Ok((kind, facets, shape))
    }

    /// Whether a cylinder or sphere on the facets is a hole or a shaft: by the side on which its material lies.
    pub fn side(&self, feature: &PmiFeature) -> Option<Side> {
        let centre = feature.nominal.position();
        let axis = feature.nominal.direction();
        let outward: f64 = feature
            .facets
            .iter()
            .map(|facet| {
                let corners = self.mesh.corners(*facet as usize);
                let from_centre = triangle::centroid(&corners) - centre;
                let along = axis.map_or_else(Default::default, |axis| axis * from_centre.dot(&axis));
                (from_centre - along).dot(&(corners[1] - corners[0]).cross(&(corners[2] - corners[0])))
            })
            .sum();
        (outward != 0.0).then_some(if outward > 0.0 { Side::External } else { Side::Internal })
    }

    /// The feature of a name.
    pub fn named(&self, name: &str) -> Option<&PmiFeature> {
        self.features.values().find(|own| own.name == name)
    }

    /// All features, in the order in which they were asked for.
    pub fn into_features(mut self) -> Vec<PmiFeature> {
        self.order.iter().filter_map(|key| self.features.remove(key)).collect()
    }
}

/// Whether facets hang together by vertices.
fn is_connected(mesh: &Mesh, facets: &Subset) -> bool {
    let corners: Vec<[u32; 3]> = facets.iter().map(|facet| mesh.facets[*facet as usize]).collect();
    let mut by_vertex: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, own) in corners.iter().enumerate() {
        own.iter().for_each(|vertex| by_vertex.entry(*vertex).or_default().push(index));
    }
    let (mut reached, mut open) = (vec![false; corners.len()], vec![0]);
    while let Some(index) = open.pop() {
        if std::mem::replace(&mut reached[index], true) {
            continue;
        }
        for vertex in corners[index] {
            open.extend(by_vertex.remove(&vertex).unwrap_or_default());
        }
    }
    reached.into_iter().all(|own| own)
}

/// The name of a datum's feature.
pub(super) fn of_datum(datum: &DatumFeature, table: &mut FeatureTable<'_>) -> Refusal<String> {
    if !datum.target.is_empty() {
        return Err(format!("datum targets (here: {}) are not evaluated", datum.target));
    }
    table.feature(&datum.faces, Some(&datum.letter)).map(|feature| feature.name.clone())
}
