//! Cases of our own, which always run.
