#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kwhy_fuzz::log_envelopes(data));
