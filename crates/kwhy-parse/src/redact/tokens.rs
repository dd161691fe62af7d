//! Replaces names in events and objects by tokens.

use std::borrow::Cow;

use kwhy_model::{Event, Object, Subject, Text, TextBuilder, Value};

use super::Identities;

impl Identities {
    /// Returns an event with tokens. Its format, times, severity and field names are kept.
    ///
    /// ```
    /// use kwhy_model::{Event, Format, Subject, Text};
    /// use kwhy_parse::redact::Identities;
    /// let line = "cannot reach 192.0.2.7:443";
    /// let mut event = Event::new(Format::Plain, 0..line.len(), Text::borrowed(line, 0));
    /// event.subject = Subject::new("Pod", Some("shop"), "web-0");
    /// let mut identities = Identities::new(None);
    /// identities.add_subject(&event.subject);
    /// let event = identities.event(&event);
    /// assert_eq!(event.message.as_str(), "cannot reach address-1:443");
    /// assert_eq!(event.subject.to_string(), "Pod namespace-1/pod-1");
    /// ```
    pub fn event<'a>(&mut self, event: &Event<'a>) -> Event<'a> {
        let mut event = event.clone();
        self.subject(&mut event.subject);
        event.parts_mut().for_each(|part| self.text(part));
        let values = event.fields.iter_mut().map(|field| &mut field.value);
        values.for_each(|value| self.text(value));
        event
    }

    /// Returns an object with tokens. Its field names are kept.
    pub fn object<'a>(&mut self, object: &Object<'a>) -> Object<'a> {
        let mut object = object.clone();
        self.subject(&mut object.subject);
        let fields = object.fields.values_mut();
        fields.for_each(|(_, value)| self.value(value));
        object
    }

    /// Replaces the names of an object by tokens.
    pub fn subject(&mut self, subject: &mut Subject) {
        let Subject {
            namespace,
            name,
            container,
            node,
            ..
        } = subject;
        for part in [namespace, name, container, node].into_iter().flatten() {
            if let Cow::Owned(redacted) = self.redact(part) {
                *part = redacted;
            }
        }
    }

    fn value(&mut self, value: &mut Value<'_>) {
        match value {
            Value::Text(text) => self.text(text),
            Value::Integer(..) | Value::Boolean(..) => {}
            Value::Map(map) => map.values_mut().for_each(|(_, value)| self.value(value)),
            Value::List(items) => items.iter_mut().for_each(|item| self.value(item)),
        }
    }

    fn text(&mut self, text: &mut Text<'_>) {
        if let Cow::Owned(redacted) = self.redact(text.as_str()) {
            let mut builder = TextBuilder::new();
            builder.push_decoded(&redacted, text.span());
            *text = builder.finish();
        }
    }
}
