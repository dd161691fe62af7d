//! The service under a real HTTP client, with bodies that are good, hostile, cut, slow, and many at once.
#![allow(clippy::unwrap_used)]

mod client;

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use client::{PANIC, Service, bundle, end_of_sending, gzip, status_of};

#[test]
fn a_bundle_is_diagnosed_in_the_form_that_is_asked_for() {
    let service = Service::start(&[]);
    let body = bundle(&[
        ("must-gather/version", b"4.15"),
        (
            "must-gather/namespaces/shop/pods/web-0/web/web/logs/current.log",
            PANIC,
        ),
    ]);
    let json = service.post("/reports?name=case-7.tar.gz", None, &body);
    assert_eq!((json.status, json.kind.as_str()), (200, "application/json"));
    assert_eq!(json.causes(), ["container/app-panic"]);
    let source = &json.json()["findings"][0]["evidence"][0]["source"];
    assert!(
        source
            .as_str()
            .unwrap()
            .starts_with("case-7.tar.gz!must-gather/"),
        "{source}"
    );
    let streamed = service
        .post_stream("/reports?name=case-7.tar.gz", body.as_slice())
        .unwrap();
    assert_eq!(streamed.body, json.body);
    for (path, accept) in [
        ("/reports?format=html", None),
        (
            "/reports",
            Some("text/html,application/xml;q=0.9,*/*;q=0.8"),
        ),
    ] {
        let page = service.post(path, accept, &body);
        assert_eq!(
            (page.status, page.kind.as_str()),
            (200, "text/html; charset=utf-8")
        );
        assert!(page.body.starts_with("<!DOCTYPE html>"), "{}", page.body);
    }
    assert_eq!(service.post("/reports?format=pdf", None, &body).status, 400);
    assert_eq!(
        service.post("/reports", Some("image/png"), &body).status,
        406
    );
    assert_eq!(service.health().json()["status"], "serving");
}

#[test]
fn hostile_bodies_get_reports_that_say_so() {
    let service = Service::start(&[]);
    let bomb = gzip(&vec![b'x'; 256 << 20]);
    assert!(bomb.len() < 2 << 20);
    let report = service.post("/reports", None, &bomb);
    assert_eq!(report.status, 200);
    assert!(
        report.limits().contains(&"ratio".to_owned()),
        "{:?}",
        report.limits()
    );
    // random bytes
    let mut state = 88172645463325252_u64;
    let garbage: Vec<u8> = (0..1 << 20)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        })
        .collect();
    let report = service.post("/reports", None, &garbage);
    assert_eq!((report.status, report.causes().len()), (200, 0));
    assert_eq!(report.json()["verdict"], "unknown");
    // the causes before the end of a truncated archive are found
    let whole = bundle(&[("a.log", PANIC), ("b.log", &[b'x'; 100_000])]);
    let report = service.post("/reports", None, &whole[..whole.len() - 40]);
    assert_eq!(report.causes(), ["container/app-panic"]);
    assert!(
        report.limits().contains(&"damaged".to_owned()),
        "{:?}",
        report.limits()
    );
    // names never become markup
    let named = bundle(&[("<script>alert(1)</script>.log", PANIC)]);
    let page = service.post("/reports?format=html&name=%3Cscript%3E", None, &named);
    assert_eq!(page.body.matches("<script").count(), 1, "{}", page.body);
}

#[test]
fn a_body_is_no_larger_than_it_may_be() {
    let service = Service::start(&["--max-body", "1000000"]);
    let body = vec![b'\n'; 2_000_000];
    assert_eq!(
        service.post("/reports", None, &PANIC.repeat(1000)).status,
        200
    );
    // with a stated length, the response comes before the body
    let mut announced = service.begin(body.len());
    assert_eq!(status_of(&mut announced), 413);
    // without one, the connection may be closed while the client still sends
    match service.post_stream("/reports", body.as_slice()) {
        Ok(answer) => assert_eq!(answer.status, 413),
        Err(error) => assert!(matches!(error, ureq::Error::Io(_)), "{error}"),
    }
    service.wait_until_idle();
}

#[test]
fn a_body_that_is_cut_is_refused_and_leaves_nothing() {
    let service = Service::start(&["--at-once", "1"]);
    let mut half_open = service.begin(1_000_000);
    half_open.write_all(PANIC).unwrap();
    end_of_sending(&half_open);
    assert_eq!(status_of(&mut half_open), 400);
    let mut gone = service.begin(1_000_000);
    gone.write_all(PANIC).unwrap();
    drop(gone);
    service.wait_until_idle();
    assert_eq!(service.post("/reports", None, PANIC).status, 200);
}

#[test]
fn a_slow_body_is_given_up() {
    // a body that stops
    let service = Service::start(&["--idle", "1"]);
    let mut stops = service.begin(1_000_000);
    stops.write_all(PANIC).unwrap();
    let start = Instant::now();
    assert_eq!(status_of(&mut stops), 408);
    assert!(start.elapsed() >= Duration::from_millis(900));
    // a body that trickles
    let service = Service::start(&["--idle", "30", "--time", "2"]);
    let trickling = service.begin(1_000_000);
    let mut writing = trickling.try_clone().unwrap();
    let writer = thread::spawn(move || {
        while writing.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_millis(100));
        }
    });
    let mut trickling = trickling;
    assert_eq!(status_of(&mut trickling), 408);
    drop(trickling);
    writer.join().unwrap();
    service.wait_until_idle();
}

#[test]
fn fifty_at_once_wait_for_their_turn() {
    let service = Service::start(&["--at-once", "4", "--queue", "60"]);
    let body = bundle(&[("logs/web.log", &PANIC.repeat(2000))]);
    let expected = service.post("/reports", None, &body);
    assert_eq!(expected.causes(), ["container/app-panic"]);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..50)
            .map(|_| scope.spawn(|| service.post("/reports", None, &body)))
            .collect();
        for client in clients {
            let answer = client.join().unwrap();
            assert_eq!((answer.status, answer.body == expected.body), (200, true));
        }
    });
    service.wait_until_idle();
}

#[test]
fn more_than_may_wait_are_asked_to_come_again() {
    let service = Service::start(&["--at-once", "1", "--queue", "0"]);
    let mut first = service.begin(PANIC.len());
    while service.health().json()["running"] != 1 {
        thread::sleep(Duration::from_millis(10));
    }
    thread::scope(|scope| {
        let clients: Vec<_> = (0..50)
            .map(|_| scope.spawn(|| service.post("/reports", None, PANIC)))
            .collect();
        for client in clients {
            let answer = client.join().unwrap();
            assert_eq!((answer.status, answer.retry_after), (503, true));
        }
    });
    first.write_all(PANIC).unwrap();
    assert_eq!(status_of(&mut first), 200);
}

#[cfg(unix)]
#[test]
fn what_runs_may_end_before_the_service_does() {
    let service = Service::start(&["--grace", "30"]);
    let mut running = service.begin(PANIC.len());
    let (start, end) = PANIC.split_at(40);
    running.write_all(start).unwrap();
    while service.health().json()["running"] != 1 {
        thread::sleep(Duration::from_millis(10));
    }
    service.terminate();
    while TcpStream::connect(&service.address).is_ok() {
        thread::sleep(Duration::from_millis(10));
    }
    running.write_all(end).unwrap();
    let mut response = String::new();
    running.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    assert!(response.contains("container/app-panic"), "{response}");
    assert_eq!(service.wait().code(), Some(0));
}

#[cfg(unix)]
#[test]
fn what_does_not_end_in_time_is_broken_off() {
    let service = Service::start(&["--grace", "1"]);
    let mut stuck = service.begin(1_000_000);
    stuck.write_all(PANIC).unwrap();
    while service.health().json()["running"] != 1 {
        thread::sleep(Duration::from_millis(10));
    }
    service.terminate();
    assert_eq!(status_of(&mut stuck), 503);
    assert_eq!(service.wait().code(), Some(0));
}

/// If the analysis stops at a limit, such as for a bundle that unpacks without end, the upload stops too.
#[test]
fn an_upload_ends_where_the_analysis_needs_no_more() {
    let service = Service::start(&["--max-unpacked", "1000000"]);
    let body = io::repeat(b'\n').take(64 << 20);
    match service.post_stream("/reports", body) {
        Ok(answer) => assert_eq!((answer.status, answer.limits().is_empty()), (200, false)),
        // the connection is closed while the client still sends
        Err(error) => assert!(matches!(error, ureq::Error::Io(_)), "{error}"),
    }
    service.wait_until_idle();
}
