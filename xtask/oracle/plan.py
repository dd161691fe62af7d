"""Plans the logs: some settings for each library, and some records for each setting."""
import random

SETTINGS = 6
RECORDS = 24

LOGGERS = ["app", "shop::db", "web::api", "billing::queue::worker"]
WORDS = """accepted batch berth cache cargo closed connection crane deferred dock drained empty expired fetched flushed gate harbour
 idle invoice job ledger lease listener loaded lock lost manifest missing moved node opened order parcel pending pool queue
 quota ready refused rejected renewed replica resumed retry route saved scheduled session shard skipped socket started stopped
 stream timed token tide unloaded upstream vessel warm worker""".split()
LEVELS = ["trace", "debug", "info", "info", "info", "warning", "error"]


def sentence(rng):
    """Returns a message such as people write."""
    some = lambda low, high: " ".join(rng.choice(WORDS) for _ in range(rng.randint(low, high)))
    n = rng.randint(0, 9999)
    forms = [
        lambda: some(2, 6),
        lambda: f"{some(1, 3)}: {some(2, 4)}",
        lambda: f"{some(2, 3)} {n}",
        lambda: f"failed to open /var/lib/{rng.choice(WORDS)}/{n}.db: no such file or directory",
        lambda: f"dial tcp 10.0.{n % 250}.7:5432: connect: connection refused",
        lambda: f"GET /api/{rng.choice(WORDS)}/{n} took {n / 7:.1f} ms",
        lambda: f'{some(1, 2)} "{rng.choice(WORDS)}" {some(1, 2)}',
        lambda: f"{some(1, 2)} ({some(1, 1)}: {n}) {some(1, 2)}",
        lambda: f"[{rng.choice(WORDS)}] {some(2, 3)}",
        lambda: f"{some(1, 2)} - {some(1, 2)}",
        lambda: f"{some(1, 2)}, error was {some(1, 2)}",
        lambda: f"{some(2, 3)} at 2021-02-03 04:05:06",
    ]
    return rng.choice(forms)()


def record(rng, clock, levels):
    shape = rng.choice("AABBCCDE")
    words = lambda: rng.choice(WORDS)
    fields, error = {}, None
    if shape == "B":
        fields = {"attempt": rng.randint(1, 99), "elapsed_ms": rng.randint(1, 90000) / 8}
    elif shape == "C":
        fields = {"path": f"/srv/{words()}/{rng.randint(1, 99)}", "user": rng.choice(["mara", "old joe", "x=y", "kim \"k\" lee", "ops@quay.example"])}
    elif shape == "D":
        error = f"{words()} {words()}: {rng.choice(['timed out', 'no route to host', 'invalid character'])}"
    elif shape == "E":
        fields = {"id": f"{rng.getrandbits(48):012x}", "ok": rng.random() < 0.5}
    level = "error" if shape == "D" else rng.choice(levels)
    message = sentence(rng)
    if rng.random() < 0.05:
        message += "\n  " + sentence(rng)
    return {
        "micros": clock, "level": level, "logger": rng.choice(LOGGERS), "message": message, "shape": shape, "fields": fields,
        "error": error, "line": rng.randint(1, 900),
    }


def records(rng):
    clock = rng.randint(1_600_000_000, 1_750_000_000) * 1_000_000 + rng.randint(0, 999_999)
    made = []
    for _ in range(RECORDS):
        clock += rng.choice([1_000, 37_211, 1_500_007, 61_000_113, 3_600_000_000])
        made.append(record(rng, clock, LEVELS))
    return made


# Each chooser takes a random number generator and returns a setting for the library's writer.

def pick(**options):
    return lambda rng: {name: rng.choice(values) for name, values in options.items()}


def parts(rng):
    """Chooses the parts of a header, and the characters around and between them."""
    order = rng.choice([["time", "level", "logger"], ["time", "logger", "level"], ["level", "time", "logger"], ["time", "level"],
                        ["time", "thread", "level", "logger"], ["level", "time", "thread", "logger", "caller"],
                        ["time", "level", "caller"], ["time", "pid", "level", "logger"], ["time", "level", "thread", "logger", "caller"],
                        ["level", "logger"]])
    return {
        "order": order,
        "time": rng.choice(["iso-comma", "iso-dot", "iso-T", "iso-T-zone", "iso-second", "slashes", "day-first", "clock", "syslog", "us"]),
        "level": rng.choice(["upper", "upper", "lower", "padded", "short", "letter"]),
        "around": [rng.choice(["", "", "[]", "()", "<>"]) if name != "time" else rng.choice(["", "", "[]"]) for name in order],
        "between": rng.choice([" ", " ", " - ", " | ", "\t", " : "]),
        "end": rng.choice([" ", " - ", ": ", " | ", " : ", "\t"]),
    }


def without_angles(setting):
    return {**setting, "around": ["()" if around == "<>" else around for around in setting["around"]]}


CHOICES = {
    "python": {
        "logging": parts,
        "logging-style": pick(style=["basic", "asctime", "uvicorn", "gunicorn", "airflow", "celery", "django", "odoo"], msecs=["default", "dot", "none"]),
        "structlog": pick(renderer=["console", "console", "keyvalue", "logfmt", "json", "json"], time=["iso", "iso-local", "unix", "clock", "none"],
                          event=["event", "message", "msg"], level=[True, True, False], logger=[True, False], colors=[False, True], callsite=[True, False]),
        # loguru would parse `<` as colour markup
        "loguru": lambda rng: {"style": rng.choice(["default", "parts", "parts", "serialize"]), "colorize": rng.random() < 0.3, **without_angles(parts(rng))},
        "python-json-logger": pick(rename=["none", "ecs", "gcp", "short", "long"], time=["asctime", "timestamp", "none"], nested=[False, True], logger=[True, False]),
        "coloredlogs": lambda rng: {"colors": rng.random() < 0.5, **parts(rng)},
        "logbook": parts,
    },
    "node": {
        "winston": pick(form=["json", "simple", "printf", "printf", "logstash", "splat-json", "cli", "label"], time=["iso", "default", "clock", "none"],
                        level=["lower", "upper"], brackets=[True, False], separator=[" ", " - ", ": "], colors=[False, True], npm=[True, False]),
        "pino": pick(time=["epoch", "iso", "unix", "none"], message=["msg", "message"], level=["number", "label", "severity"], nested=[None, "payload"],
                     error=["err", "error"], base=["default", "none", "named"]),
        "pino-pretty": pick(level_first=[True, False], time=["clock", "SYS:standard", "UTC:yyyy-mm-dd HH:MM:ss.l o", "UTC:yyyy-mm-dd'T'HH:MM:ss'Z'", "epoch"], single=[True, False],
                            ignore=["", "pid,hostname", "hostname"], colors=[False, True], name=[True, False]),
        "bunyan": pick(src=[False, True], component=[True, False], local=[False]),
        "log4js": pick(layout=["basic", "colored", "pattern", "pattern", "pattern"],
                       pattern=["[%d] [%p] %c - %m", "%d{ISO8601_WITH_TZ_OFFSET} %p %c %m", "%d{ABSOLUTE} %-5p [%c] %m", "%p %d{DATE} - %c: %m", "%d{yyyy/MM/dd hh:mm:ss} | %p | %c | %m", "[%d{yyyy-MM-ddThh:mm:ss.SSS}] [%5.5p] [%z] %c - %m"]),
        "morgan": pick(form=["combined", "common", "short", "tiny", "dev"]),
        "tslog": pick(template=["{{yyyy}}-{{mm}}-{{dd}} {{hh}}:{{MM}}:{{ss}}.{{ms}}\t{{logLevelName}}\t{{filePathWithLine}} {{name}}\t", "{{yyyy}}-{{mm}}-{{dd}} {{hh}}:{{MM}}:{{ss}}.{{ms}} {{logLevelName}} [{{name}}] ",
                               "{{hh}}:{{MM}}:{{ss}}.{{ms}} {{logLevelName}} {{fileNameWithLine}} - ", "[{{logLevelName}}] {{yyyy}}/{{mm}}/{{dd}} {{hh}}:{{MM}}:{{ss}}.{{ms}}: "]),
        "consola": pick(date=[True, False], tag=[True, False]),
    },
    "rust": {
        "tracing-subscriber": pick(form=["full", "compact", "pretty", "json", "json", "full", "compact"], time=["rfc3339", "rfc3339", "chrono-local", "none", "uptime"], target=[True, True, False], level=[True],
                                   file=[False, False, True], thread=[False, True], span=[False, True], ansi=[False, False, True], flatten=[True, False]),
        "tracing-logfmt": pick(target=[True, False], timestamp=[True, False], location=[True, False]),
        "env_logger": pick(time=["seconds", "millis", "micros", "nanos", "none"], path=[True, False], target=[True, False], level=[True], source=[False, True], pretty=[False, False, True]),
        "fern": parts,
        "simplelog": pick(time=["rfc3339", "rfc2822", "default", "custom"], target=["error", "off", "trace"], location=["error", "off"], thread=["error", "off"], level_padding=["left", "right", "off"], brackets=[False, True]),
        "flexi_logger": pick(form=["default", "opt", "detailed", "with_thread", "json"]),
        "slog-term": pick(form=["full", "compact"], order=[True, False], time=["default", "utc"], file=[False, True]),
        "slog-json": pick(keys=["default", "bunyan", "short"]),
        "log4rs": pick(encoder=["json", "pattern", "pattern", "pattern"],
                       pattern=["{d} {l} {t} - {m}{n}", "{d(%Y-%m-%d %H:%M:%S%.3f)} [{l}] {t}: {m}{n}", "[{d(%+)(utc)}] {l:<5} {M}:{L} {m}{n}", "{l} {d(%H:%M:%S)} {f}:{L} - {m}{n}", "{d(%Y/%m/%d %H:%M:%S)(utc)} | {({l}):5.5} | {t} | {m}{n}"]),
        "stderrlog": pick(time=["second", "millis", "micros", "nanos"], level=[True, True, False], module=[True, True, False]),
    },
    "documented": {
        "logback": parts, "log4j2": parts,
        "zap-console": pick(time=["iso", "rfc3339", "epoch", "rfc3339nano", "none"], level=["upper", "lower", "color"], separator=["\t", " ", " | "], caller=[True, False], name=[True, False]),
        "zap-json": pick(time=["ts", "time", "@timestamp", "timestamp", "T"], form=["iso", "epoch", "millis", "nanos", "rfc3339"], level=["level", "severity", "L", "lvl"], message=["msg", "message", "M"], name=["logger", "N"], caller=["caller", "C", None]),
        "logrus": pick(colors=[False, False, True], time=["full", "none", "start", "custom"], sort=[True, False], quote_all=[True, False], caller=[True, False], pad=[True, False], truncation=[True, False]),
        "logrus-json": pick(time=["time", "@timestamp", "timestamp"], level=["level", "@level", "severity"], message=["msg", "@message", "message"], data=[None, "data", "fields"], caller=[True, False]),
        "hclog": pick(time=["default", "off", "second", "micros", "custom"], caller=[True, False], name=[True, False], json=[False, False, True], color=[False, True]),
        "zerolog-console": pick(time=["kitchen", "rfc3339", "stamp", "none", "millis"], caller=[True, False], nocolor=[True, True, False]),
        "zerolog-json": pick(time=["unix", "unixms", "unixmicro", "rfc3339"], names=["default", "short", "gcp"], caller=[True, False]),
        "slog-text": pick(source=[True, False], time=[True, True, False], group=[None, "request"], level=["plain", "lower"]),
    },
}


def plan(seed):
    """Returns all runs of a seed: {writer: [run]}."""
    runs = {}
    for writer, libraries in CHOICES.items():
        runs[writer] = []
        for library, choose in libraries.items():
            for number in range(SETTINGS):
                rng = random.Random(f"{seed} {library} {number}")
                runs[writer].append({"folder": f"{library}-{number}", "library": library, "setting": choose(rng), "records": records(rng)})
    return runs
