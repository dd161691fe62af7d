"""Layouts reproduced from the documentation of libraries that cannot be fetched: those of Java and Go."""
import json

from common import Truth, head, level_word, moment, stamp, time_text

LOGGER = {"app": "app", "shop::db": "com.quay.shop.Database", "web::api": "io.quay.web.Api", "billing::queue::worker": "com.quay.billing.QueueWorker"}


def joined(record):
    return f"{record['message']}: {record['error']}" if record["error"] else record["message"]


def java(run, truth):
    """PatternLayout of logback and log4j2: `%d{..} [%thread] %-5level %logger{36} - %msg%n`, its parts in any order."""
    setting = run["setting"]
    for record in run["records"]:
        when = moment(record)
        text, form, digits = time_text(setting["time"], when)
        level = level_word("upper" if setting["level"] in ("short", "letter") else setting["level"], record["level"].replace("warning", "warn") if False else record["level"])
        level = level.replace("WARNING", "WARN").replace("warning", "warn")
        if setting["level"] == "padded":
            level = f"{level.strip():<5}"
        name = LOGGER[record["logger"]]
        caller = f"QueueWorker.java:{record['line']}"
        values = {"time": text, "level": level, "logger": name, "thread": ["main", "http-nio-8080-exec-1", "pool-2-thread-7"][record["line"] % 3], "pid": "7", "caller": caller}
        message = joined(record)
        shown = {}
        for part in setting["order"]:
            if part == "time":
                shown.update(digits=digits, form=form)
            elif part == "logger":
                shown["logger"] = name
            elif part == "caller":
                shown["caller"] = caller
        truth.add(head(setting, values) + message, record, message=message, **shown)


def go_fields(record):
    fields = dict(record["fields"])
    if record["error"]:
        fields["error"] = record["error"]
    return fields


def go_quoted(text):
    return json.dumps(text, ensure_ascii=False)


CALLER = lambda record: f"worker/run.go:{record['line']}"
GO_NAME = lambda record: record["logger"].replace("::", ".")


def zap_time(form, when):
    iso = when.strftime("%Y-%m-%dT%H:%M:%S.") + f"{when.microsecond // 1000:03d}Z"
    return {"iso": (iso, 3, "zone-stated"), "rfc3339": (stamp(when, 0), 0, "zone-stated"), "epoch": (repr(when.timestamp()), 6, "float"),
            "millis": (f"{when.timestamp() * 1000:.3f}", 6, "float"), "nanos": (str(int(when.timestamp() * 1e6) * 1000), 6, "float"), "rfc3339nano": (stamp(when, 6).rstrip("Z").rstrip("0").rstrip(".") + "Z", 6, "zone-stated"),
            "none": (None, None, "none")}[form]


def zap_console(run, truth):
    """zapcore.NewConsoleEncoder: time, level, name, caller, message, and fields as JSON, separated by ConsoleSeparator."""
    setting = run["setting"]
    for record in run["records"]:
        record["message"] = record["message"].split("\n")[0]
        text, digits, form = zap_time(setting["time"], moment(record))
        level = {"upper": str.upper, "lower": str.lower, "color": str.upper}[setting["level"]](record["level"].replace("trace", "debug").replace("warning", "warn"))
        if setting["level"] == "color":
            level = f"\x1b[34m{level}\x1b[0m"
        some = [text, level, GO_NAME(record) if setting["name"] else None, CALLER(record) if setting["caller"] else None, record["message"]]
        fields = go_fields(record)
        if fields:
            some.append(json.dumps(fields))
        truth.add(setting["separator"].join(each for each in some if each), record, level=record["level"].replace("trace", "debug"), digits=digits, form=form,
                  logger=GO_NAME(record) if setting["name"] else None, caller=CALLER(record) if setting["caller"] else None, fields=record["fields"], error=record["error"])


def zap_json(run, truth):
    """zapcore.NewJSONEncoder with renamed keys."""
    setting = run["setting"]
    for record in run["records"]:
        text, digits, form = zap_time(setting["form"], moment(record))
        is_number = setting["form"] in ("epoch", "millis", "nanos")
        made = {setting["level"]: record["level"].replace("trace", "debug").replace("warning", "warn"), setting["time"]: "\0", setting["name"]: GO_NAME(record)}
        if setting["caller"]:
            made[setting["caller"]] = CALLER(record)
        made[setting["message"]] = record["message"]
        made.update(go_fields(record))
        written = json.dumps(made, separators=(",", ":")).replace('"\\u0000"', text if is_number else json.dumps(text))
        truth.add(written, record, level=record["level"].replace("trace", "debug"), digits=digits, form=form, logger=GO_NAME(record),
                  caller=CALLER(record) if setting["caller"] else None, fields=record["fields"], error=record["error"])


def logrus_value(value, quote_all):
    text = {True: "true", False: "false"}.get(value, value) if isinstance(value, bool) else value
    text = text if isinstance(text, str) else json.dumps(text)
    plain = text != "" and all(c.isascii() and (c.isalnum() or c in "-._/@^+") for c in text)
    return text if plain and not quote_all else go_quoted(text)


def logrus(run, truth):
    """logrus.TextFormatter."""
    setting = run["setting"]
    start = moment(run["records"][0])
    for record in run["records"]:
        when = moment(record)
        fields = go_fields(record)
        level = record["level"]
        shown = dict(fields=record["fields"], error=record["error"])
        if setting["caller"]:
            shown["caller"] = f"/srv/{CALLER(record)}"
        if setting["colors"]:
            record["message"] = record["message"].split("\n")[0]
            word = level.upper().replace("WARNING", "WARNING") if not setting["truncation"] else level.upper()[:4]
            since = int((when - start).total_seconds())
            if setting["time"] == "full":
                lead = f"\x1b[36m{word}\x1b[0m[{stamp(when, 0)}]"
                shown.update(digits=0, form="zone-stated")
            elif setting["time"] == "none":
                lead = f"\x1b[36m{word}\x1b[0m"
            else:
                lead = f"\x1b[36m{word}\x1b[0m[{since:04d}]"
            caller = f"/srv/{CALLER(record)} main.run()" if setting["caller"] else ""
            if setting["caller"]:
                shown["caller_ok"] = [None]
            written = f"{lead}{caller} {record['message']:<44} " + "".join(f" \x1b[36m{key}\x1b[0m={logrus_value(value, setting['quote_all'])}" for key, value in sorted(fields.items()))
        else:
            pairs = []
            if setting["time"] != "none":
                text, digits = {"full": (stamp(when, 0), 0), "start": (stamp(when, 0), 0), "custom": (when.strftime("%Y-%m-%d %H:%M:%S.") + f"{when.microsecond // 1000:03d}", 3)}[setting["time"]]
                pairs.append(("time", text))
                shown.update(digits=digits, form="zone-stated" if digits == 0 else "zone-missing")
            pairs += [("level", level), ("msg", record["message"])]
            if setting["caller"]:
                pairs += [("func", "main.run"), ("file", f"/srv/{CALLER(record)}")]
                shown["optional_fields"] = ["func"]
            more = sorted(fields.items())
            pairs = sorted(pairs + more) if not setting["sort"] else pairs + more
            written = " ".join(f"{key}={logrus_value(value, setting['quote_all'])}" for key, value in pairs)
        truth.add(written, record, **shown)


def logrus_json(run, truth):
    setting = run["setting"]
    for record in run["records"]:
        fields = go_fields(record)
        own = {setting["time"]: stamp(moment(record), 0), setting["level"]: record["level"], setting["message"]: record["message"]}
        if setting["caller"]:
            own.update(file=f"/srv/{CALLER(record)}", func="main.run")
        nested = {setting["data"]: fields} if setting["data"] and fields else fields
        written = json.dumps(dict(sorted({**own, **nested}.items())), separators=(",", ":"))
        shown = {setting["data"]: record["fields"]} if setting["data"] and record["fields"] else record["fields"]
        more = {"optional_fields": ["func", setting["data"]]} if setting["data"] else {"optional_fields": ["func"]}
        truth.add(written, record, digits=0, form="zone-stated", caller=f"/srv/{CALLER(record)}" if setting["caller"] else None, fields=shown, error=record["error"], **more)


def hclog(run, truth):
    """hclog's intLogger: `2024-03-04T05:06:07.123+0200 [INFO]  name: message: key=value`; TimeFormat, DisableTime, IncludeLocation, JSONFormat."""
    setting = run["setting"]
    for record in run["records"]:
        record["message"] = record["message"].split("\n")[0]
        when = moment(record)
        text, digits = {"default": (when.strftime("%Y-%m-%dT%H:%M:%S.") + f"{when.microsecond // 1000:03d}Z", 3), "second": (stamp(when, 0), 0), "off": (None, None),
                        "micros": (stamp(when, 6), 6), "custom": (when.strftime("%Y/%m/%d %H:%M:%S"), 0)}[setting["time"]]
        form = "zone-missing" if setting["time"] == "custom" else "zone-stated"
        name = GO_NAME(record) if setting["name"] else None
        fields = go_fields(record)
        shown = dict(digits=digits, form=form, logger=name, caller=CALLER(record) if setting["caller"] else None, fields=record["fields"], error=record["error"])
        if setting["json"]:
            made = {"@level": record["level"].replace("warning", "warn"), "@message": record["message"]}
            if name:
                made["@module"] = name
            made["@timestamp"] = stamp(when, 6)
            if setting["caller"]:
                made["@caller"] = CALLER(record)
            made.update(fields)
            shown.update(digits=6, form="zone-stated")
            written = json.dumps(made, separators=(",", ":"))
        else:
            word = {"warning": "[WARN] ", "info": "[INFO] "}.get(record["level"], f"[{record['level'].upper()}]")
            if setting["color"]:
                word = f"\x1b[94m{word}\x1b[0m"
            value = lambda given: json.dumps(given) if not isinstance(given, str) else go_quoted(given) if any(c in given for c in ' "=\\\n') else given
            pairs = "".join(f" {key}={value(each)}" for key, each in fields.items())
            written = (text + " " if text else "") + word + " " + (CALLER(record) + ": " if setting["caller"] else "") + (f"{name}: " if name else "") + record["message"] + (":" + pairs if fields else "")
        truth.add(written, record, **shown)


def zerolog_console(run, truth):
    """zerolog.ConsoleWriter: time, three-letter level, `caller >`, message, fields."""
    setting = run["setting"]
    for record in run["records"]:
        record["message"] = record["message"].split("\n")[0]
        when = moment(record)
        hour = when.hour % 12 or 12
        text, digits, form = {"kitchen": (f"{hour}:{when.minute:02d}{'AM' if when.hour < 12 else 'PM'}", 0, "date-missing minutes"), "rfc3339": (stamp(when, 0), 0, "zone-stated"),
                              "stamp": (when.strftime("%b %e %H:%M:%S"), 0, "year-missing"), "none": ("<nil>", None, "none"), "millis": (stamp(when, 3), 3, "zone-stated")}[setting["time"]]
        paint = (lambda code, each: each) if setting["nocolor"] else (lambda code, each: f"\x1b[{code}m{each}\x1b[0m")
        word = {"trace": "TRC", "debug": "DBG", "info": "INF", "warning": "WRN", "error": "ERR"}[record["level"]]
        value = lambda given: json.dumps(given) if not isinstance(given, str) else go_quoted(given) if any(c in given for c in ' "\\\n=') else given
        fields = go_fields(record)
        order = sorted(fields, key=lambda key: (key != "error", key))
        caller = f" {paint(1, CALLER(record))}{paint(36, ' >')}" if setting["caller"] else ""
        pairs = "".join(f" {paint(36, key + '=')}{value(fields[key])}" for key in order)
        lead = "" if text == "<nil>" else paint(90, text) + " "
        truth.add(f"{lead}{paint(32, word)}{caller} {record['message']}{pairs}", record, digits=digits, form=form, caller=CALLER(record) if setting["caller"] else None,
                  fields=record["fields"], error=record["error"])


def zerolog_json(run, truth):
    setting = run["setting"]
    names = {"default": ("level", "time", "message"), "short": ("l", "t", "m"), "gcp": ("severity", "timestamp", "message")}[setting["names"]]
    for record in run["records"]:
        when = moment(record)
        text, digits = {"unix": (int(when.timestamp()), 0), "unixms": (record["micros"] // 1000, 3), "unixmicro": (record["micros"], 6), "rfc3339": (stamp(when, 0), 0)}[setting["time"]]
        made = {names[0]: record["level"].replace("warning", "warn"), **go_fields(record), names[1]: text}
        if setting["caller"]:
            made["caller"] = CALLER(record)
        made[names[2]] = record["message"]
        truth.add(json.dumps(made, separators=(",", ":")), record, digits=digits, form="zone-stated", caller=CALLER(record) if setting["caller"] else None, fields=record["fields"], error=record["error"])


def slog_text(run, truth):
    """log/slog.TextHandler with ReplaceAttr."""
    setting = run["setting"]
    value = lambda given: json.dumps(given) if not isinstance(given, str) else go_quoted(given) if any(c in given for c in ' "\\\n=') or not given else given
    for record in run["records"]:
        word = {"trace": "DEBUG-4", "warning": "WARN"}.get(record["level"], record["level"].upper())
        level = "debug" if record["level"] == "trace" else record["level"]
        word = word.lower() if setting["level"] == "lower" else word
        pairs = [("time", stamp(moment(record), 3))] if setting["time"] else []
        pairs.append(("level", word))
        if setting["source"]:
            pairs.append(("source", f"/srv/{CALLER(record)}"))
        pairs.append(("msg", record["message"]))
        fields = record["fields"]
        lead = f"{setting['group']}." if setting["group"] else ""
        pairs += [(lead + key, each) for key, each in fields.items()]
        if record["error"]:
            pairs.append(("error", record["error"]))
        shown = {setting["group"]: fields} if setting["group"] and fields else fields
        truth.add(" ".join(f"{key}={value(each)}" for key, each in pairs), record, level=level, digits=3 if setting["time"] else None, form="zone-stated",
                  level_ok=["trace", "debug"] if record["level"] == "trace" else [], caller=f"/srv/{CALLER(record)}" if setting["source"] else None, fields=shown, error=record["error"])


WRITERS = {"logback": java, "log4j2": java, "zap-console": zap_console, "zap-json": zap_json, "logrus": logrus, "logrus-json": logrus_json, "hclog": hclog,
           "zerolog-console": zerolog_console, "zerolog-json": zerolog_json, "slog-text": slog_text}


def write(run, out):
    truth = Truth(out / run["folder"])
    WRITERS[run["library"]](run, truth)
    truth.save()
