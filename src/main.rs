//! The program: runs the command line or opens the window.

use std::os::unix::process::CommandExt;

use shadowgraph::app;
use shadowgraph::base::software;
use shadowgraph::cli::{self, Outcome};
use shadowgraph::session::project::state_folder;

fn main() -> std::process::ExitCode {
    software::set_commit(env!("SHADOWGRAPH_COMMIT"));
    disable_device_select_layer();
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("off")).init();
    // The CAD reader is installed next to this program; its path is passed down, nothing below looks for it.
    let reader = std::env::current_exe().ok().map(|path| path.with_file_name("shadowgraph-cad"));
    let code = match cli::run(std::env::args_os(), reader) {
        Outcome::Exit(code) => code,
        Outcome::Window(context, files) => {
            let no_chooser = app::missing_chooser();
            let options = app::Options { context, files, state_folder: state_folder(), no_chooser };
            match app::run(options) {
                Ok(()) => 0,
                Err(sentence) => {
                    eprintln!("{sentence}");
                    3
                }
            }
        }
    };
    std::process::ExitCode::from(u8::try_from(code).unwrap_or(5))
}

/// Mesa's device-select layer asks the desktop which graphics card it draws on and complains on standard error where
/// there is no session. The environment variable that disables it is read when a process starts, so the program
/// restarts itself with the variable set.
fn disable_device_select_layer() {
    const DISABLE_VARIABLE: &str = "NODEVICE_SELECT";
    if std::env::var_os("XDG_RUNTIME_DIR").is_some() || std::env::var_os(DISABLE_VARIABLE).is_some() {
        return;
    }
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_else(|| "shadowgraph".into());
    if let Ok(program) = std::env::current_exe() {
        // If this fails, the messages appear and nothing else is lost.
        let _ = std::process::Command::new(program).arg0(name).args(arguments).env(DISABLE_VARIABLE, "1").exec();
    }
}
