//! Suggests a command for a path that does not exist, as it may be a mistyped command.

use std::path::Path;

use clap::CommandFactory;
use kwhy_render::edit_distance;

use crate::args::Args;

/// Returns the command whose name is closest to a path; `None` if none is close.
pub fn command(path: &Path) -> Option<String> {
    let typed = path.to_str().filter(|typed| !typed.contains(['/', '.']))?;
    let most = typed.len().div_ceil(4).min(2);
    let commands = Args::command();
    let names = commands.get_subcommands().map(clap::Command::get_name);
    let near = names.map(|name| (edit_distance(name, typed), name));
    let (_, name) = near.filter(|(distance, _)| *distance <= most).min()?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_are_near() {
        let near = |typed: &str| command(Path::new(typed));
        assert_eq!(near("evnts").as_deref(), Some("events"));
        assert_eq!(near("signature").as_deref(), Some("signatures"));
        assert_eq!(near("eplxain").as_deref(), Some("explain"));
        for other in ["kubelet", "./evnts", "event.log", "", "x"] {
            assert_eq!(near(other), None, "{other}");
        }
    }
}
