//! Commands on the selection and visibility of the scan's points and the nominal's facets.

use std::path::{Path, PathBuf};

use super::edit::Execution;
use super::{Context, Edit};
use base::{Progress, Result, UserError, full_path};
use compute::point_deviation::PointDeviation;
use geometry::{Combine, Subset};
use inspect::deviation;
use inspect::selection::MIN_EDGE_ANGLE_RAD;
use io::write;
use render::selecting::{Brushed, Stroke};
use session::Document;
use session::rooms::nominal_and_scan_required;
use session::selection::{NamedSelection, Selectable, SelectionState};

/// Selection commands.
#[derive(Clone, Debug)]
pub enum Select {
    /// Changes the selection by the scan's points inside a brush stroke.
    Brush {
        /// The brush stroke.
        stroke: Brushed,
        /// How it is combined with the selection.
        how: Combine,
    },
    /// Changes the selection by points or facets given by index.
    Numbers(Selectable, Subset, Combine),
    /// Changes the selection by the nominal's facets inside a brush stroke.
    BrushFacets {
        /// The brush stroke.
        stroke: Box<Stroke>,
        /// How it is combined with the selection.
        how: Combine,
    },
    /// Extends the selection of facets to whole faces.
    WholeFaces,
    /// Selects the points whose closest point on the nominal lies on a selected facet.
    PointsOnFacets,
    /// Selects the facets of an own tolerance of the comparison, by its index.
    FacesOfOwnTolerance(usize),
    /// Clears both selections.
    Nothing,
    /// Inverts the selection; hidden items stay unselected.
    Invert(Selectable),
    /// Changes which points or facets are shown.
    Show(Selectable, Visibility),
    /// Writes the selection to a file.
    Export(Selectable, PathBuf),
    /// Stores the selection under a name.
    Name(Selectable, String),
    /// Deletes a named selection, by its index.
    Forget(usize),
}

impl Select {
    pub(super) fn execution(self, before: Document, context: Context) -> Result<Execution> {
        Ok(match self {
            Self::Brush { stroke: found @ Brushed::Points(_), how } => Execution::Now(brush(&found, how, &before)?),
            Self::Brush { stroke, how } => Execution::work("Selecting", move |_, _| brush(&stroke, how, &before)),
            Self::Numbers(of, stroke, how) => Execution::Now(select(of, &stroke, how, &before)?),
            Self::BrushFacets { stroke, how } => {
                Execution::work("Selecting", move |_, _| brush_facets(&stroke, how, &before))
            }
            Self::WholeFaces => Execution::Now(whole_faces(&before)?),
            Self::PointsOnFacets => Execution::work("Selecting the points on facets", move |progress, _| {
                points_on_facets(&before, &context, progress)
            }),
            Self::FacesOfOwnTolerance(index) => Execution::Now(faces_of_own_tolerance(index, &before)?),
            Self::Nothing => Execution::Now(Edit::new("Select nothing", |document| {
                Selectable::ALL.into_iter().for_each(|of| document.marked_mut(of).selected = Subset::default());
            })),
            Self::Invert(of) => Execution::Now(invert(of, &before)?),
            Self::Show(of, which) => Execution::Now(show(of, which, &before)?),
            Self::Export(of, path) => {
                Execution::work("Exporting the selection", move |_, _| export(of, &path, &before))
            }
            Self::Name(of, given) => Execution::Now(name(of, &given, &before)?),
            Self::Forget(index) => Execution::Now(Edit::new("Delete a selection", move |document| {
                if index < document.selections.len() {
                    document.selections.remove(index);
                }
            })),
        })
    }
}

fn count(of: Selectable, document: &Document) -> Result<usize> {
    document.count(of).ok_or_else(|| match of {
        Selectable::Points => UserError::usage("Load a scan first."),
        Selectable::Facets => UserError::usage("Load a nominal first."),
    })
}

/// The selected points or facets. Returns an error if none are selected.
pub(super) fn selected(of: Selectable, document: &Document) -> Result<Subset> {
    let selected = &document.marked(of).selected;
    if selected.is_empty() {
        return Err(UserError::usage(format!("Brush some {} first.", of.name())));
    }
    Ok(selected.clone())
}

fn change(label: &str, of: Selectable, selected: Subset) -> Edit {
    Edit::new(label, move |document| document.marked_mut(of).selected = selected)
}

fn select(of: Selectable, stroke: &Subset, how: Combine, document: &Document) -> Result<Edit> {
    if !stroke.is_within(count(of, document)?) {
        return Err(UserError::internal("A brush stroke refers to points or facets that do not exist."));
    }
    let label = format!("Select {}", of.name());
    Ok(change(&label, of, document.marked(of).selected.combined(stroke, how)))
}

fn brush(stroke: &Brushed, how: Combine, document: &Document) -> Result<Edit> {
    count(Selectable::Points, document)?;
    let points = document.actual().map_or(&[][..], |actual| &actual.cloud.points);
    select(Selectable::Points, &stroke.of(points), how, document)
}

fn brush_facets(stroke: &Stroke, how: Combine, document: &Document) -> Result<Edit> {
    count(Selectable::Facets, document)?;
    let found = document.nominal().map(|nominal| stroke.facets(&nominal.surface)).unwrap_or_default();
    select(Selectable::Facets, &found, how, document)
}

fn invert(of: Selectable, document: &Document) -> Result<Edit> {
    let marked = document.marked(of);
    let others = marked.selected.inverted(count(of, document)?);
    Ok(change("Invert the selection", of, others.combined(&marked.hidden, Combine::Remove)))
}

/// Extends the selection of facets to whole faces.
fn whole_faces(document: &Document) -> Result<Edit> {
    let seeds = selected(Selectable::Facets, document)?;
    let Some(nominal) = document.nominal() else { return Err(UserError::usage("Load a nominal first.")) };
    let faces = nominal.surface.mesh().whole_faces(nominal.surface.topology(), &seeds, MIN_EDGE_ANGLE_RAD);
    Ok(change("Select whole faces", Selectable::Facets, faces))
}

fn faces_of_own_tolerance(index: usize, document: &Document) -> Result<Edit> {
    let Some(nominal) = document.nominal() else { return Err(UserError::usage("Load a nominal first.")) };
    let Some(own) = document.settings.deviation.own_tolerances.get(index) else {
        return Err(UserError::usage("This own tolerance no longer exists."));
    };
    let facets = own.faces.on(nominal).map_err(|error| error.about(&format!("“{}”", own.name)))?;
    Ok(change("Select facets", Selectable::Facets, facets))
}

/// Selects the scan's points whose closest point on the nominal, within the distance and angle limits of the
/// comparison, lies on a selected facet.
fn points_on_facets(document: &Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let facets = selected(Selectable::Facets, document)?;
    let (Some(nominal), Some(actual)) = (document.nominal(), document.actual()) else {
        return Err(nominal_and_scan_required());
    };
    let (parameters, pose) = (&document.settings.deviation, document.nominal_from_scan());
    parameters.check()?;
    let backend = context.backend.as_ref();
    let points = deviation::closest(backend, &nominal.surface, &actual.scan(), &pose, parameters, progress)?;
    let is_on = |(_, point): &(u32, &PointDeviation)| point.value().is_some() && facets.contains(point.facet);
    let found: Vec<u32> = (0..).zip(&points).filter(is_on).map(|(index, _)| index).collect();
    if found.is_empty() {
        let max_distance_mm = parameters.max_distance_mm;
        return Err(UserError::input(format!(
            "No point of the scan lies within {max_distance_mm} mm of the selected facets. Align first, or allow a \
             larger distance."
        )));
    }
    let note = format!("{} points lie on the selected facets.", found.len());
    let found = Subset::new(found).combined(&document.points.hidden, Combine::Remove);
    Ok(change("Select the points on facets", Selectable::Points, found).with_notes([note]))
}

/// Which points or facets are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// All.
    All,
    /// Those that are shown, but not the selected ones.
    WithoutSelected,
    /// The selected ones.
    OnlySelected,
}

fn show(of: Selectable, which: Visibility, document: &Document) -> Result<Edit> {
    let what = of.name();
    if which == Visibility::All {
        let apply = move |document: &mut Document| document.marked_mut(of).hidden = Subset::default();
        return Ok(Edit::new(format!("Show all {what}"), apply));
    }
    let (selected, count) = (selected(of, document)?, count(of, document)?);
    Ok(match which {
        Visibility::OnlySelected => {
            let hidden = selected.inverted(count);
            let apply = move |document: &mut Document| document.marked_mut(of).hidden = hidden;
            Edit::new(format!("Show only the selected {what}"), apply)
        }
        _ => {
            let hidden = document.marked(of).hidden.combined(&selected, Combine::Add);
            let apply = move |document: &mut Document| {
                *document.marked_mut(of) = SelectionState { selected: Subset::default(), hidden }
            };
            Edit::new(format!("Hide the selected {what}"), apply)
        }
    })
}

/// Writes the selection to a file. Points of an aligned scan are written in the nominal frame.
fn export(of: Selectable, path: &Path, document: &Document) -> Result<Edit> {
    let indices = selected(of, document)?;
    let mut frame = "nominal";
    if let (Selectable::Facets, Some(nominal)) = (of, document.nominal()) {
        write::mesh(path, &nominal.surface.mesh().part(&indices))?;
    } else if let Some(actual) = document.actual() {
        let mut cloud = actual.cloud.select(&indices);
        cloud.transform(&document.nominal_from_scan());
        write::cloud(path, &cloud)?;
        if document.alignment().is_none() {
            frame = "scan";
        }
    }
    let (count, what) = (indices.len(), of.name());
    Ok(Edit::nothing(format!("Wrote {count} {what} to {}, in the {frame} frame.", full_path(path))))
}

fn name(of: Selectable, name: &str, document: &Document) -> Result<Edit> {
    let numbers = selected(of, document)?;
    let name = name.trim().to_owned();
    if name.is_empty() {
        return Err(UserError::usage("Give the selection a name."));
    }
    Ok(Edit::new("Name the selection", move |document| {
        document.selections.retain(|other| other.name != name);
        document.selections.push(NamedSelection { name, of, numbers });
    }))
}

/// Renumbers all selections after all points or facets but those at the indices `kept` were removed.
pub(super) fn renumber(of: Selectable, document: &mut Document, kept: &[u32]) -> Result<()> {
    *document.marked_mut(of) = document.marked(of).renumbered(kept);
    for named in document.selections.iter_mut().filter(|named| named.of == of) {
        named.numbers = named.numbers.renumbered(kept);
    }
    document.selections.retain(|named| !named.numbers.is_empty());
    if of == Selectable::Points {
        super::features::renumber(document, kept)?;
    }
    Ok(())
}

/// Drops selections with indices out of range, as after a file has changed.
pub(super) fn drop_invalid(document: &mut Document) {
    let counts = Selectable::ALL.map(|of| (of, document.count(of).unwrap_or(0)));
    for (of, count) in counts {
        if !document.marked(of).hidden.is_within(count) {
            document.marked_mut(of).hidden = Subset::default();
        }
        let is_valid = |indices: &Subset| !indices.is_empty() && indices.is_within(count);
        document.selections.retain(|named| named.of != of || is_valid(&named.numbers));
    }
}
