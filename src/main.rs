//! The program: the command line, or the window.

use std::os::unix::process::CommandExt;

use shadowgraph::app;
use shadowgraph::cli::{self, Outcome};
use shadowgraph::session::project::state_folder;

fn main() -> std::process::ExitCode {
    without_desktop_layer();
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("off")).init();
    // The CAD reader is installed beside this program; everything below is told where, and never asks itself.
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

/// Mesa's layer that asks the desktop which graphics card it draws on complains, in lines of its own on standard error,
/// where there is no session to ask. Its switch is read when the process begins: it begins again with the switch set.
fn without_desktop_layer() {
    const SWITCH: &str = "NODEVICE_SELECT";
    if std::env::var_os("XDG_RUNTIME_DIR").is_some() || std::env::var_os(SWITCH).is_some() {
        return;
    }
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_else(|| "shadowgraph".into());
    if let Ok(program) = std::env::current_exe() {
        // Where this fails, the lines are all that is lost.
        let _ = std::process::Command::new(program).arg0(name).args(arguments).env(SWITCH, "1").exec();
    }
}
