//! Responses: the format that a request asks for, and errors.

use axum::Json;
use axum::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JSON of the schema `kwhy.report/1`.
    Json,
    /// A page of HTML.
    Html,
}

impl Form {
    /// Returns the format that a request asks for: by `?format=`, otherwise by its header `Accept`.
    ///
    /// # Errors
    /// There is no such format, or the client accepts none.
    pub fn asked(format: Option<&str>, headers: &HeaderMap) -> Result<Form, Refusal> {
        match format {
            Some("json") => Ok(Form::Json),
            Some("html") => Ok(Form::Html),
            Some(_) => Err(Refusal::Format),
            None => accepted(headers).ok_or(Refusal::NotAcceptable),
        }
    }

    fn content_type(self) -> &'static str {
        match self {
            Form::Json => "application/json",
            Form::Html => "text/html; charset=utf-8",
        }
    }

    /// Returns the response with a report.
    pub fn response(self, report: Vec<u8>) -> Response {
        let headers = [
            (CONTENT_TYPE, HeaderValue::from_static(self.content_type())),
            (CACHE_CONTROL, HeaderValue::from_static("no-store")),
            (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        ];
        (headers, report).into_response()
    }
}

/// Returns the format that a client prefers, JSON without a preference; `None` if it accepts neither.
fn accepted(headers: &HeaderMap) -> Option<Form> {
    let mut best: Option<(f32, Form)> = None;
    let mut is_asked = false;
    for value in headers.get_all(ACCEPT) {
        for range in value.to_str().unwrap_or_default().split(',') {
            let mut parts = range.split(';').map(str::trim);
            let form = match parts.next().unwrap_or_default() {
                "" => continue,
                "application/json" | "application/*" | "*/*" => Some(Form::Json),
                "text/html" | "text/*" => Some(Form::Html),
                _ => None,
            };
            is_asked = true;
            let weight = parts.find_map(|part| part.strip_prefix("q="));
            let weight = weight.map_or(Ok(1.0), str::parse::<f32>).unwrap_or(0.0);
            if let Some(form) = form.filter(|_| weight > 0.0)
                && best.is_none_or(|(known, _)| weight > known)
            {
                best = Some((weight, form));
            }
        }
    }
    match best {
        Some((_, form)) => Some(form),
        None => (!is_asked).then_some(Form::Json),
    }
}

/// The reason why a request gets no report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// `?format=` names an unknown format.
    Format,
    /// The client accepts none of the formats.
    NotAcceptable,
    /// The body is larger than this number of bytes.
    TooLarge(u64),
    /// The body or the analysis takes too long.
    TooSlow,
    /// The body ended early.
    CutOff,
    /// There are too many analyses at once.
    Busy,
    /// The service is shutting down.
    Ending,
    /// The analysis failed, which is a bug in this program.
    Failed,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, message) = match self {
            Refusal::Format => (StatusCode::BAD_REQUEST, "format is json or html".to_owned()),
            Refusal::NotAcceptable => (
                StatusCode::NOT_ACCEPTABLE,
                "a report is application/json or text/html".to_owned(),
            ),
            Refusal::TooLarge(most) => (
                StatusCode::PAYLOAD_TOO_LARGE,
                format!("a body has {most} bytes at most"),
            ),
            Refusal::TooSlow => (
                StatusCode::REQUEST_TIMEOUT,
                "the body took too long".to_owned(),
            ),
            Refusal::CutOff => (StatusCode::BAD_REQUEST, "the body ended early".to_owned()),
            Refusal::Busy => (
                StatusCode::SERVICE_UNAVAILABLE,
                "too many analyses at once".to_owned(),
            ),
            Refusal::Ending => (
                StatusCode::SERVICE_UNAVAILABLE,
                "the service ends".to_owned(),
            ),
            Refusal::Failed => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "the analysis failed".to_owned(),
            ),
        };
        let mut response = (status, Json(json!({ "error": message }))).into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            let headers = response.headers_mut();
            headers.insert(RETRY_AFTER, HeaderValue::from_static("5"));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(accept: &str) -> Option<Form> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_str(accept).unwrap());
        accepted(&headers)
    }

    #[test]
    fn the_preferred_form_is_chosen() {
        assert_eq!(accepted(&HeaderMap::new()), Some(Form::Json));
        assert_eq!(accepts("*/*"), Some(Form::Json));
        assert_eq!(
            accepts("text/html,application/xml;q=0.9,*/*;q=0.8"),
            Some(Form::Html)
        );
        assert_eq!(
            accepts("text/html;q=0.5, application/json"),
            Some(Form::Json)
        );
        assert_eq!(accepts("image/png"), None);
        assert_eq!(accepts("application/json;q=0"), None);
    }
}
