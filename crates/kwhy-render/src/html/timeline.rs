//! Findings, events by severity and restarts over time, as SVG.

use std::fmt::Write;

use kwhy_core::jiff::Timestamp;
use kwhy_core::report::{Situation, TimelineReport, When};
use kwhy_core::{Finding, Level};
use maud::{Markup, html};

use crate::escape::visible;
use crate::outline::Outline;
use crate::words;

/// The heights of the bars and of a row with a finding, in pixels.
const BARS: f64 = 64.0;
const LANE: f64 = 17.0;
/// The place of numbers, left of the picture.
const NUMBERS: &str = "-40";
/// The maximum number of findings, and the number of bars.
const LANES: usize = 16;
const BINS: usize = 120;

/// Times that fit on the same axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Scale {
    /// Times with a date.
    Dated,
    /// Ages, which count back from the end of the input.
    Age,
    /// Times without a year.
    Yearless,
}

/// A span of time on an axis, in seconds.
struct Axis {
    scale: Scale,
    start: i64,
    end: i64,
}

impl Axis {
    /// Returns the place of a time in per cent of the picture's width, which depends on the screen.
    fn x(&self, second: i64) -> String {
        let all = (self.end - self.start).max(1) as f64;
        format!("{}%", px((second - self.start) as f64 / all * 100.0))
    }

    /// Returns a time as text, without the date if the axis is shorter than a day.
    fn label(&self, second: i64) -> String {
        if self.scale == Scale::Age {
            return match -second {
                0 => "the end".to_owned(),
                age => format!("{} before", words::seconds(age)),
            };
        }
        let text = Timestamp::from_second(second).map_or(String::new(), |time| time.to_string());
        let text = text.trim_end_matches('Z').replace('T', " ");
        let text = match self.scale {
            Scale::Yearless => text.get(5..).unwrap_or(&text),
            _ => &text,
        };
        let is_short = self.end - self.start < 86_400;
        let text = text
            .split_once(' ')
            .filter(|_| is_short)
            .map_or(text, |it| it.1);
        text.to_owned()
    }
}

/// Returns the axis of a time and its second on that axis. Ages are dated if the time of collection is known.
fn place(when: &When, collected: Option<Timestamp>) -> Option<(Scale, i64)> {
    match (when, collected) {
        (When::At(stamp), _) => {
            let second = stamp.timestamp()?.as_second();
            let scale = if stamp.year_stated {
                Scale::Dated
            } else {
                Scale::Yearless
            };
            Some((scale, second))
        }
        (When::Ago(age), Some(end)) => {
            let age = i64::try_from(age.seconds).ok()?;
            Some((Scale::Dated, end.as_second().checked_sub(age)?))
        }
        (When::Ago(age), None) => Some((Scale::Age, -i64::try_from(age.seconds).ok()?)),
        _ => None,
    }
}

/// Returns the picture; nothing if the report contains no times.
pub fn timeline(outline: &Outline<'_>) -> Markup {
    let report = outline.report;
    let collected = report
        .collected_at
        .as_ref()
        .and_then(|it| it.time.timestamp());
    let place = |when: &When| place(when, collected);
    let findings = outline.roots.iter().chain(&outline.over);
    let spans: Vec<(&Finding, Scale, i64, i64)> = findings
        .filter_map(|finding| {
            let first = finding.first.or(finding.last)?;
            let (scale, start) = place(&first)?;
            let last = finding.last.as_ref().and_then(place);
            let end = last.filter(|(of, _)| *of == scale).map_or(start, |it| it.1);
            Some((*finding, scale, start, end.max(start)))
        })
        .collect();
    let bars = report.timeline.as_ref().map(bars).unwrap_or_default();
    let marks: Vec<(Scale, i64, String)> = report
        .situations
        .iter()
        .filter_map(|situation| {
            let (when, text) = match situation {
                Situation::NodeRestarted { node, at } => (at, format!("node {node} restarted")),
                Situation::Starting { since } => (since, "the cluster was made".to_owned()),
                _ => return None,
            };
            let (scale, second) = place(when)?;
            Some((scale, second, text))
        })
        .collect();
    let all = || {
        let of_spans = spans.iter().flat_map(|it| [(it.1, it.2), (it.1, it.3)]);
        let of_bars = bars.iter().map(|bar| (bar.scale, bar.second));
        of_spans
            .chain(of_bars)
            .chain(marks.iter().map(|it| (it.0, it.1)))
    };
    // a picture has one axis: that with the most times
    let count = |scale| all().filter(|it| it.0 == scale).count();
    let scales = [Scale::Yearless, Scale::Age, Scale::Dated];
    let Some(scale) = scales.into_iter().max_by_key(|scale| count(*scale)) else {
        return html! {};
    };
    let seconds = || all().filter(|it| it.0 == scale).map(|it| it.1);
    let (Some(start), Some(end)) = (seconds().min(), seconds().max()) else {
        return html! {};
    };
    let end = if scale == Scale::Age { 0 } else { end };
    let axis = Axis {
        scale,
        start,
        end: end.max(start + 1),
    };
    let lanes: Vec<_> = spans
        .iter()
        .filter(|it| it.1 == scale)
        .take(LANES)
        .collect();
    let top = if bars.is_empty() { 8.0 } else { BARS + 14.0 };
    let base = top + LANE * lanes.len() as f64;
    let height = base + 22.0;
    let elsewhere = spans.len() - lanes.len();
    html! {
        section class="panel" {
            h2 { "Timeline" }
            div class="time" {
                svg width="100%" height=(height) role="img" aria-label="Findings and events over time" {
                    (drawn_bars(&axis, &bars))
                    line class="axis" x1="0" y1=(base + 4.0) x2="100%" y2=(base + 4.0) {}
                    @for (index, (finding, _, start, end)) in lanes.iter().enumerate() {
                        (lane(&axis, top + LANE * index as f64, finding, (*start, *end)))
                    }
                    @for (_, second, text) in marks.iter().filter(|it| it.0 == scale) {
                        line class="mark" x1=(axis.x(*second)) y1="0" x2=(axis.x(*second)) y2=(base + 4.0) {
                            title { (visible(text)) }
                        }
                    }
                    text class="dim" x="0" y=(base + 18.0) { (axis.label(axis.start)) }
                    text class="dim middle" x="50%" y=(base + 18.0) text-anchor="middle" {
                        (axis.label(axis.start + (axis.end - axis.start) / 2))
                    }
                    text class="dim" x="100%" y=(base + 18.0) text-anchor="end" { (axis.label(axis.end)) }
                }
            }
            p class="key" {
                @if !bars.is_empty() {
                    span { b class="error" { "■" } " errors" }
                    span { b class="warning" { "■" } " warnings" }
                    span { b class="info" { "■" } " other records" }
                }
                @for (_, second, text) in marks.iter().filter(|it| it.0 == scale) {
                    span { "┆ " (visible(text)) " (" (axis.label(*second)) ")" }
                }
                @if elsewhere > 0 { span { (elsewhere) " more findings are not drawn" } }
            }
        }
    }
}

/// Returns a row with a finding, from its first to its last time.
fn lane(axis: &Axis, y: f64, finding: &Finding, (start, end): (i64, i64)) -> Markup {
    let class = match finding.severity {
        Level::Error => "lane se",
        Level::Warning => "lane sw",
        Level::Info => "lane si",
    };
    let y = px(y + 7.0);
    html! {
        a href=(format!("#f{}", finding.rank)) {
            text x=(NUMBERS) y=(y + 4.0) { "#" (finding.rank) }
            line class=(class) x1=(axis.x(start)) y1=(y) x2=(axis.x(end)) y2=(y) {
                title { (visible(&words::cut(&finding.title, 120))) ": " (words::seen(finding)) }
            }
        }
    }
}

/// The number of records at one time: errors, warnings, others.
struct Bar {
    scale: Scale,
    second: i64,
    counts: [u64; 3],
}

fn bars(timeline: &TimelineReport) -> Vec<Bar> {
    let buckets = timeline.buckets.iter().filter_map(|bucket| {
        let (scale, second) = place(&When::At(bucket.start), None)?;
        let counts = &bucket.counts;
        let counts = [
            counts.fatal + counts.error,
            counts.warning,
            counts.info + counts.other,
        ];
        Some(Bar {
            scale,
            second,
            counts,
        })
    });
    buckets.collect()
}

fn drawn_bars(axis: &Axis, bars: &[Bar]) -> Markup {
    let mut bins = vec![[0_u64; 3]; BINS];
    let all = (axis.end - axis.start).max(1);
    for bar in bars.iter().filter(|bar| bar.scale == axis.scale) {
        let at = i128::from(bar.second - axis.start) * (BINS as i128 - 1) / i128::from(all);
        let at = usize::try_from(at).unwrap_or(0).min(BINS - 1);
        for (sum, count) in bins[at].iter_mut().zip(bar.counts) {
            *sum += count;
        }
    }
    let highest = bins
        .iter()
        .map(|bin| bin.iter().sum::<u64>())
        .max()
        .unwrap_or(0);
    // a logarithmic height, so that a single error among many lines is visible
    let scaled = |count: u64| match count {
        0 => 0.0,
        _ => ((count as f64 + 1.0).ln() / (highest as f64 + 1.0).ln() * BARS).max(2.0),
    };
    // one path for each severity; a bar is a stroke in it, and a bin is one unit wide
    let mut paths: [String; 3] = Default::default();
    for (index, bin) in bins.iter().enumerate() {
        let all: u64 = bin.iter().sum();
        let mut y = BARS + 4.0;
        for (path, count) in paths.iter_mut().zip(*bin).filter(|it| it.1 > 0) {
            let length = (scaled(all) * count as f64 / all as f64).max(2.0);
            let _ = write!(path, "M{index}.5 {}v-{}", px(y), px(length));
            y -= length;
        }
    }
    html! {
        @if highest > 0 {
            text class="dim" x=(NUMBERS) y="10" { (highest) }
            svg width="100%" height=(BARS + 4.0) viewBox=(format!("0 0 {BINS} {}", BARS + 4.0)) preserveAspectRatio="none" {
                @for (path, class) in paths.iter().zip(["se", "sw", "si"]).filter(|it| !it.0.is_empty()) {
                    path class=(class) stroke-width=".85" d=(path) {}
                }
            }
        }
    }
}

/// Rounds a length to one decimal place.
fn px(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}
