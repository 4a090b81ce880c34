//! Start files of interactive sessions: `/etc/aegish/rc.bash`, then `~/.config/aegish/rc.bash`. Bash's own
//! start-up files are never read.

use aegish_config::{Config, SystemDirectory};
use std::path::{Path, PathBuf};

const NAME: &str = "rc.bash";

/// The files that exist, in the order in which they are read.
pub(crate) fn present(config: &Config) -> Vec<PathBuf> {
    let own = config.config_dir().map(|dir| dir.join(NAME));
    [Some(system()), own].into_iter().flatten().filter(|path| path.exists()).collect()
}

/// The start file of the system, whether there is one or not.
pub(crate) fn system() -> PathBuf {
    SystemDirectory::machine().dir().join(NAME)
}

/// The line that reads a start file. It begins with a blank, so that it is not stored in the history.
pub(crate) fn line(path: &Path) -> String {
    format!(" . '{}'", path.to_string_lossy().replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::line;
    use std::path::Path;

    #[test]
    fn a_name_stays_one_word() {
        assert_eq!(line(Path::new("/home/o'neill/rc.bash")), " . '/home/o'\\''neill/rc.bash'");
    }
}
