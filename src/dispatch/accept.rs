//! The acceptance test of a sensor, from scans of artefacts.

use std::sync::Arc;

use super::{Context, Edit, Execution};
use inspect::acceptance::{AcceptanceTest, Verdict};

pub(super) fn execution(test: AcceptanceTest, context: Context) -> Execution {
    Execution::work("Testing the sensor", move |progress, _| {
        let acceptance = test.judge(&context.cad, progress)?;
        let note =
            acceptance.verdict.map_or("Without limits there is no verdict on the sensor.".to_owned(), |verdict| {
                match verdict {
                    Verdict::Conforms => "The sensor conforms.".to_owned(),
                    Verdict::Undecided => "The test does not decide whether the sensor conforms.".to_owned(),
                    Verdict::DoesNotConform => "The sensor does not conform.".to_owned(),
                }
            });
        let notes: Vec<String> = [note].into_iter().chain(acceptance.notes.clone()).collect();
        let acceptance = Arc::new(acceptance);
        Ok(Edit::new("Test the sensor", move |document| document.acceptance = Some(acceptance)).with_notes(notes))
    })
}
