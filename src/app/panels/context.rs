//! State that the panels read, and the actions that they request.

use crate::{Action, Display};
use compute::DeviceId;
use dispatch::{Command, Dispatcher};
use inspect::deviation::OwnScale;
use session::{Document, Settings};

/// Compute devices with their names, and why there is no GPU; `None` if there is one.
pub type Devices = (Vec<(DeviceId, String)>, Option<String>);

/// State of the window while a panel is drawn. Panels do not act themselves; the actions they request are performed at
/// the end of the frame.
pub struct PanelContext<'a> {
    /// The document, its running job and messages.
    pub dispatcher: &'a Dispatcher,
    /// Settings being edited; sent when an edit ends.
    pub settings: &'a mut Settings,
    /// Display options of the viewport, and its mouse tools.
    pub display: &'a mut Display,
    /// Compute devices.
    pub devices: &'a Devices,
    /// Colour scales kept for all projects.
    pub saved_scales: &'a [OwnScale],
    /// Whether a job is running or strokes are pending.
    pub is_busy: bool,
    /// Actions requested in this frame.
    pub actions: &'a mut Vec<Action>,
}

impl<'a> PanelContext<'a> {
    /// The document.
    pub fn document(&self) -> &'a Document {
        &self.dispatcher.document
    }

    /// Requests a command.
    pub fn send(&mut self, command: impl Into<Command>) {
        self.ask(Action::Send(Box::new(command.into())));
    }

    /// Requests an action.
    pub fn ask(&mut self, action: Action) {
        self.actions.push(action);
    }
}
