//! Times in all formats.

use super::*;

fn shown(text: &str) -> String {
    parse(text).map_or_else(|| "none".to_owned(), |stamp| stamp.to_string())
}

#[test]
fn dates() {
    assert_eq!(shown("2024-03-04T05:06:07Z"), "2024-03-04T05:06:07Z");
    assert_eq!(
        shown("2024-03-04T05:06:07.120+0800"),
        "2024-03-03T21:06:07.120Z"
    );
    assert_eq!(
        shown("2024-03-04 05:06:07,5 +0000 UTC"),
        "2024-03-04T05:06:07.5Z"
    );
    assert!(!parse("2024-03-04T05:06:07").unwrap().zone_stated);
    for wrong in [
        "2024-13-04T05:06:07Z",
        "2024-03-04",
        "",
        "x",
        "2024-03-04T0",
    ] {
        assert_eq!(parse(wrong), None, "{wrong}");
    }
}

#[test]
fn days_are_those_of_the_calendar() {
    use jiff::civil::Date;
    for year in 0..=9999 {
        for (month, day) in [(1, 1), (2, 28), (2, 29), (3, 1), (4, 31), (12, 31), (13, 1)] {
            let date = Date::new(year, month, day).ok();
            let expected = date.map(|date| {
                let since = date - Date::constant(1970, 1, 1);
                i64::from(since.get_days())
            });
            let [month, day] = [month, day].map(|n| u32::try_from(n).unwrap());
            let found = days(u32::try_from(year).unwrap(), month, day);
            assert_eq!(found, expected, "{year}-{month}-{day}");
        }
    }
    assert_eq!(parse("9999-12-31T00:00:00Z"), None);
    assert_eq!(parse("2024-03-04T05:06:07+26:00"), None);
}

#[test]
fn epochs() {
    assert_eq!(
        shown("1.7095287671234567e+09"),
        "2024-03-04T05:06:07.1234567Z"
    );
    assert_eq!(shown("1709528767"), "2024-03-04T05:06:07Z");
    assert_eq!(shown("1709528767123"), "2024-03-04T05:06:07.123Z");
    assert_eq!(shown("1709528767123.4567"), "2024-03-04T05:06:07.1234567Z");
    assert_eq!(
        shown("1709528767123456789"),
        "2024-03-04T05:06:07.123456789Z"
    );
    assert_eq!(epoch("1e99999999999"), None);
    assert_eq!(epoch("-1"), None);
}

#[test]
fn without_year() {
    for text in ["03-04 05:06:07.125", "03.04 05:06:07.125"] {
        let found = written::leading(text).unwrap();
        assert_eq!(found.stamp.unwrap().to_string(), "03-04T05:06:07.125");
        assert_eq!(found.length, text.len());
    }
    assert!(written::leading("13.04 05:06:07").is_none());
    assert!(written::leading("03.04 lifts").is_none());
    let (stamp, length) = leading_klog_time("0304 05:06:07.123456  1 x.go:1] y").unwrap();
    assert_eq!(
        (stamp.to_string().as_str(), length),
        ("03-04T05:06:07.123456", 20)
    );
    assert!(!stamp.year_stated);
    let (stamp, _) = leading_klog_time("20240304 05:06:07.123456 1 x.cc:1] y").unwrap();
    assert!(stamp.year_stated);
    let (stamp, length) = leading_syslog_time("Mar  4 05:06:07 node kubelet").unwrap();
    assert_eq!((stamp.to_string().as_str(), length), ("03-04T05:06:07", 15));
}
