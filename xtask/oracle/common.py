"""Shared code of the Python writers: headers built from parts, and the truth."""
import datetime
import json
import pathlib

UTC = datetime.timezone.utc
NAMES = {
    "upper": {"trace": "TRACE", "debug": "DEBUG", "info": "INFO", "warning": "WARNING", "error": "ERROR"},
    "short": {"trace": "TRC", "debug": "DBG", "info": "INF", "warning": "WRN", "error": "ERR"},
    "letter": {"trace": "T", "debug": "D", "info": "I", "warning": "W", "error": "E"},
}


def level_word(form, level):
    """Returns a level as it is shown in a header."""
    if form in ("short", "letter"):
        return NAMES[form][level]
    word = NAMES["upper"][level]
    return {"lower": word.lower(), "padded": f"{word:<8}"}.get(form, word)


def moment(record):
    return datetime.datetime.fromtimestamp(0, UTC) + datetime.timedelta(microseconds=record["micros"])


def time_text(form, when):
    """Returns a time as it is shown in a header, its form, and its number of fractional digits."""
    millis = f"{when.microsecond // 1000:03d}"
    micros = f"{when.microsecond:06d}"
    date, clock = when.strftime("%Y-%m-%d"), when.strftime("%H:%M:%S")
    return {
        "iso-comma": (f"{date} {clock},{millis}", "zone-missing", 3),
        "iso-dot": (f"{date} {clock}.{millis}", "zone-missing", 3),
        "iso-T": (f"{date}T{clock}.{micros}", "zone-missing", 6),
        "iso-T-zone": (f"{date}T{clock}.{millis}+0000", "zone-stated", 3),
        "iso-second": (f"{date} {clock}", "zone-missing", 0),
        "slashes": (f"{when.strftime('%Y/%m/%d')} {clock}", "zone-missing", 0),
        "day-first": (f"{when.strftime('%d-%b-%Y')} {clock}.{millis}", "zone-missing", 3),
        "us": (f"{when.strftime('%m/%d/%Y')} {clock}", "zone-missing", 0),
        "clock": (f"{clock}.{millis}", "date-missing", 3),
        "syslog": (when.strftime("%b %d %H:%M:%S"), "year-missing", 0),
    }[form]


def stamp(when, digits):
    text = when.strftime("%Y-%m-%dT%H:%M:%S")
    if digits:
        text += f".{when.microsecond:06d}"[: digits + 1] if digits <= 6 else f".{when.microsecond:06d}" + "0" * (digits - 6)
    return text + "Z"


class Truth:
    """Collects an input and its records."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.text, self.records, self.line = "", [], 1

    def add(self, text, record, *, level=True, digits=None, form="none", logger=None, caller=None, message=None, fields=None, error=None, **more):
        """Adds the text that a library wrote for a record. `digits` is None if no time is shown."""
        if not text.endswith("\n"):
            text += "\n"
        lines = text.count("\n")
        truth = {
            "line": self.line, "lines": lines, "level": record["level"] if level is True else level or None,
            "time": None if digits is None else stamp(moment(record), digits), "time_form": form,
            "message": record["message"] if message is None else message, "logger": logger, "caller": caller,
            "fields": fields or {}, "error": error, "stack": False, **more,
        }
        self.records.append(truth)
        self.text += text
        self.line += lines

    def save(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "input.log").write_text(self.text)
        (self.folder / "truth.ndjson").write_text("".join(json.dumps(truth) + "\n" for truth in self.records))


def head(setting, values):
    """Builds a header from the texts of its parts."""
    texts = []
    for name, around in zip(setting["order"], setting["around"]):
        text = values[name]
        texts.append(around[:1] + text + around[1:] if around else text)
    return setting["between"].join(texts) + setting["end"]
