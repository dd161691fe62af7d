//! From bytes to lines and segments.

mod clean;
mod command;
mod cut_char;
mod describing;
mod document;
mod emphasis;
mod entity;
mod limits;
mod line;
mod segment;
mod shape;
mod stretch;
mod wrap;

pub use clean::{is_clean, utf16_unit};
pub use command::{Extent, is_output, log_section};
pub use document::{Document, Place};
pub use emphasis::marked_record;
pub use limits::ReadLimits;
pub use line::floor_char;
pub use line::{Line, lines};
pub use segment::{Segment, segments};
pub use segment::{ends_log, is_structural, segments_before};
pub use shape::without_closing_marks;
pub use stretch::{Gap, Stretch};
