//! The program: the command line, or the window.

use shadowgraph::app;
use shadowgraph::cli::{self, Outcome};
use shadowgraph::session::project::state_folder;

fn main() -> std::process::ExitCode {
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
