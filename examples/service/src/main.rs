//! kwhy over HTTP: `POST /reports` takes a bundle, a log or a paste as its body and returns the report.
//!
//! The body is analysed while it is received, and is not stored. Its size, its time and the number of analyses at once
//! are limited. `GET /healthz` reports whether requests are accepted. SIGTERM and Ctrl-C shut the service down
//! gracefully: running requests may finish.
//!
//! It has neither users nor TLS: put it after a proxy that has them.

mod analysis;
mod answer;
mod app;
mod settings;
mod upload;

use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;

use app::App;
use settings::Settings;

fn main() -> ExitCode {
    let settings = match Settings::parse(std::env::args().skip(1)) {
        Ok(settings) => settings,
        Err(message) => {
            eprintln!("service: {message}\n{}", settings::USAGE);
            return ExitCode::from(2);
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        // analyses block these threads while they wait for their bodies
        .max_blocking_threads(settings.at_once + 8)
        .build();
    let served = runtime.and_then(|runtime| {
        let served = runtime.block_on(serve(settings));
        // cancelled analyses end soon
        runtime.shutdown_timeout(Duration::from_secs(5));
        served
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("service: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(settings: Settings) -> io::Result<()> {
    let listener = TcpListener::bind(&settings.listen).await?;
    println!("listening on {}", listener.local_addr()?);
    let grace = settings.grace;
    let app = Arc::new(App::new(settings));
    let ending = Arc::clone(&app);
    let stop = async move {
        terminated().await;
        ending.end();
    };
    let serving = axum::serve(listener, app::router(Arc::clone(&app))).with_graceful_shutdown(stop);
    let serving = tokio::spawn(serving.into_future());
    app.ending().await;
    let patience = async {
        tokio::time::sleep(grace).await;
        app.break_off();
        // time to send the responses that say so
        tokio::time::sleep(Duration::from_secs(1)).await;
    };
    tokio::select! {
        served = serving => served.map_err(io::Error::other)?,
        () = patience => Ok(()),
    }
}

/// Returns when the process is asked to stop.
async fn terminated() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = interrupt.await;
}
