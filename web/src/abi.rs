//! The functions that JavaScript calls, and those that it provides.
//!
//! A request is passed in a buffer: the page asks for it with `buffer`, writes the text there and calls `analyze`.
//! Results are read by address and length, which are valid until the next call. The module has one thread.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::io;
use std::time::Duration;

use crate::session::{Host, Outcome, analyze as run};

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Reads bytes of a file to an address, and returns their number; negative if the file cannot be read.
    safe fn read(file: u32, offset: f64, into: *mut u8, length: u32) -> i32;
    /// Returns the milliseconds since an arbitrary moment.
    safe fn now() -> f64;
}

/// The results of the last analysis.
#[derive(Default)]
struct Results {
    error: String,
    forms: [Vec<u8>; 3],
}

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static RESULTS: RefCell<Results> = RefCell::default();
}

#[derive(Clone, Copy)]
struct Page;

impl Host for Page {
    fn read(self, file: usize, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let length = u32::try_from(into.len()).unwrap_or(u32::MAX);
        // exact: files in browsers are shorter than 2^53 bytes
        let count = read(file as u32, offset as f64, into.as_mut_ptr(), length);
        usize::try_from(count).map_err(|_| io::Error::other("the browser cannot read it"))
    }

    fn clock(self) -> fn() -> Duration {
        || Duration::from_secs_f64(now().max(0.0) / 1000.0)
    }
}

/// Returns the address of a new buffer of `length` bytes for a request.
#[unsafe(no_mangle)]
pub extern "C" fn buffer(length: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|buffer| {
        *buffer = vec![0; length];
        buffer.as_mut_ptr()
    })
}

/// Runs the request in the buffer. Returns 0, or 1 if there is an error.
#[unsafe(no_mangle)]
pub extern "C" fn analyze() -> u32 {
    let request = BUFFER.take();
    let outcome = serde_json::from_slice(&request)
        .map_err(|error| format!("the request of the page cannot be read: {error}"))
        .and_then(|request| run(&request, Page));
    let results = match outcome {
        Ok(Outcome {
            html,
            json,
            markdown,
            ..
        }) => Results {
            error: String::new(),
            forms: [html, json, markdown],
        },
        Err(error) => Results {
            error,
            ..Results::default()
        },
    };
    let failed = u32::from(!results.error.is_empty());
    RESULTS.set(results);
    failed
}

/// Applies a function to a result: 0 is the page of HTML, 1 is JSON, 2 is Markdown, any other number is the error.
fn result<T>(number: usize, look: impl FnOnce(&[u8]) -> T) -> T {
    RESULTS.with_borrow(|results| match results.forms.get(number) {
        Some(form) => look(form),
        None => look(results.error.as_bytes()),
    })
}

/// Returns the address of a result.
#[unsafe(no_mangle)]
pub extern "C" fn result_at(number: usize) -> *const u8 {
    result(number, <[u8]>::as_ptr)
}

/// Returns the length of a result in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn result_length(number: usize) -> usize {
    result(number, <[u8]>::len)
}
