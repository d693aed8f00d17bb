//! The program `typst`, run as a child process.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::{TemplatePages, diagnostics};
use base::{Progress, Result, UserError};

/// Environment variable that names the program.
const VARIABLE: &str = "SHADOWGRAPH_TYPST";
/// How long the pages of one report may take.
const LIMIT: Duration = Duration::from_secs(60);
/// Most of what the program says that is read, bytes.
const MAX_SAID: u64 = 1 << 20;

/// The program that sets pages by a template.
#[derive(Clone, Debug)]
pub struct Typst {
    /// Its file, or its name if it is looked for in `PATH`.
    pub program: PathBuf,
    /// How long it may take before it is stopped.
    pub limit: Duration,
}

impl Typst {
    /// The program that `SHADOWGRAPH_TYPST` names, or `typst` as `PATH` finds it.
    pub fn of_environment() -> Self {
        let named = std::env::var_os(VARIABLE).filter(|own| !own.is_empty()).map(PathBuf::from);
        // It is started in another folder.
        let named = named.map(|own| if own.components().count() > 1 { base::absolute(&own) } else { own });
        Self { program: named.unwrap_or_else(|| "typst".into()), limit: LIMIT }
    }

    /// Sets `pages/<template>` of `folder` as PDF, with the fonts in `fonts`. Kills the program on cancellation and once
    /// it takes too long.
    ///
    /// Returns an error that says what is wrong with the template, or what is missing.
    pub(super) fn compile(&self, template: &str, folder: &Path, progress: &Progress) -> Result<TemplatePages> {
        // Beside the root: no link to a file of the user can stand here, to be written through.
        let [root, pdf, said] = ["pages", "report.pdf", "said.txt"].map(|name| folder.join(name));
        let said_file = File::create(&said).map_err(|e| UserError::file("write", &said, &e))?;
        let mut child = Command::new(&self.program)
            .args(["compile", "--diagnostic-format", "short", "--root"])
            .arg(&root)
            .arg("--font-path")
            .arg(folder.join("fonts"))
            .args(["--input", "data=report.json"])
            .arg(root.join(template))
            .arg(&pdf)
            // Diagnostics name files relative to it.
            .current_dir(&root)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(said_file)
            .spawn()
            .map_err(|e| self.not_started(template, &e))?;
        let status = self.wait(&mut child, template, progress)?;
        let mut bytes = Vec::new();
        let reading = File::open(&said).and_then(|file| file.take(MAX_SAID).read_to_end(&mut bytes));
        reading.map_err(|e| UserError::file("read", &said, &e))?;
        let said = String::from_utf8_lossy(&bytes);
        if !status.success() {
            return Err(UserError::input(diagnostics::errors(template, &said)));
        }
        let made = std::fs::read(&pdf).ok().filter(|bytes| bytes.starts_with(b"%PDF-"));
        let pdf = made.ok_or_else(|| {
            UserError::input(format!(
                "The program typst made no PDF of the template “{template}”: check that it is typst."
            ))
        })?;
        Ok(TemplatePages { pdf, warnings: diagnostics::warnings(template, &said) })
    }

    fn wait(&self, child: &mut Child, template: &str, progress: &Progress) -> Result<ExitStatus> {
        let started = Instant::now();
        loop {
            if let Ok(Some(status)) = child.try_wait() {
                return Ok(status);
            }
            let cancelled = progress.check();
            if cancelled.is_err() || started.elapsed() > self.limit {
                // Errors are ignored: it may just have ended by itself.
                let _ = child.kill();
                let _ = child.wait();
                cancelled?;
                let seconds = self.limit.as_secs();
                return Err(UserError::input(format!(
                    "The template “{template}” was not set within {seconds} s, and typst was stopped: look for a loop in it."
                )));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn not_started(&self, template: &str, error: &std::io::Error) -> UserError {
        UserError::input(match (error.kind(), self.program.components().count()) {
            (std::io::ErrorKind::NotFound, 1) => format!(
                "The template “{template}” needs the program typst, which is not found: install typst 0.12 or newer \
                 (typst.app) or name it by {VARIABLE}; the built-in layout needs nothing."
            ),
            (_, 1) => format!("The template “{template}” needs the program typst, which does not start: {error}."),
            _ => format!(
                "The template “{template}” needs the program typst, and “{}”, which {VARIABLE} names, does not start: \
                 {error}.",
                self.program.display()
            ),
        })
    }
}
