//! The routes, and the state that requests share.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Query, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use kwhy_core::{Analyzer, Cancel};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::time::{Instant, timeout, timeout_at};

use crate::analysis::{self, Job};
use crate::answer::{Form, Refusal};
use crate::settings::Settings;
use crate::upload;

/// The maximum number of pieces of a body that wait for the analysis, some 16 KiB each.
const WAITING: usize = 16;

/// The stages of the service's shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Serving,
    Ending,
    BrokenOff,
}

/// The state that requests share.
pub struct App {
    analyzer: Analyzer,
    settings: Settings,
    places: Arc<Semaphore>,
    stage: watch::Sender<Stage>,
}

impl App {
    /// Creates the state of a service that accepts requests.
    pub fn new(settings: Settings) -> App {
        App {
            analyzer: Analyzer::new(),
            places: Arc::new(Semaphore::new(settings.at_once)),
            settings,
            stage: watch::Sender::new(Stage::Serving),
        }
    }

    /// Stops accepting requests.
    pub fn end(&self) {
        self.stage.send_replace(Stage::Ending);
    }

    /// Ends the requests that are still running.
    pub fn break_off(&self) {
        self.stage.send_replace(Stage::BrokenOff);
    }

    /// Returns once no requests are accepted any more.
    pub async fn ending(&self) {
        self.reached(Stage::Ending).await;
    }

    async fn reached(&self, stage: Stage) {
        let mut stages = self.stage.subscribe();
        // the sender lives as long as `self`
        let _ = stages.wait_for(|now| *now >= stage).await;
    }
}

/// Returns the routes of the service.
pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/healthz", get(health))
        .route("/reports", post(report))
        .with_state(app)
}

/// Reports whether requests are accepted, and how many analyses run.
async fn health(State(app): State<Arc<App>>) -> Response {
    let running = app.settings.at_once - app.places.available_permits();
    let (status, word) = match *app.stage.borrow() {
        Stage::Serving => (StatusCode::OK, "serving"),
        _ => (StatusCode::SERVICE_UNAVAILABLE, "ending"),
    };
    (status, Json(json!({ "status": word, "running": running }))).into_response()
}

/// The parameters of a request.
#[derive(Debug, Deserialize)]
struct Asked {
    /// The format of the report.
    format: Option<String>,
    /// The name of the upload.
    name: Option<String>,
}

/// Cancels an analysis whose client has gone.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Analyses a body while it is received.
async fn report(
    State(app): State<Arc<App>>,
    Query(asked): Query<Asked>,
    request: Request,
) -> Result<Response, Refusal> {
    let settings = &app.settings;
    let form = Form::asked(asked.format.as_deref(), request.headers())?;
    upload::refuse_announced(request.headers(), settings.max_body)?;
    let turn = timeout(settings.queue, Arc::clone(&app.places).acquire_owned());
    let Ok(Ok(place)) = turn.await else {
        return Err(Refusal::Busy);
    };
    let deadline = Instant::now() + settings.time;
    let cancel = Cancel::new();
    let _guard = CancelOnDrop(cancel.clone());
    let (sender, pieces) = mpsc::channel(WAITING);
    let job = Job {
        name: asked.name.unwrap_or_else(|| "upload".to_owned()),
        pieces,
        cancel: cancel.clone(),
        form,
    };
    let of_app = Arc::clone(&app);
    let analysis = tokio::task::spawn_blocking(move || {
        // released when the analysis ends, even if its client has gone
        let _place = place;
        analysis::run(&of_app.analyzer, &of_app.settings, job)
    });
    let receiving = async {
        upload::feed(request.into_body(), sender, settings, deadline).await?;
        // the body is received: only the report is left
        timeout_at(deadline + Duration::from_secs(5), analysis)
            .await
            .map_err(|_| Refusal::TooSlow)?
            .map_err(|_| Refusal::Failed)
    };
    let report = tokio::select! {
        report = receiving => report?,
        () = app.reached(Stage::BrokenOff) => return Err(Refusal::Ending),
    };
    Ok(form.response(report))
}
