//! Builds the web page: kwhy as WebAssembly in a single HTML file.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use kwhy_render::Html;
use sha2::{Digest, Sha256};

const TARGET: &str = "wasm32-unknown-unknown";

/// Writes `target/page/kwhy.html`, or prints that the target is not installed.
pub fn main() -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    let mut tell = |text: String| writeln!(out, "web: {text}").map_err(|error| error.to_string());
    if !is_installed()? {
        return tell(format!(
            "skipped, as the target is not installed: rustup target add {TARGET}"
        ));
    }
    let module = fs::read(built()?).map_err(|error| error.to_string())?;
    let packed = gzip(&module).map_err(|error| error.to_string())?;
    let page = page(&base64(&packed))?;
    let folder = root().join("target/page");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let path = folder.join("kwhy.html");
    fs::write(&path, &page).map_err(|error| error.to_string())?;
    tell(format!(
        "{}: {} bytes; the module: {} bytes, packed {}",
        path.display(),
        page.len(),
        module.len(),
        packed.len()
    ))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn is_installed() -> Result<bool, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let asked = Command::new(rustc)
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()
        .map_err(|error| format!("rustc does not run: {error}"))?;
    let folder = String::from_utf8_lossy(&asked.stdout);
    Ok(asked.status.success() && Path::new(folder.trim()).is_dir())
}

/// Builds the WebAssembly module and returns its path.
fn built() -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // a WebAssembly module is a cdylib; the crate type is set here, as a dynamic library is of no use on other targets
    let built = Command::new(cargo)
        .current_dir(root())
        // searching processes 16 bytes at a time; browsers have supported SIMD longer than everything else the page
        // needs
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS",
            "-Ctarget-feature=+simd128",
        )
        .args(["rustc", "--package", "kwhy-web", "--lib"])
        .args(["--crate-type", "cdylib", "--profile", "web"])
        .args(["--target", TARGET, "--target-dir", "target"])
        .status()
        .map_err(|error| format!("cargo does not run: {error}"))?;
    match built.success() {
        true => Ok(root().join("target").join(TARGET).join("web/kwhy_web.wasm")),
        false => Err("the module cannot be built".to_owned()),
    }
}

fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Returns the page with all its parts inlined. Its content security policy allows them by hash, as well as those of a
/// report shown in a frame, which inherits the policy. It allows no connections.
fn page(module: &str) -> Result<String, String> {
    let read = |name: &str| {
        let path = root().join("web/page").join(name);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let (style, script, worker) = (read("style.css")?, read("page.js")?, read("worker.js")?);
    for (name, text) in [
        ("style.css", &style),
        ("page.js", &script),
        ("worker.js", &worker),
    ] {
        if text.contains("</") {
            return Err(format!("{name} would end its element: it contains `</`"));
        }
    }
    let policy = format!(
        "default-src 'none'; connect-src 'none'; worker-src blob:; base-uri 'none'; form-action 'none'; \
         style-src '{}' '{}'; script-src '{}' '{}' 'wasm-unsafe-eval'",
        hash(&style),
        Html::STYLE_HASH,
        hash(&script),
        Html::SCRIPT_HASH,
    );
    let parts = [
        ("{{policy}}", policy.as_str()),
        ("{{version}}", env!("CARGO_PKG_VERSION")),
        ("{{style}}", &style),
        ("{{worker}}", &worker),
        ("{{script}}", &script),
        // last, so that the module is not searched for the other placeholders
        ("{{module}}", module),
    ];
    let mut page = read("index.html")?;
    for (mark, part) in parts {
        if page.matches(mark).count() != 1 {
            return Err(format!("{mark} does not occur once in the page"));
        }
        page = page.replace(mark, part);
    }
    Ok(page)
}

/// Returns the source expression that allows a script or style in the policy.
fn hash(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |number: usize| u32::from(group.get(number).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= group.len() {
                digit as char
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_any_length() {
        let texts = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="];
        for (length, text) in texts.into_iter().enumerate() {
            assert_eq!(base64(&b"foob"[..length]), text);
        }
    }

    /// The policy is what limits the page.
    #[test]
    fn the_policy_connects_to_nothing() {
        let page = page("AAAA").unwrap();
        let policy = page.split("Content-Security-Policy").nth(1).unwrap();
        let policy = policy.lines().next().unwrap();
        assert!(
            policy.contains("default-src 'none'; connect-src 'none'"),
            "{policy}"
        );
        assert!(
            !policy.contains("unsafe-inline") && !policy.contains("http"),
            "{policy}"
        );
        // the page loads nothing from elsewhere
        assert!(
            !page.contains("src=\"") && !page.contains("<link"),
            "{page}"
        );
    }
}
