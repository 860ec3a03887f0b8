//! cargo's own options, which go to the `cargo check` that runs the build scripts.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// How the packages are built.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Options of cargo")]
#[expect(clippy::struct_excessive_bools, reason = "cargo has these switches")]
pub(crate) struct Options {
    /// Features to turn on, with commas or blanks between them
    #[arg(short = 'F', long, value_name = "FEATURES")]
    features: Vec<String>,
    /// Turn on all features
    #[arg(long)]
    all_features: bool,
    /// Leave the feature `default` off
    #[arg(long)]
    no_default_features: bool,
    /// The optimised profile
    #[arg(long, conflicts_with = "profile")]
    release: bool,
    /// A profile by its name
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Directory of all that is built
    #[arg(long, value_name = "DIRECTORY")]
    target_dir: Option<PathBuf>,
    /// Keep to Cargo.lock
    #[arg(long)]
    locked: bool,
    /// Without the network
    #[arg(long)]
    offline: bool,
    /// `--locked` and `--offline`
    #[arg(long)]
    frozen: bool,
}

impl Options {
    /// As arguments of cargo.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let mut all = Vec::new();
        for features in &self.features {
            all.extend(["--features".into(), features.into()]);
        }
        for (set, name) in [
            (self.all_features, "--all-features"),
            (self.no_default_features, "--no-default-features"),
            (self.release, "--release"),
            (self.locked, "--locked"),
            (self.offline, "--offline"),
            (self.frozen, "--frozen"),
        ] {
            if set {
                all.push(name.into());
            }
        }
        if let Some(profile) = &self.profile {
            all.extend(["--profile".into(), profile.into()]);
        }
        if let Some(dir) = &self.target_dir {
            all.extend(["--target-dir".into(), dir.into()]);
        }
        all
    }

    /// Where all that is built goes, if that is said.
    pub(crate) fn target_dir(&self) -> Option<&Path> {
        self.target_dir.as_deref()
    }

    /// Builds into another directory.
    pub(crate) fn set_target_dir(&mut self, dir: &Path) {
        self.target_dir = Some(dir.to_owned());
    }

    /// Whether cargo may not ask the network.
    pub(crate) fn of_metadata(&self) -> Vec<String> {
        let names = [
            (self.locked, "--locked"),
            (self.offline, "--offline"),
            (self.frozen, "--frozen"),
        ];
        let set = names.into_iter().filter(|(set, _)| *set);
        set.map(|(_, name)| name.to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::Options;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        options: Options,
    }

    #[test]
    fn what_cargo_is_given_is_what_was_given() {
        let text = "--features a,b --features c --all-features --no-default-features --locked --offline --frozen \
                    --profile dist --target-dir out";
        let of = |text: &str| {
            let all = std::iter::once("x").chain(text.split(' '));
            let all = Command::try_parse_from(all).map(|command| command.options.arguments());
            all.map(|all| all.join("".as_ref()).len()).ok()
        };
        assert_eq!(of(text), Some(text.replace(' ', "").len()));
        assert_eq!(of("-F a"), Some("--featuresa".len()));
        assert_eq!(of("--release"), Some("--release".len()));
        assert_eq!(of("--release --profile x"), None);
    }
}
