//! Compiles `topology.yaml`.

use kwhy_signature::SignatureError;
use serde::Deserialize;

use super::yaml::{self, Pairs};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Topology {
    served_by: Pairs<String>,
    static_pods: Vec<String>,
    registries: Pairs<String>,
    api_server: ApiServer,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ApiServer {
    service: String,
    ports: Vec<String>,
    paths: Vec<String>,
}

/// Checks the facts about clusters, and returns them as a constant.
pub fn compile(file: &str, text: &str) -> Result<String, SignatureError> {
    let topology: Topology = yaml::read(file, text)?;
    let ApiServer {
        service,
        ports,
        paths,
    } = &topology.api_server;
    let keys = |pairs: &Pairs<String>| pairs.0.iter().map(|(key, _)| key.clone()).collect();
    for names in [
        keys(&topology.served_by),
        topology.static_pods.clone(),
        keys(&topology.registries),
        ports.clone(),
        paths.clone(),
    ] {
        let names: Vec<String> = names;
        if names.is_empty() {
            return Err(SignatureError::about(
                file,
                text,
                "[]",
                "an empty list".into(),
            ));
        }
        if let Some(name) = yaml::repeated(names.iter().map(String::as_str)) {
            let message = format!("{name:?} is empty or listed twice");
            return Err(SignatureError::about(file, text, name, message));
        }
    }
    let values = topology.served_by.0.iter().chain(&topology.registries.0);
    if let Some((key, _)) = values.clone().find(|(_, value)| value.is_empty()) {
        let message = format!("{key:?} has no value");
        return Err(SignatureError::about(file, text, key, message));
    }
    let Some((namespace, name)) = service.split_once('/') else {
        let message = "the Service is written `namespace/name`";
        return Err(SignatureError::about(file, text, service, message.into()));
    };
    let served_by: String = (topology.served_by.0.iter())
        .map(|(service, workload)| format!("({}, {}), ", object(service), object(workload)))
        .collect();
    let (static_pods, registries) = (&topology.static_pods, &topology.registries.0);
    Ok(format!(
        "static TOPOLOGY: Topology = Topology {{
    served_by: &[{served_by}],
    static_pods: &{static_pods:?},
    registries: &{registries:?},
    api_server: ApiServer {{ service: ({namespace:?}, {name:?}), ports: &{ports:?}, paths: &{paths:?} }},
}};
"
    ))
}

/// Writes an object's name with its namespace, if one is given, as a Rust expression.
fn object(path: &str) -> String {
    let (namespace, name) = match path.split_once('/') {
        Some((namespace, name)) => (Some(namespace), name),
        None => (None, path),
    };
    format!("ObjectName {{ namespace: {namespace:?}, name: {name:?} }}")
}
