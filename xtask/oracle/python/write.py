"""Writes a run with a Python logging library: write.py PLAN NUMBER OUT."""
import datetime
import io
import json
import logging
import pathlib
import sys
import time as clock_of_time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import Truth, head, level_word, moment, time_text  # noqa: E402

import time_machine  # noqa: E402

LEVELS = {"trace": 5, "debug": 10, "info": 20, "warning": 30, "error": 40}
DATES = {"iso-comma": "%Y-%m-%d %H:%M:%S", "iso-dot": "%Y-%m-%d %H:%M:%S", "iso-T": "%Y-%m-%dT%H:%M:%S", "iso-T-zone": "%Y-%m-%dT%H:%M:%S",
         "iso-second": "%Y-%m-%d %H:%M:%S", "slashes": "%Y/%m/%d %H:%M:%S", "day-first": "%d-%b-%Y %H:%M:%S", "us": "%m/%d/%Y %H:%M:%S",
         "clock": "%H:%M:%S", "syslog": "%b %d %H:%M:%S"}


def with_pairs(record):
    """Returns the message with its error appended, as written by programs without structured fields."""
    if record["error"]:
        return f"{record['message']}: {record['error']}"
    return record["message"]


class Stream(io.StringIO):
    """A stream whose text is collected after each record."""

    def take(self):
        text = self.getvalue()
        self.seek(0)
        self.truncate()
        return text


def base(setting, record, level="upper"):
    """Returns the truth about the parts of a record that a header shows."""
    shown = {}
    for name in setting["order"]:
        if name == "time":
            _, form, digits = time_text(setting["time"], moment(record))
            shown.update(digits=digits, form=form)
        elif name == "logger":
            shown["logger"] = record["logger"].replace("::", ".")
        elif name == "caller":
            shown["caller"] = f"worker.py:{record['line']}"
    if "level" not in setting["order"]:
        shown["level"] = None
    return shown


def percent_format(setting):
    """Returns a %-style format for logging and its date format."""
    millis = {"iso-comma": ",%(msecs)03d", "iso-dot": ".%(msecs)03d", "iso-T": ".%(msecs)03d000", "iso-T-zone": ".%(msecs)03d+0000",
              "clock": ".%(msecs)03d", "day-first": ".%(msecs)03d"}.get(setting["time"], "")
    level = {"padded": "%(levelname)-8s", "letter": "%(levelname).1s"}.get(setting["level"], "%(levelname)s")
    values = {"time": "%(asctime)s" + millis, "level": level, "logger": "%(name)s", "thread": "%(threadName)s", "pid": "%(process)d",
              "caller": "%(filename)s:%(lineno)d"}
    return head(setting, values) + "%(message)s", DATES[setting["time"]]


def micros_off(setting, record):
    """Truncates the record's time to milliseconds if it is shown in microseconds, which logging fills with zeros."""
    if setting.get("time") == "iso-T":
        record["micros"] -= record["micros"] % 1000


def emit(handler, record, text):
    made = logging.LogRecord(record["logger"].replace("::", "."), LEVELS[record["level"]], "/srv/app/worker.py", record["line"], text, None, None)
    handler.handle(made)


def logging_runs(run, truth, formatter_of):
    setting = run["setting"]
    logging.addLevelName(5, "TRACE")
    for level, number in LEVELS.items():
        if setting["level"] in ("lower", "short", "letter"):
            logging.addLevelName(number, level_word(setting["level"], level))
    stream = Stream()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter_of())
    for record in run["records"]:
        micros_off(setting, record)
        # logging computes milliseconds from a float, so stay away from their boundary
        with time_machine.travel(moment(record) + datetime.timedelta(microseconds=300 - record["micros"] % 1000), tick=False):
            text = with_pairs(record)
            emit(handler, record, text)
        truth.add(stream.take(), record, message=text, **base(setting, record))


def with_logging(run, truth):
    fmt, date = percent_format(run["setting"])
    logging_runs(run, truth, lambda: logging.Formatter(fmt, date))


def with_coloredlogs(run, truth):
    import coloredlogs
    fmt, date = percent_format(run["setting"])
    make = coloredlogs.ColoredFormatter if run["setting"]["colors"] else coloredlogs.BasicFormatter
    logging_runs(run, truth, lambda: make(fmt, date))


STYLES = {
    # style: format, date, shows (time form, digits), logger, caller
    "basic": ("%(levelname)s:%(name)s:%(message)s", None, None, True, False),
    "asctime": ("%(asctime)s %(levelname)s %(message)s", None, ("zone-missing", 3), False, False),
    "uvicorn": ("%(levelname)s:     %(message)s", None, None, False, False),
    "gunicorn": ("%(asctime)s [%(process)d] [%(levelname)s] %(message)s", "[%Y-%m-%d %H:%M:%S +0000]", ("zone-stated", 0), False, False),
    "airflow": ("[%(asctime)s] {%(filename)s:%(lineno)d} %(levelname)s - %(message)s", None, ("zone-missing", 3), False, True),
    "celery": ("[%(asctime)s: %(levelname)s/%(processName)s] %(message)s", None, ("zone-missing", 3), False, False),
    "django": ("[%(asctime)s] %(levelname)s [%(name)s:%(lineno)s] %(message)s", "%d/%b/%Y %H:%M:%S", ("zone-missing", 0), True, False),
    "odoo": ("%(asctime)s %(process)d %(levelname)s shop %(name)s: %(message)s", None, ("zone-missing", 3), True, False),
}


def with_style(run, truth):
    fmt, date, shows, logger, caller = STYLES[run["setting"]["style"]]
    formatter = logging.Formatter(fmt, date)
    if shows and shows[1] == 3 and run["setting"]["msecs"] != "default":
        formatter.default_msec_format = {"dot": "%s.%03d", "none": None}[run["setting"]["msecs"]]
        shows = (shows[0], 0 if run["setting"]["msecs"] == "none" else 3)
    logging.addLevelName(5, "TRACE")
    stream = Stream()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    for record in run["records"]:
        name = record["logger"].replace("::", ".")
        more = {"form": shows[0], "digits": shows[1]} if shows else {}
        if logger:
            more["logger"] = name
        if run["setting"]["style"] == "django":
            more["logger_ok"] = [f"{name}:{record['line']}"]
        if caller:
            more["caller"] = f"worker.py:{record['line']}"
        text = with_pairs(record)
        with time_machine.travel(moment(record), tick=False):
            emit(handler, record, text)
        truth.add(stream.take(), record, message=text, **more)


def with_json_logger(run, truth):
    from pythonjsonlogger.json import JsonFormatter
    setting = run["setting"]
    names = {"none": {}, "ecs": {"levelname": "log.level", "name": "log.logger"}, "gcp": {"levelname": "severity", "name": "logger"},
             "short": {"levelname": "lvl", "message": "msg", "name": "logger"}, "long": {"levelname": "log_level", "message": "log_message", "name": "logger_name"}}
    if setting["time"] == "asctime":
        names["ecs"]["asctime"], names["gcp"]["asctime"] = "@timestamp", "time"
    fmt = "%(levelname)s %(message)s" + (" %(name)s" if setting["logger"] else "") + (" %(asctime)s" if setting["time"] == "asctime" else "")
    formatter = JsonFormatter(fmt, rename_fields=names[setting["rename"]], timestamp=setting["time"] == "timestamp")
    stream = Stream()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    logging.addLevelName(5, "TRACE")
    for record in run["records"]:
        fields = dict(record["fields"])
        if record["error"]:
            fields["error"] = record["error"]
        if setting["nested"] and record["fields"]:
            fields = {"context": fields}
        made = dict(digits={"asctime": 3, "timestamp": 6, "none": None}[setting["time"]], form={"asctime": "zone-missing", "timestamp": "zone-stated", "none": "none"}[setting["time"]])
        with time_machine.travel(moment(record), tick=False):
            log = logging.LogRecord(record["logger"].replace("::", "."), LEVELS[record["level"]], "/srv/app/worker.py", record["line"], record["message"], None, None)
            log.__dict__.update(fields)
            handler.handle(log)
        nested = {"context": record["fields"]} if setting["nested"] and record["fields"] else record["fields"]
        truth.add(stream.take(), record, logger=record["logger"].replace("::", ".") if setting["logger"] else None, fields=nested, error=record["error"], **made)


def with_structlog(run, truth):
    import structlog
    from structlog import processors
    setting = run["setting"]
    rename, renderer = setting["event"], setting["renderer"]
    chain = []
    if setting["level"]:
        chain.append(processors.add_log_level)
    stamps = {"iso": {"fmt": "iso", "utc": True}, "iso-local": {"fmt": "iso", "utc": False}, "unix": {"fmt": None, "utc": True}, "clock": {"fmt": "%H:%M:%S", "utc": True}}
    times = {"iso": (6, "zone-stated"), "iso-local": (6, "zone-missing"), "unix": (6, "float"), "clock": (0, "date-missing")}
    if setting["time"] in stamps:
        chain.append(processors.TimeStamper(**stamps[setting["time"]]))
    key = "event"
    if renderer == "console":
        colours = setting["colors"]
        chain.append(structlog.dev.ConsoleRenderer(colors=colours))
    elif renderer == "keyvalue":
        chain.append(processors.KeyValueRenderer(key_order=["timestamp", "level", "event"] if setting["colors"] else ["event"], drop_missing=True))
    elif renderer == "logfmt":
        key = rename
        chain += [processors.EventRenamer(rename)] if rename != "event" else []
        chain.append(processors.LogfmtRenderer(key_order=["timestamp", "level", key] if setting["colors"] else None, drop_missing=True, bool_as_flag=False))
    else:
        key = rename
        chain += [processors.EventRenamer(rename)] if rename != "event" else []
        chain.append(processors.JSONRenderer(sort_keys=setting["colors"]))
    stream = Stream()
    structlog.configure(processors=chain, logger_factory=structlog.PrintLoggerFactory(stream))
    for record in run["records"]:
        if renderer == "logfmt":
            record["message"] = record["message"].replace("\n", " ")
        with time_machine.travel(moment(record), tick=False):
            log = structlog.get_logger()
            if setting["logger"]:
                log = log.bind(logger=record["logger"].replace("::", "."))
            fields = dict(record["fields"])
            if record["error"]:
                fields["error"] = record["error"]
            method = {"trace": "debug"}.get(record["level"], record["level"])
            getattr(log, method)(record["message"], **fields)
        level = {"trace": "debug"}.get(record["level"], record["level"]) if setting["level"] else None
        digits, form = times.get(setting["time"], (None, "none"))
        if setting["time"] == "iso" and record["micros"] % 1_000_000 == 0:
            digits = 0
        truth.add(stream.take(), record, level=level, digits=digits, form=form, logger=record["logger"].replace("::", ".") if setting["logger"] else None,
                  fields=record["fields"], error=record["error"],
                  # as `repr` writes it
                  written={key: str(value) for key, value in record["fields"].items() if isinstance(value, bool)})


def with_loguru(run, truth):
    from loguru import logger
    import loguru._datetime
    setting = run["setting"]
    stream = Stream()
    logger.remove()
    more = {}
    names = {"iso-comma": "YYYY-MM-DD HH:mm:ss,SSS", "iso-dot": "YYYY-MM-DD HH:mm:ss.SSS", "iso-T": "YYYY-MM-DDTHH:mm:ss.SSSSSS", "iso-T-zone": "YYYY-MM-DDTHH:mm:ss.SSSZZ",
             "iso-second": "YYYY-MM-DD HH:mm:ss", "slashes": "YYYY/MM/DD HH:mm:ss", "day-first": "DD-MMM-YYYY HH:mm:ss.SSS", "us": "MM/DD/YYYY HH:mm:ss",
             "clock": "HH:mm:ss.SSS", "syslog": "MMM DD HH:mm:ss"}
    if setting["style"] == "serialize":
        logger.add(stream, serialize=True, format="{message}", level=0)
    elif setting["style"] == "default":
        logger.add(stream, level=0, colorize=setting["colorize"])
    else:
        level = {"padded": "{level: <8}", "letter": "{level.name[0]}"}.get(setting["level"], "{level}")
        values = {"time": "{time:" + names[setting["time"]] + "}", "level": level, "logger": "{name}", "thread": "{thread.name}", "pid": "{process}", "caller": "{file}:{line}"}
        fmt = head(setting, values) + "{message}"
        if setting["colorize"]:
            fmt = fmt.replace(level, f"<level>{level}</level>")
        logger.add(stream, level=0, format=fmt, colorize=setting["colorize"])
    for record in run["records"]:
        name = record["logger"].replace("::", ".")
        text = with_pairs(record) if setting["style"] != "serialize" else record["message"]

        def change(made, record=record, name=name):
            made["name"], made["line"], made["function"] = name, record["line"], "run"
            made["file"].name = "worker.py"
        with time_machine.travel(moment(record), tick=False):
            fields = dict(record["fields"]) if setting["style"] == "serialize" else {}
            logger.patch(change).bind(**fields).log(record["level"].upper(), text.replace("{", "{{").replace("}", "}}") if fields else text)
        if setting["style"] == "serialize":
            extra = {"extra": fields} if fields else {}
            shown = dict(digits=6, form="float", logger=name, caller=f"worker.py:{record['line']}", fields=fields, note="loguru: the record is nested under `record`, fields under `extra`")
            shown["optional_fields"] = ["text", "record", "extra", "elapsed", "exception", "file", "function", "level", "line", "message", "module", "name", "process", "thread", "time"]
        elif setting["style"] == "default":
            shown = dict(digits=3, form="zone-missing", logger=f"{name}:run", logger_ok=[name], caller=None, caller_ok=[f"run:{record['line']}", f"{name}:run:{record['line']}"])
            shown["logger_ok"] += [f"{name}:run:{record['line']}"]
        else:
            shown = base(setting, record)
        truth.add(stream.take(), record, message=text, **shown)


def with_logbook(run, truth):
    import logbook
    setting = run["setting"]
    dates = dict(DATES)
    millis = {"iso-comma": ",{record.time:%f}", "iso-dot": ".{record.time:%f}", "iso-T": ".{record.time:%f}", "iso-T-zone": ".{record.time:%f}+0000", "clock": ".{record.time:%f}", "day-first": ".{record.time:%f}"}
    when = "{record.time:" + dates[setting["time"]] + "}" + millis.get(setting["time"], "")
    level = {"padded": "{record.level_name:<8}"}.get(setting["level"], "{record.level_name}")
    values = {"time": when, "level": level, "logger": "{record.channel}", "thread": "{record.thread_name}", "pid": "{record.process}", "caller": "worker.py:{record.extra[at]}"}
    stream = Stream()
    handler = logbook.StreamHandler(stream, format_string=head(setting, values) + "{record.message}", level=logbook.TRACE)
    for record in run["records"]:
        text = with_pairs(record)
        with time_machine.travel(moment(record), tick=False):
            made = logbook.Logger(record["logger"].replace("::", "."))
            with handler.applicationbound():
                made.log({"warning": "WARNING"}.get(record["level"], record["level"].upper()), text, extra={"at": record["line"]})
        shown = base(setting, record)
        if shown.get("digits"):
            shown["digits"] = 6
        truth.add(stream.take(), record, message=text, **shown)


WRITERS = {"logging": with_logging, "logging-style": with_style, "structlog": with_structlog, "loguru": with_loguru,
           "python-json-logger": with_json_logger, "coloredlogs": with_coloredlogs, "logbook": with_logbook}


def main():
    file, number, out = sys.argv[1:]
    clock_of_time.tzset()
    run = json.loads(pathlib.Path(file).read_text())[int(number)]
    truth = Truth(pathlib.Path(out) / run["folder"])
    WRITERS[run["library"]](run, truth)
    truth.save()


if __name__ == "__main__":
    main()
