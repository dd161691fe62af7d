//! Splits bytes into lines and segments.

mod boxes;
mod chunk;
mod command;
mod decoration;
mod describe_state;
mod document;
mod gutter;
mod html_entities;
mod limits;
mod line;
mod markdown;
mod normalize;
mod quoted;
mod segment;
mod segmenter;
mod sentence;
mod split_utf8;
mod terminal_wrap;
mod wrap;

pub use chunk::{Chunk, Gap};
pub(crate) use command::is_command;
pub use command::{Extent, is_output, log_section};
pub use decoration::without_closing_marks;
pub use document::{Document, Place};
pub use limits::ReadLimits;
pub use line::floor_char;
pub use line::{Line, lines};
pub(crate) use markdown::is_printed;
pub use markdown::marked_record;
pub use normalize::{is_clean, utf16_unit};
pub use segment::{Around, ends_log, is_structural, segments_within};
pub use segment::{Segment, segments};
pub(crate) use sentence::is_continued;
