//! From what was typed to what is to be done.

use kwhy_bundle::Source;
use kwhy_render::Layout;
use std::path::PathBuf;

use kwhy_core::Level;
use kwhy_core::events::Severity;

use super::{
    BundlePlan, CataloguePlan, Diagnose, Environment, Form, LintPlan, ListPlan, Plan, Task, Which,
};
use crate::args::{
    Args, BundleArgs, BundleCommand, Command, CoverageOutput, EventOutput, EventsArgs, LevelName,
    ObjectOutput, Order, Output, SignaturesCommand, When,
};
use crate::extract::{Convert, EventFilter, What};
use kwhy_bundle::archive::limits::Limits;

/// Columns where output is piped or a file.
const PIPED_COLUMNS: usize = 100;
/// Columns of a terminal that does not show them.
const UNKNOWN_COLUMNS: usize = 80;
/// Below this the layout no longer narrows.
const LEAST_COLUMNS: usize = 40;

/// Derives the plan from the arguments.
pub fn plan(args: Args, world: &Environment) -> Plan {
    let layout = Layout {
        width: match (world.stdout_is_terminal, world.columns) {
            (true, Some(columns)) => columns.max(LEAST_COLUMNS),
            (true, None) => UNKNOWN_COLUMNS,
            (false, _) => PIPED_COLUMNS,
        },
        color: match args.color {
            When::Always => true,
            When::Never => false,
            When::Auto => world.stdout_is_terminal && !world.no_color,
        },
    };
    let mut catalogue = CataloguePlan {
        builtin: !args.no_builtin,
        paths: args.signatures,
    };
    let threads = args.threads.map(usize::from);
    let bundle = bundle(args.bundle);
    let convert = |paths: Vec<PathBuf>, what| {
        if paths.is_empty() && world.stdin_is_terminal {
            return Task::Hint;
        }
        Task::Convert(Convert {
            sources: sources(paths),
            bundle: bundle.clone(),
            what,
            threads,
        })
    };
    let task = match args.command {
        Some(Command::Events { mut events, order }) => {
            let paths = std::mem::take(&mut events.paths);
            let table = events.output == EventOutput::Table;
            let filter = event_filter(events, args.now);
            let by_time = order.map(|order| order == Order::Time);
            convert(
                paths,
                What::Events {
                    filter,
                    table,
                    by_time,
                },
            )
        }
        Some(Command::Patterns(mut events)) => {
            let paths = std::mem::take(&mut events.paths);
            let table = events.output == EventOutput::Table;
            let filter = event_filter(events, args.now);
            convert(paths, What::Patterns { filter, table })
        }
        Some(Command::Objects { paths, output }) => {
            let lines = output == ObjectOutput::Ndjson;
            convert(paths, What::Objects { lines })
        }
        Some(Command::Records { paths, .. }) => convert(paths, What::Records),
        Some(Command::Bundle(BundleCommand::Ls {
            paths,
            namespace,
            output,
        })) => {
            if paths.is_empty() && world.stdin_is_terminal {
                Task::Hint
            } else {
                Task::ListMembers(ListPlan {
                    sources: sources(paths),
                    bundle: BundlePlan {
                        namespace,
                        ..bundle
                    },
                    json: output == EventOutput::Ndjson,
                })
            }
        }
        Some(Command::Scan { paths, scope }) => {
            let diagnose = Diagnose {
                sources: Vec::new(),
                bundle: BundlePlan {
                    namespace: scope.namespace,
                    ..bundle
                },
                form: Form::Json { pretty: false },
                min_severity: args.min_severity.map(Level::from),
                fail_on: args.fail_on.map(Level::from),
                verbose: false,
                now: args.now,
                since: scope.since.and_then(|when| when.at(args.now)),
                until: scope.until.and_then(|when| when.at(args.now)),
                threads,
                timeline: false,
                audit: args.audit,
            };
            let diagnose = Box::new(diagnose);
            Task::Scan { paths, diagnose }
        }
        Some(Command::Explain { id }) => Task::Explain(id),
        Some(Command::Signatures(command)) => match command {
            SignaturesCommand::List => Task::ListSignatures,
            SignaturesCommand::Show { id } => Task::ShowSignature(id),
            SignaturesCommand::Fmt { paths, check } => Task::FormatSignatures { paths, check },
            SignaturesCommand::Lint {
                paths,
                healthy,
                fail_on,
                output,
            } => Task::LintSignatures(LintPlan {
                which: catalogue.with(paths),
                healthy,
                fail_on: fail_on.into(),
                json: output == Output::Json,
            }),
            SignaturesCommand::Test { paths, output } => Task::TestSignatures {
                which: catalogue.with(paths),
                json: output == Output::Json,
            },
            SignaturesCommand::Coverage { paths, output } => {
                catalogue.with(paths);
                Task::Coverage {
                    json: output == CoverageOutput::Json,
                }
            }
            SignaturesCommand::Overlaps { paths, output } => Task::Overlaps {
                which: catalogue.with(paths),
                json: output == Output::Json,
            },
        },
        None if args.paths.is_empty() && world.stdin_is_terminal => Task::Hint,
        None => Task::Diagnose(Diagnose {
            sources: sources(args.paths),
            bundle: BundlePlan {
                namespace: args.scope.namespace,
                ..bundle
            },
            form: match args.output {
                Output::Human => Form::Human,
                Output::Json => Form::Json {
                    pretty: world.stdout_is_terminal,
                },
            },
            min_severity: args.min_severity.map(Level::from),
            fail_on: args.fail_on.map(Level::from),
            verbose: args.verbose,
            now: args.now,
            since: args.scope.since.and_then(|when| when.at(args.now)),
            until: args.scope.until.and_then(|when| when.at(args.now)),
            threads,
            timeline: args.timeline,
            audit: args.audit,
        }),
    };
    let typed = match &task {
        Task::Diagnose(diagnose) => diagnose.sources.contains(&Source::Stdin),
        _ => false,
    };
    Plan {
        task,
        catalogue,
        layout,
        progress: world.stderr_is_terminal,
        interruptible: !(typed && world.stdin_is_terminal),
    }
}

fn bundle(args: BundleArgs) -> BundlePlan {
    BundlePlan {
        include: args.include,
        exclude: args.exclude,
        namespace: None,
        limits: Limits::default().with(&args.limit),
    }
}

fn event_filter(events: EventsArgs, now: Option<jiff::Timestamp>) -> EventFilter {
    EventFilter {
        severity: events.min_severity.map(|level| match level {
            LevelName::Info => Severity::Info,
            LevelName::Warning => Severity::Warning,
            LevelName::Error => Severity::Error,
        }),
        component: events.component,
        subject: events.subject,
        reason: events.reason,
        text: events.text,
        since: events.since,
        until: events.until,
        now,
    }
}

impl CataloguePlan {
    /// Adds the paths after a sub-command, which is about them alone.
    fn with(&mut self, paths: Vec<PathBuf>) -> Which {
        if paths.is_empty() {
            return Which::All;
        }
        self.paths.extend(paths);
        Which::Added
    }
}

/// Standard input can be read once, so a second `-` is omitted.
fn sources(paths: Vec<PathBuf>) -> Vec<Source> {
    if paths.is_empty() {
        return vec![Source::Stdin];
    }
    let mut sources = Vec::with_capacity(paths.len());
    let mut stdin = false;
    for path in paths {
        if path.as_os_str() == "-" {
            if !std::mem::replace(&mut stdin, true) {
                sources.push(Source::Stdin);
            }
        } else {
            sources.push(Source::Path(path));
        }
    }
    sources
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};
    use kwhy_core::signature::LintLevel;

    use super::*;

    fn planned(typed: &[&str], world: Environment) -> Plan {
        let typed = std::iter::once("kwhy").chain(typed.iter().copied());
        plan(Args::try_parse_from(typed).unwrap(), &world)
    }

    fn diagnose(typed: &[&str]) -> Diagnose {
        match planned(typed, Environment::default()).task {
            Task::Diagnose(diagnose) => diagnose,
            other => panic!("{other:?}"),
        }
    }

    fn path(name: &str) -> Source {
        Source::Path(PathBuf::from(name))
    }

    #[test]
    fn the_command_line_is_well_formed() {
        Args::command().debug_assert();
    }

    #[test]
    fn standard_input_where_there_is_no_path() {
        assert_eq!(diagnose(&[]).sources, [Source::Stdin]);
        assert_eq!(
            diagnose(&["a", "-", "b", "-"]).sources,
            [path("a"), Source::Stdin, path("b")]
        );
        let terminal = Environment {
            stdin_is_terminal: true,
            ..Environment::default()
        };
        assert_eq!(planned(&[], terminal).task, Task::Hint);
        assert!(matches!(planned(&["-"], terminal).task, Task::Diagnose(_)));
    }

    #[test]
    fn a_command_never_hides_a_file() {
        assert_eq!(diagnose(&["./signatures"]).sources, [path("./signatures")]);
        assert_eq!(
            diagnose(&["a", "signatures"]).sources,
            [path("a"), path("signatures")]
        );
        assert_eq!(diagnose(&["--", "explain"]).sources, [path("explain")]);
        assert_eq!(diagnose(&["help"]).sources, [path("help")]);
    }

    #[test]
    fn the_page() {
        let terminal = |columns| Environment {
            stdout_is_terminal: true,
            columns,
            ..Environment::default()
        };
        let layout = |typed: &[&str], world| planned(typed, world).layout;
        assert_eq!(layout(&[], Environment::default()).width, 100);
        assert_eq!(layout(&[], terminal(None)).width, 80);
        assert_eq!(layout(&[], terminal(Some(132))).width, 132);
        assert_eq!(layout(&[], terminal(Some(3))).width, 40);
        assert!(layout(&[], terminal(None)).color);
        assert!(!layout(&[], Environment::default()).color);
        assert!(layout(&["--color=always"], Environment::default()).color);
        let quiet = Environment {
            no_color: true,
            ..terminal(None)
        };
        assert!(!layout(&[], quiet).color);
        assert!(layout(&["--color", "always"], quiet).color);
    }

    #[test]
    fn levels_and_forms() {
        let planned = diagnose(&["--fail-on", "warning", "--min-severity=error", "-ojson"]);
        assert_eq!(planned.fail_on, Some(Level::Warning));
        assert_eq!(planned.min_severity, Some(Level::Error));
        assert_eq!(planned.form, Form::Json { pretty: false });
    }

    #[test]
    fn a_command_is_about_the_signatures_given_to_it() {
        let given = planned(&["signatures", "test", "mine.yaml"], Environment::default());
        assert_eq!(
            given.task,
            Task::TestSignatures {
                which: Which::Added,
                json: false
            }
        );
        assert!(given.catalogue.builtin);
        let given = planned(
            &["--signatures", "x", "signatures", "lint", "--no-builtin"],
            Environment::default(),
        );
        let lint = LintPlan {
            which: Which::All,
            healthy: Vec::new(),
            fail_on: LintLevel::Error,
            json: false,
        };
        assert_eq!(given.task, Task::LintSignatures(lint));
        assert!(!given.catalogue.builtin);
        assert_eq!(given.catalogue.paths, [PathBuf::from("x")]);
    }

    #[test]
    fn what_is_refused() {
        for wrong in [
            &["--now", "yesterday"][..],
            &["-j", "0"],
            &["-o", "xml"],
            &["--nothing-like-it"],
            &["explain"],
        ] {
            let typed = std::iter::once("kwhy").chain(wrong.iter().copied());
            assert!(Args::try_parse_from(typed).is_err(), "{wrong:?}");
        }
    }
}
