//! The derivation of a plan from the arguments.

use kwhy_bundle::Source;
use kwhy_render::Layout;
use std::path::PathBuf;

use kwhy_core::Level;
use kwhy_core::events::{SecretPolicy, Severity};

use super::{
    BundlePlan, CataloguePlan, Diagnose, Environment, Form, LintPlan, ListPlan, Plan, Privacy,
    RedactPlan, Redaction, ScanPlan, Task, Which,
};
use crate::args::{
    Args, BundleArgs, BundleCommand, Command, CoverageOutput, EventOutput, EventsArgs, LevelName,
    ObjectOutput, Order, Output, ReportOutput, ScanOutput, ScopeArgs, SignaturesCommand, When,
};
use crate::extract::{Convert, EventFilter, Moment, What};
use crate::signatures::NewPlan;
use kwhy_bundle::archive::limits::Limits;

/// The width of text that is piped or written to a file.
const PIPED_COLUMNS: usize = 100;
/// The width of text whose lines are never broken.
const UNBROKEN_COLUMNS: usize = u16::MAX as usize;
/// The width of a terminal that does not report it.
pub const UNKNOWN_COLUMNS: usize = 80;
/// The minimum width, also on a terminal that is narrower.
pub const LEAST_COLUMNS: usize = 40;

/// Derives the plan from the arguments.
///
/// # Errors
/// Options conflict or do not apply; the text says why.
pub fn plan(mut args: Args, world: &Environment) -> Result<Plan, String> {
    refuse_misplaced(&args)?;
    let color = args.color.or(world.config.color).unwrap_or_default();
    let layout = Layout {
        width: match (world.stdout_is_terminal, world.columns) {
            (true, Some(columns)) => columns.max(LEAST_COLUMNS),
            (true, None) => UNKNOWN_COLUMNS,
            // each finding is one line, for `grep`
            (false, _) if args.quiet => UNBROKEN_COLUMNS,
            (false, _) => PIPED_COLUMNS,
        },
        color: match color {
            When::Always => true,
            When::Never => false,
            When::Auto => world.stdout_is_terminal && !world.no_color,
        },
    };
    let mut paths = world.config.signatures.clone();
    paths.append(&mut args.signatures);
    let mut catalogue = CataloguePlan {
        builtin: !args.no_builtin,
        paths,
    };
    let quiet = args.quiet;
    let mut notes = Vec::new();
    if !catalogue.builtin && catalogue.paths.is_empty() {
        notes.push("--no-builtin leaves no signatures to test: --signatures names some");
    }
    let output = args.output.or(world.config.output).unwrap_or_default();
    if args.timeline && !matches!(output, ReportOutput::Json | ReportOutput::Html) {
        notes.push("--timeline counts what this output does not show: -o json and -o html do");
    }
    let key = args.redact_key.take().or(world.config.redact_key.clone());
    let is_redacted = args.redact || world.config.redact || key.is_some();
    let privacy = Privacy {
        redact: is_redacted.then_some(Redaction { key }),
        secrets: match args.show_secrets {
            true => SecretPolicy::Show,
            false => SecretPolicy::Mask,
        },
    };
    let mut task = match args.command.take() {
        Some(command) => of_command(command, args, &mut catalogue, world)?,
        None if args.paths.is_empty() && world.stdin_is_terminal => Task::Hint,
        None => {
            let paths = std::mem::take(&mut args.paths);
            let scope = std::mem::take(&mut args.scope);
            let form = form(output, world.stdout_is_terminal);
            Task::Diagnose(diagnose(args, sources(paths), scope, form)?)
        }
    };
    match &mut task {
        Task::Diagnose(diagnose) => diagnose.privacy = privacy,
        Task::Scan(scan) => scan.diagnose.privacy = privacy,
        Task::Convert(convert) => convert.privacy = privacy,
        Task::NewSignature(new) => new.secrets = privacy.secrets,
        Task::Redact(copy) => copy.redaction = privacy.redact.unwrap_or_default(),
        _ => {}
    }
    let sources = match &task {
        Task::Diagnose(diagnose) => diagnose.sources.as_slice(),
        Task::Convert(convert) => &convert.sources,
        Task::ListMembers(list) => &list.sources,
        _ => &[],
    };
    let is_typed = world.stdin_is_terminal && sources.contains(&Source::Stdin);
    Ok(Plan {
        task,
        catalogue,
        layout,
        columns: world.stdout_is_terminal.then_some(layout.width),
        err_columns: world.err_columns,
        program: world.program,
        progress: world.stderr_is_terminal && !quiet && !is_typed,
        is_typed,
        quiet,
        notes,
        interruptible: !is_typed,
    })
}

/// Returns the format of an output; JSON is indented if people read it.
pub fn form(output: ReportOutput, is_read_by_people: bool) -> Form {
    match output {
        ReportOutput::Human => Form::Human,
        ReportOutput::Json => Form::Json {
            pretty: is_read_by_people,
        },
        ReportOutput::Ndjson => Form::Ndjson,
        ReportOutput::Markdown => Form::Markdown,
        ReportOutput::Html => Form::Html,
        ReportOutput::Sarif => Form::Sarif,
        ReportOutput::Junit => Form::Junit,
    }
}

/// Refuses options of a diagnosis that do not apply to the command.
fn refuse_misplaced(args: &Args) -> Result<(), String> {
    let Some(command) = &args.command else {
        return Ok(());
    };
    let is_scan = matches!(command, Command::Scan { .. });
    let shows_input = is_scan
        || matches!(
            command,
            Command::Events { .. }
                | Command::Patterns { .. }
                | Command::Objects { .. }
                | Command::Records { .. }
        );
    let is_copy = matches!(command, Command::Redact { .. });
    let typed = [
        ("--redact", args.redact && !is_copy),
        ("--redact-key", args.redact_key.is_some() && !is_copy),
        ("--show-secrets", args.show_secrets),
    ];
    if let Some((name, _)) = typed.iter().find(|(_, is)| *is && !shows_input) {
        return Err(match command {
            Command::Redact { .. } => {
                format!("{name}: a redacted copy is for others, so it never contains secrets")
            }
            Command::Bundle(_) => format!(
                "{name}: the paths of members are what is listed; list the copy that `kwhy redact` makes"
            ),
            _ => format!("{name}: this command shows nothing of an input"),
        });
    }
    let scope = &args.scope;
    let misplaced = [
        ("--output", args.output.is_some()),
        ("--verbose", args.verbose),
        ("--timeline", args.timeline),
        ("--namespace", scope.namespace.is_some()),
        ("--since", scope.since.is_some()),
        ("--until", scope.until.is_some()),
        ("--min-severity", args.min_severity.is_some() && !is_scan),
        (
            "--min-confidence",
            args.min_confidence.is_some() && !is_scan,
        ),
        ("--top", args.top.is_some() && !is_scan),
        ("--fail-on", args.fail_on.is_some() && !is_scan),
        ("--audit", args.audit && !is_scan),
    ];
    match misplaced.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(format!(
            "{name} before a command is for a diagnosis; an option of the command comes after its name"
        )),
        None => Ok(()),
    }
}

/// Derives the task of a command.
fn of_command(
    command: Command,
    args: Args,
    catalogue: &mut CataloguePlan,
    world: &Environment,
) -> Result<Task, String> {
    let threads = args.threads.map(usize::from);
    let now = args.now;
    let nothing_given = |paths: &[PathBuf]| paths.is_empty() && world.stdin_is_terminal;
    let convert = |paths: Vec<PathBuf>, what| match nothing_given(&paths) {
        true => Task::Hint,
        false => Task::Convert(Convert {
            sources: sources(paths),
            bundle: bundle(args.bundle.clone()),
            what,
            privacy: Privacy::default(),
            threads,
        }),
    };
    Ok(match command {
        Command::Events { mut events, order } => {
            let paths = std::mem::take(&mut events.paths);
            let table = events.output == EventOutput::Table;
            let filter = event_filter(events, now)?;
            let by_time = order.map(|order| order == Order::Time);
            let what = What::Events {
                filter,
                table,
                by_time,
            };
            convert(paths, what)
        }
        Command::Patterns { mut events, lines } => {
            let paths = std::mem::take(&mut events.paths);
            let table = events.output == EventOutput::Table;
            let filter = event_filter(events, now)?;
            convert(
                paths,
                What::Patterns {
                    filter,
                    table,
                    lines,
                },
            )
        }
        Command::Objects { paths, output } => {
            let lines = output == ObjectOutput::Ndjson;
            convert(paths, What::Objects { lines })
        }
        Command::Records { paths, .. } => convert(paths, What::Records { named: false }),
        Command::Bundle(BundleCommand::Ls { paths, .. }) if nothing_given(&paths) => Task::Hint,
        Command::Bundle(BundleCommand::Ls {
            paths,
            namespace,
            output,
        }) => Task::ListMembers(ListPlan {
            sources: sources(paths),
            bundle: BundlePlan {
                namespace,
                ..bundle(args.bundle)
            },
            json: output == EventOutput::Ndjson,
        }),
        Command::Scan {
            paths,
            output,
            memory,
            resume,
            scope,
        } => {
            let form = match output {
                ScanOutput::Reports => Form::Json { pretty: false },
                ScanOutput::Findings => Form::Ndjson,
            };
            let diagnose = Box::new(diagnose(args, Vec::new(), scope, form)?);
            Task::Scan(ScanPlan {
                paths,
                diagnose,
                memory: memory.map(|bytes| bytes.0),
                resume,
            })
        }
        Command::Redact { path, output } => Task::Redact(RedactPlan {
            from: path,
            to: output,
            bundle: bundle(args.bundle),
            redaction: Redaction::default(),
            threads,
        }),
        Command::Explain { id } => Task::Explain(id),
        Command::Demo { name, input } => Task::Demo { name, input },
        Command::Schema { name } => Task::Schema(name),
        Command::Completions { shell } => Task::Completions(shell),
        Command::Man { dir: Some(dir), .. } => Task::ManualPages(dir),
        Command::Man { command, .. } => Task::ManualPage(command),
        Command::Signatures(command) => of_signatures(command, catalogue),
    })
}

fn of_signatures(command: SignaturesCommand, catalogue: &mut CataloguePlan) -> Task {
    match command {
        SignaturesCommand::List => Task::ListSignatures,
        SignaturesCommand::Show { id } => Task::ShowSignature(id),
        SignaturesCommand::Fmt { paths, check } => Task::FormatSignatures { paths, check },
        SignaturesCommand::Convert { paths } => Task::ConvertSignatures(paths),
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
        SignaturesCommand::New {
            path,
            id,
            cause,
            cre,
            output,
        } => Task::NewSignature(NewPlan {
            is_rule: cre,
            path: path.filter(|path| path.as_os_str() != "-"),
            id,
            cause,
            output,
            secrets: SecretPolicy::default(),
        }),
        SignaturesCommand::Test {
            paths,
            watch,
            output,
        } => Task::TestSignatures {
            which: catalogue.with(paths),
            watch,
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
    }
}

fn diagnose(
    args: Args,
    sources: Vec<Source>,
    scope: ScopeArgs,
    form: Form,
) -> Result<Diagnose, String> {
    let time = |name, moment| resolved(name, moment, args.now);
    let (since, until) = (time("--since", scope.since)?, time("--until", scope.until)?);
    if matches!((since, until), (Some(since), Some(until)) if since > until) {
        return Err("--since is later than --until: no event is between them".to_owned());
    }
    Ok(Diagnose {
        sources,
        bundle: BundlePlan {
            namespace: scope.namespace,
            ..bundle(args.bundle)
        },
        form,
        min_severity: args.min_severity.map(Level::from),
        fail_on: args.fail_on.map(Level::from),
        min_confidence: args.min_confidence.map(|least| least.0),
        top: args.top.map(usize::from),
        verbose: args.verbose,
        quiet: args.quiet,
        now: args.now,
        since,
        until,
        threads: args.threads.map(usize::from),
        privacy: Privacy::default(),
        timeline: args.timeline || form == Form::Html,
        audit: args.audit,
    })
}

/// Resolves a moment to a time; `name` is the option, for the error.
fn resolved(
    name: &str,
    moment: Option<Moment>,
    now: Option<jiff::Timestamp>,
) -> Result<Option<jiff::Timestamp>, String> {
    let Some(moment) = moment else {
        return Ok(None);
    };
    match moment.at(now) {
        Some(time) => Ok(Some(time)),
        None if now.is_some() => Err(format!("{name} is before all times")),
        None => Err(format!(
            "an age as {name} counts back from the moment of collection, and kwhy reads no clock: give it with \
             --now TIME, or give {name} a time such as 2024-03-04T05:06:07Z"
        )),
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

fn event_filter(events: EventsArgs, now: Option<jiff::Timestamp>) -> Result<EventFilter, String> {
    let between = match (events.since, events.until) {
        (Some(Moment::At(since)), Some(Moment::At(until))) => since <= until,
        (Some(Moment::Ago(since)), Some(Moment::Ago(until))) => since >= until,
        _ => true,
    };
    if !between {
        return Err("--since is later than --until: no event is between them".to_owned());
    }
    Ok(EventFilter {
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
    })
}

impl CataloguePlan {
    /// Adds the paths of a sub-command, and returns which signatures it is about: these if there are any, otherwise
    /// all.
    fn with(&mut self, paths: Vec<PathBuf>) -> Which {
        if paths.is_empty() {
            return Which::All;
        }
        self.paths.extend(paths);
        Which::Added
    }
}

/// Returns the sources of paths. Standard input can be read only once, so a second `-` is ignored.
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
        plan(Args::try_parse_from(typed).unwrap(), &world).unwrap()
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
        assert_eq!(planned(&[], terminal.clone()).task, Task::Hint);
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
        assert_eq!(diagnose(&["./help"]).sources, [path("./help")]);
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
        assert!(!layout(&[], quiet.clone()).color);
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
                watch: false,
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
