//! kwhy over HTTP: `POST /reports` takes a bundle, a log or a paste as its body and returns the report.
//!
//! The body is analysed while it comes in and is kept nowhere. Its size and time, and the number of analyses at once, are
//! limited. `GET /healthz` says that the service takes requests. SIGTERM and Ctrl-C end it gracefully: what is running may end.
//!
//! It knows no users and no TLS: put it after a proxy that does.

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
        // analyses wait for their bodies in these threads
        .max_blocking_threads(settings.at_once + 8)
        .build();
    let served = runtime.and_then(|runtime| {
        let served = runtime.block_on(serve(settings));
        // analyses that were broken off end by themselves
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
        // the responses that say so
        tokio::time::sleep(Duration::from_secs(1)).await;
    };
    tokio::select! {
        served = serving => served.map_err(io::Error::other)?,
        () = patience => Ok(()),
    }
}

/// Returns when the process is asked to end.
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
