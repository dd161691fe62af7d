#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kwhy_fuzz::made_archive(data));
