//! Passes the body of a request to an analysis piece by piece, within limits.

use std::io;

use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use http_body_util::BodyExt;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, timeout_at};

use crate::answer::Refusal;
use crate::settings::Settings;

/// Refuses a body that is too large according to its header, before it is read.
///
/// # Errors
/// The stated length is too large.
pub fn refuse_announced(headers: &HeaderMap, most: u64) -> Result<(), Refusal> {
    let announced = headers.get(CONTENT_LENGTH);
    let announced = announced.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    match announced {
        Some(bytes) if bytes > most => Err(Refusal::TooLarge(most)),
        _ => Ok(()),
    }
}

/// Sends the pieces of a body to an analysis, which slows the upload down if it is slower.
///
/// # Errors
/// The body is too large, too slow or ended early. The analysis then receives an error, and ends.
pub async fn feed(
    mut body: Body,
    to: Sender<io::Result<Bytes>>,
    settings: &Settings,
    deadline: Instant,
) -> Result<(), Refusal> {
    let mut read = 0;
    loop {
        let until = deadline.min(Instant::now() + settings.idle);
        let refusal = match timeout_at(until, body.frame()).await {
            Ok(None) => return Ok(()),
            Ok(Some(Ok(frame))) => {
                let Ok(piece) = frame.into_data() else {
                    continue;
                };
                read += piece.len() as u64;
                if read <= settings.max_body {
                    match timeout_at(deadline, to.send(Ok(piece))).await {
                        Ok(Ok(())) => continue,
                        // the analysis met a limit and needs no more
                        Ok(Err(_)) => return Ok(()),
                        Err(_) => Refusal::TooSlow,
                    }
                } else {
                    Refusal::TooLarge(settings.max_body)
                }
            }
            Ok(Some(Err(_))) => Refusal::CutOff,
            Err(_) => Refusal::TooSlow,
        };
        // a full channel means that the analysis is busy; then it is ended by cancelling it
        let _ = to.try_send(Err(io::ErrorKind::UnexpectedEof.into()));
        return Err(refusal);
    }
}
