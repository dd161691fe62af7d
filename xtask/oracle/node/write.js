// Writes a run with an npm logging library: write.js PLAN NUMBER OUT.
'use strict';
const fs = require('fs');
const path = require('path');
const { Writable } = require('stream');

let micros = 0;
const Real = Date;
// the libraries read the clock through Date
global.Date = class extends Real {
  constructor(...given) { if (given.length) super(...given); else super(Math.floor(micros / 1000)); }
  static now() { return Math.floor(micros / 1000); }
};

const [file, number, out] = process.argv.slice(2);
const run = JSON.parse(fs.readFileSync(file, 'utf8'))[Number(number)];
const setting = run.setting;
let text = '';
let line = 1;
const truths = [];
let held = '';
class Sink extends Writable {
  _write(chunk, _, done) { held += chunk.toString(); done(); }
}
const sink = new Sink();
sink.write = (chunk) => { held += chunk.toString(); return true; };

function stamp(digits) {
  const iso = new Real(Math.floor(micros / 1000)).toISOString();
  return digits === 0 ? iso.slice(0, 19) + 'Z' : iso;
}
// Takes the text written since the last record as the text of this one.
function take(record, shown) {
  let written = held;
  held = '';
  if (!written.endsWith('\n')) written += '\n';
  const lines = written.split('\n').length - 1;
  const { digits, ...more } = shown;
  truths.push({ line, lines, level: record.level, time: digits === undefined ? null : stamp(digits), time_form: 'none', message: record.message,
    logger: null, caller: null, fields: {}, error: null, stack: false, ...more });
  text += written;
  line += lines;
}
const joined = (record) => (record.error ? `${record.message}: ${record.error}` : record.message);
const known = (record, names) => names[record.level] || record.level;

const writers = {
  winston() {
    const winston = require('winston');
    const f = winston.format;
    const levels = setting.npm ? winston.config.npm.levels : winston.config.syslog.levels;
    // npm levels have `silly`, syslog levels `warning`
    const name = (level) => (setting.npm ? { trace: 'silly', warning: 'warn' }[level] || level : { trace: 'debug' }[level] || level);
    const time = { iso: f.timestamp(), default: f.timestamp({ format: 'YYYY-MM-DD HH:mm:ss' }), clock: f.timestamp({ format: 'HH:mm:ss.SSS' }) }[setting.time];
    const form = { iso: ['zone-stated', undefined], default: ['zone-missing', 0], clock: ['date-missing', 3] }[setting.time];
    const parts = [f((info) => { if (setting.level === 'upper') info.level = info.level.toUpperCase(); return info; })()];
    const shows = { time: !!time, fields: true, label: false };
    if (setting.form === 'logstash') { shows.time = true; parts.push(f.timestamp(), f.logstash()); } else if (time) parts.push(time);
    const text_form = ['printf', 'label', 'cli', 'simple'].includes(setting.form);
    if (setting.colors && text_form && setting.level === 'lower') { winston.addColors(winston.config.npm.colors); parts.push(f.colorize({ colors: winston.config.npm.colors })); }
    if (setting.form === 'json' || setting.form === 'splat-json') parts.push(f.json());
    if (setting.form === 'simple') { parts.push(f.simple()); }
    if (setting.form === 'cli') { shows.fields = true; shows.time = shows.time; parts.length = setting.level === 'upper' ? 0 : parts.length; if (parts.length === 0 && time) parts.push(time); parts.push(f.uncolorize(), f.simple()); }
    if (setting.form === 'label') { parts.push(f.label({ label: 'shop' })); shows.label = true; }
    const open = setting.brackets ? '[' : '';
    const close = setting.brackets ? ']' : '';
    if (setting.form === 'printf' || setting.form === 'label') {
      shows.fields = false;
      const lead = setting.form === 'label' ? '[shop] ' : '';
      parts.push(f.printf((info) => `${info.timestamp ? info.timestamp + ' ' : ''}${lead}${open}${info.level}${close}${setting.separator}${info.message}`));
    }
    const logger = winston.createLogger({ levels, level: setting.npm ? 'silly' : 'debug', format: f.combine(...parts), transports: [new winston.transports.Stream({ stream: sink, eol: '\n' })] });
    for (const record of run.records) {
      micros = record.micros;
      const fields = { ...record.fields };
      if (shows.fields && record.error) fields.error = record.error;
      const message = shows.fields ? record.message : joined(record);
      logger.log({ level: name(record.level), message, ...fields });
      let level = record.level === 'trace' ? (setting.npm ? 'trace' : 'debug') : record.level;
      const shown = { message, level, level_ok: record.level === 'trace' ? ['debug', 'trace'] : [], fields: shows.fields ? record.fields : {}, error: shows.fields ? record.error : null, logger: shows.label ? 'shop' : null };
      if (shows.time) {
        const is_logstash = setting.form === 'logstash';
        shown.digits = is_logstash || !form || form[1] !== 0 ? 3 : 0;
        shown.time_form = is_logstash ? 'zone-stated' : form[0];
      }
      if (shown.digits === undefined) delete shown.digits;
      if (setting.form === 'simple' || setting.form === 'cli') {
        // the time is one of the members after the message
        shown.optional_fields = ['timestamp'];
      }
      take(record, shown);
    }
  },
  pino(pretty) {
    const pino = require('pino');
    const options = { level: 'trace' };
    const s = setting;
    options.timestamp = { epoch: pino.stdTimeFunctions.epochTime, iso: pino.stdTimeFunctions.isoTime, unix: pino.stdTimeFunctions.unixTime, none: false }[s.time];
    options.messageKey = s.message;
    options.errorKey = s.error;
    if (s.level === 'label') options.formatters = { level: (label) => ({ level: label }) };
    if (s.level === 'severity') options.formatters = { level: (label) => ({ severity: label.toUpperCase() }) };
    if (s.nested) options.nestedKey = s.nested;
    if (s.base === 'none') options.base = undefined;
    if (s.base === 'named') options.name = 'shop';
    const logger = pino(options, sink);
    for (const record of run.records) {
      micros = record.micros;
      const fields = { ...record.fields };
      if (record.error) { const e = new Error(record.error); e.stack = `Error: ${record.error}\n    at run (/srv/app/worker.js:7:9)`; fields[s.error] = e; }
      logger[known(record, { warning: 'warn' })](fields, record.message);
      const unix = s.time === 'unix';
      const shown = { logger: s.base === 'named' ? 'shop' : null, fields: record.fields, error: record.error, error_key: s.error, optional_fields: ['pid', 'hostname'] };
      if (s.nested && Object.keys(record.fields).length) shown.fields = { [s.nested]: record.fields };
      if (s.nested && record.error) { shown.error_ok = [null]; shown.optional_fields.push(s.nested); }
      shown.error_ok = [...(shown.error_ok || []), record.error, `Error: ${record.error}`, `Error: ${record.error}\n    at run (/srv/app/worker.js:7:9)`];
      if (s.time !== 'none') { shown.digits = unix ? 0 : 3; shown.time_form = 'zone-stated' + (unix ? ' float' : ''); }
      if (unix) { micros -= micros % 1000000; const rounded = Math.round(Math.floor(record.micros / 1000) / 1000); micros = rounded * 1e6; }
      take(record, shown);
    }
  },
  'pino-pretty'() {
    const pino = require('pino');
    const pretty = require('pino-pretty');
    const s = setting;
    const options = { colorize: s.colors, levelFirst: s.level_first, singleLine: s.single, destination: sink, sync: true };
    if (s.ignore) options.ignore = s.ignore;
    options.translateTime = s.time === 'epoch' ? false : s.time === 'clock' ? true : s.time;
    if (s.time === 'clock') options.translateTime = 'HH:MM:ss.l';
    const show = pretty.prettyFactory(options);
    const lines = [];
    const logger = pino({ level: 'trace', ...(s.name ? { name: 'shop' } : {}) }, { write: (each) => lines.push(each) });
    for (const record of run.records) {
      micros = record.micros;
      const fields = { ...record.fields };
      if (record.error) { const e = new Error(record.error); e.stack = `Error: ${record.error}\n    at run (/srv/app/worker.js:7:9)`; fields.err = e; }
      logger[known(record, { warning: 'warn' })](fields, record.message);
      held += show(lines.pop());
      const form = { clock: 'date-missing', epoch: 'zone-stated', 'UTC:yyyy-mm-dd\'T\'HH:MM:ss\'Z\'': 'zone-stated' }[s.time] || 'zone-stated';
      const shown = { digits: s.time === 'UTC:yyyy-mm-dd\'T\'HH:MM:ss\'Z\'' ? 0 : 3, time_form: form, logger: s.name ? 'shop' : null, fields: record.fields, error: record.error, stack: !!record.error,
        optional_fields: ['pid', 'hostname', 'name'], error_ok: [record.error, `Error: ${record.error}`, `Error: ${record.error}\n    at run (/srv/app/worker.js:7:9)`] };
      take(record, shown);
    }
  },
  bunyan() {
    const bunyan = require('bunyan');
    const logger = bunyan.createLogger({ name: 'shop', level: 'trace', src: false, streams: [{ stream: sink, level: 'trace' }], serializers: bunyan.stdSerializers, ...(setting.component ? { component: 'queue' } : {}) });
    for (const record of run.records) {
      micros = record.micros;
      const fields = { ...record.fields };
      if (setting.src) fields.src = { file: '/srv/app/worker.js', line: record.line, func: 'run' };
      if (record.error) { const e = new Error(record.error); e.stack = `Error: ${record.error}\n    at run (/srv/app/worker.js:7:9)`; fields.err = e; }
      logger[known(record, { warning: 'warn' })](fields, record.message);
      const shown = { digits: 3, time_form: 'zone-stated', logger: 'shop', fields: record.fields, error: record.error, optional_fields: ['pid', 'hostname', 'component', 'src'] };
      if (setting.component) shown.logger_ok = ['queue', 'shop'];
      if (setting.src) { shown.caller = `worker.js:${record.line}`; }
      shown.error_ok = [record.error, `Error: ${record.error}`, `Error: ${record.error}\n    at run (/srv/app/worker.js:7:9)`];
      take(record, shown);
    }
  },
  log4js() {
    const log4js = require('log4js');
    const layouts = require('log4js/lib/layouts');
    const layout = setting.layout === 'pattern' ? layouts.layout('pattern', { pattern: setting.pattern }) : layouts.layout(setting.layout);
    const levels = log4js.levels;
    const times = { '[%d] [%p] %c - %m': ['zone-missing', 3, true], '%d{ISO8601_WITH_TZ_OFFSET} %p %c %m': ['zone-stated', 3, true], '%d{ABSOLUTE} %-5p [%c] %m': ['date-missing', 3, true],
      '%p %d{DATE} - %c: %m': ['zone-missing', 3, true], '%d{yyyy/MM/dd hh:mm:ss} | %p | %c | %m': ['zone-missing', 0, true], '[%d{yyyy-MM-ddThh:mm:ss.SSS}] [%5.5p] [%z] %c - %m': ['zone-missing', 3, true] };
    const [form, digits] = setting.layout === 'pattern' ? times[setting.pattern] : ['zone-missing', 3];
    for (const record of run.records) {
      micros = record.micros;
      const event = { categoryName: record.logger.replace(/::/g, '.'), level: levels.getLevel(known(record, { warning: 'warn' })), startTime: new Date(), data: [joined(record)], pid: 7, context: {} };
      held += layout(event) + '\n';
      take(record, { digits, time_form: form, logger: event.categoryName, message: joined(record) });
    }
  },
  morgan() {
    const morgan = require('morgan');
    const { EventEmitter } = require('events');
    const compiled = morgan[setting.form];
    const format = typeof compiled === 'function' ? compiled : morgan.compile(compiled);
    for (const record of run.records) {
      micros = record.micros;
      const code = { error: 502, warning: 404 }[record.level] || 200;
      const url = `/api/${record.line}`;
      const request = { method: 'GET', url, originalUrl: url, headers: { 'user-agent': 'quay/1.0', referer: 'http://quay.example/' }, httpVersionMajor: 1, httpVersionMinor: 1, ip: '10.0.0.7', _startAt: [1, 0], _startTime: new Date(), connection: {} };
      const response = { statusCode: code, headersSent: true, _header: 'x', getHeader: () => '157', _startAt: [1, record.line * 1000] };
      held += format(morgan, request, response).replace(/\u001b\[[0-9;]*m/g, setting.form === 'dev' ? '$&' : '') + '\n';
      const shown = { level: null, level_ok: ['info', 'error', 'warning'], optional_fields: [], kind: 'access' };
      shown.message = `GET ${url} HTTP/1.1`;
      shown.message_ok = [`GET ${url}`, `GET ${url} HTTP/1.1 ${code}`];
      shown.fields = {};
      if (setting.form === 'combined' || setting.form === 'common') { shown.digits = 0; shown.time_form = 'zone-stated'; }
      // the short formats have no record marker, so a parser may treat them as plain text
      if (setting.form === 'combined' || setting.form === 'common') shown.optional_fields = ['remote_addr', 'remote_user', 'status', 'body_bytes_sent', 'http_referer', 'http_user_agent', 'method', 'path', 'protocol', 'bytes', 'referer', 'user_agent', 'client', 'user', 'request', 'size', 'agent', 'code'];
      else shown.optional = true;
      take(record, shown);
    }
  },
  tslog() {
    const { Logger } = require('tslog');
    const named = setting.template.includes('{{name}}');
    const logger = new Logger({ type: 'pretty', stylePrettyLogs: false, prettyLogTemplate: setting.template, ...(named ? { name: 'shop' } : {}) });
    const wrote = console.log;
    for (const record of run.records) {
      micros = record.micros;
      console.log = (...all) => { held += require('util').format(...all) + '\n'; };
      logger[known(record, { warning: 'warn' })](joined(record));
      console.log = wrote;
      const place = /write\.js:\d+/.exec(held);
      const clock = !setting.template.includes('yyyy');
      take(record, { digits: 3, time_form: clock ? 'date-missing' : 'zone-missing', logger: named ? 'shop' : null, message: joined(record), caller: place && place[0] });
    }
  },
  consola() {
    const { createConsola } = require('consola/basic');
    const out_stream = { write: (each) => { held += each; } };
    const logger = createConsola({ level: 5, fancy: false, stdout: out_stream, stderr: out_stream, formatOptions: { date: setting.date, colors: false, columns: 0 } });
    for (const record of run.records) {
      micros = record.micros;
      const made = setting.tag ? logger.withTag('shop') : logger;
      made[known(record, { warning: 'warn' })](joined(record));
      take(record, { ...(setting.date ? { digits: 0, time_form: 'date-missing' } : {}), logger: setting.tag ? 'shop' : null, message: joined(record),
        message_ok: record.level === 'error' || record.level === 'trace' ? [joined(record)] : [] });
    }
  },
};
writers[run.library]();
const folder = path.join(out, run.folder);
fs.mkdirSync(folder, { recursive: true });
fs.writeFileSync(path.join(folder, 'input.log'), text);
fs.writeFileSync(path.join(folder, 'truth.ndjson'), truths.map((truth) => JSON.stringify(truth) + '\n').join(''));
process.exit(0);
