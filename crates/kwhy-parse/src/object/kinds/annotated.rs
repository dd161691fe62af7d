//! Conditions that the API server stores as JSON in an annotation.
//!
//! autoscaling/v1 has no field for the conditions of a HorizontalPodAutoscaler: the API server converts
//! them (kubernetes/kubernetes `pkg/apis/autoscaling/v1/conversion.go`) to
//! `autoscaling.alpha.kubernetes.io/conditions`.

use kwhy_model::{Map, Span, TextBuilder, Value};

const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";

/// The maximum number of conditions per object; an autoscaler has three.
const MOST: usize = 64;

/// Returns the object with the conditions of its annotation moved to its status; `None` if the status has some already.
pub(in crate::object) fn annotated<'a>(object: &Map<'a>) -> Option<Map<'a>> {
    let Some(Value::Map(annotations)) = object.get("metadata.annotations") else {
        return None;
    };
    let mut annotations = annotations.iter();
    let (_, annotation) = annotations.find(|(key, _)| *key == CONDITIONS)?;
    let Value::Text(annotation) = annotation else {
        return None;
    };
    let mut status = match object.get("status") {
        Some(Value::Map(status)) => status.clone(),
        Some(_) => return None,
        None => Map::new(),
    };
    if status.get("conditions").is_some() {
        return None;
    }
    let conditions: Vec<serde_json::Map<String, serde_json::Value>> =
        serde_json::from_str(annotation.as_str()).ok()?;
    let span = annotation.span();
    let conditions = conditions.iter().take(MOST);
    let conditions = conditions.map(|condition| Value::Map(self::condition(condition, &span)));
    status.insert("conditions", Value::List(conditions.collect()));
    let mut object = object.clone();
    object.insert("status", Value::Map(status));
    Some(object)
}

/// Returns a condition as a map of texts, all with the span of the annotation.
fn condition<'a>(members: &serde_json::Map<String, serde_json::Value>, span: &Span) -> Map<'a> {
    let mut condition = Map::new();
    for (key, value) in members {
        let Some(text) = value.as_str().filter(|text| !text.is_empty()) else {
            continue;
        };
        let mut builder = TextBuilder::new();
        builder.push_decoded(text, span.clone());
        condition.insert(key.clone(), Value::Text(builder.finish()));
    }
    condition
}

#[cfg(test)]
mod tests {
    use crate::input::lines;
    use crate::object::parse;

    #[test]
    fn an_autoscaler_keeps_its_conditions_in_an_annotation() {
        let text = "\
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata:
  annotations:
    autoscaling.alpha.kubernetes.io/conditions: '[{\"type\":\"AbleToScale\",\"status\":\"True\",\"reason\":\"SucceededGetScale\",\"message\":\"the
      scale of the crane is known\"},{\"type\":\"ScalingActive\",\"status\":\"False\",\"reason\":\"FailedGetResourceMetric\",\"message\":\"no
      metrics of the crane''s arm\"}]'
  name: crane
  namespace: harbour
status:
  currentReplicas: 1
";
        let all: Vec<_> = lines(text).collect();
        let parsed = parse(&all);
        let object = &parsed.objects[0];
        assert_eq!(object.fields.items("conditions").len(), 2);
        let annotation: Vec<_> = parsed
            .events
            .iter()
            .map(|event| {
                let reason = event.reason.as_ref().map(|reason| reason.as_str());
                (reason.unwrap_or(""), event.message.as_str())
            })
            .collect();
        assert_eq!(
            annotation,
            [
                ("SucceededGetScale", "the scale of the crane is known"),
                ("FailedGetResourceMetric", "no metrics of the crane's arm"),
            ]
        );
        assert!(
            parsed
                .events
                .iter()
                .all(|event| event.span.end <= text.len())
        );
        let broken = text.replace("}]'", "'");
        let all: Vec<_> = lines(&broken).collect();
        assert!(parse(&all).events.is_empty());
    }
}
