"use strict";
const $ = (id) => document.getElementById(id);

// What was chosen: { name, path, file }, with a path where it is in a folder.
let chosen = [];
let signatures = [];
let forms = {};
let worker = null;
let started = 0;

// The module is compiled once, whatever is analysed and cancelled.
const module = (async () => {
  const packed = Uint8Array.from(atob($("module").textContent.trim()), (c) => c.charCodeAt(0));
  $("module").remove();
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
})();
module.catch(() => {});
const code = URL.createObjectURL(new Blob([$("worker").textContent], { type: "text/javascript" }));

function size(bytes) {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function counted(number, word) {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

function show(id, is) {
  $(id).hidden = !is;
}

function fail(message) {
  $("error").textContent = message;
  show("error", message !== "");
}

// ---- what is analysed

function refresh() {
  chosen.sort((a, b) => (place(a) < place(b) ? -1 : 1));
  const all = chosen.reduce((sum, { file }) => sum + file.size, 0);
  $("count").textContent = `${counted(chosen.length, "file")}, ${size(all)}`;
  const rows = chosen.slice(0, 50).map((item) => {
    const row = document.createElement("li");
    row.textContent = `${place(item)} (${size(item.file.size)})`;
    return row;
  });
  if (chosen.length > rows.length) {
    const row = document.createElement("li");
    row.textContent = `and ${chosen.length - rows.length} more`;
    rows.push(row);
  }
  $("list").replaceChildren(...rows);
  show("chosen", chosen.length > 0);
}

function place({ name, path }) {
  return path === null ? name : `${name}/${path}`;
}

// Two sources of one name cannot be told apart in a report.
function add(items) {
  const known = new Set(chosen.map(place));
  const again = [];
  for (const item of items) {
    if (known.has(place(item))) again.push(place(item));
    else chosen.push(item);
    known.add(place(item));
  }
  const more = again.length > 5 ? ` and ${again.length - 5} more` : "";
  fail(again.length === 0 ? "" : `Not added, as there is one of this name: ${again.slice(0, 5).join(", ")}${more}`);
  refresh();
}

// A file as it was chosen: one in a folder has a path below the folder's name.
function item(file, relative) {
  const parts = relative.split("/").filter((part) => part !== "");
  return parts.length > 1
    ? { name: parts[0], path: parts.slice(1).join("/"), file }
    : { name: file.name, path: null, file };
}

async function below(entry, items) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    items.push(item(file, entry.fullPath));
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    // some at a time, until there are none
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return;
    for (const inside of entries) await below(inside, items);
  }
}

async function dropped(transfer) {
  // what is dropped is gone after the event
  const all = [...transfer.items].filter((it) => it.kind === "file");
  const entries = all.map((it) => [it.webkitGetAsEntry?.(), it.getAsFile()]);
  const items = [];
  for (const [entry, file] of entries) {
    if (entry) await below(entry, items);
    else if (file) items.push(item(file, ""));
  }
  add(items);
}

function ownSignatures() {
  $("own").textContent = signatures.map(({ name }) => name).join(", ");
  show("without", signatures.length > 0);
}

// ---- the analysis

function finish() {
  worker?.terminate();
  worker = null;
  show("running", false);
  show("cancel", false);
  $("go").disabled = false;
}

function cancel() {
  if (worker === null) return;
  finish();
  fail("Cancelled: there is no report of a part.");
  $("go").focus();
}

async function analyze() {
  if (worker !== null) return;
  const items = [...chosen];
  const paste = $("paste").value;
  if (paste.trim() !== "") {
    items.unshift({ name: "paste", path: null, file: new Blob([paste]) });
  }
  if (items.length === 0) {
    fail("There is nothing to analyse: paste a text or choose files.");
    $("paste").focus();
    return;
  }
  fail("");
  show("result", false);
  show("running", true);
  show("cancel", true);
  $("go").disabled = true;
  $("progress").removeAttribute("value");
  $("status").textContent = "Starting";
  started = performance.now();
  const here = (worker = new Worker(code));
  here.onmessage = ({ data }) => heard(data, items);
  here.onerror = (event) => {
    event.preventDefault();
    finish();
    fail(`The analysis failed: ${event.message}`);
  };
  try {
    const files = items.map(({ name, path }) => ({ name, path }));
    const message = {
      module: await module,
      request: { files, signatures },
      sources: items.map(({ file }) => file),
    };
    // it may have been cancelled meanwhile
    if (worker === here) here.postMessage(message);
  } catch (error) {
    finish();
    fail(`This browser cannot run kwhy: ${error}`);
  }
}

function heard(data, items) {
  if (data.progress !== undefined) {
    const all = items.reduce((sum, { file }) => sum + file.size, 0);
    $("progress").value = all === 0 ? 1 : data.progress / all;
    $("status").textContent = `${size(data.progress)} of ${size(all)}: ${place(items[data.file])}`;
    return;
  }
  finish();
  if (data.error !== undefined) {
    fail(data.error);
    return;
  }
  forms = data;
  $("took").textContent = `${(data.took / 1000).toFixed(1)} s, ${size(data.memory)} of memory`;
  $("report").srcdoc = data.html;
  show("result", true);
  $("headline").focus();
}

const TYPES = { html: "text/html", json: "application/json", md: "text/markdown" };

function save(form) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([forms[form]], { type: TYPES[form] }));
  link.download = `kwhy-report.${form}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// ---- events

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  analyze();
});
$("cancel").addEventListener("click", cancel);
$("clear").addEventListener("click", () => {
  chosen = [];
  refresh();
  $("files").focus();
});
for (const id of ["files", "folder"]) {
  $(id).addEventListener("change", (event) => {
    add([...event.target.files].map((file) => item(file, file.webkitRelativePath)));
    event.target.value = "";
  });
}
$("without").addEventListener("click", () => {
  signatures = [];
  ownSignatures();
  $("signatures").focus();
});
$("signatures").addEventListener("change", async (event) => {
  const files = [...event.target.files];
  try {
    signatures = await Promise.all(files.map(async (file) => ({ name: file.name, text: await file.text() })));
    ownSignatures();
    // the same file is chosen again once it is corrected
    event.target.value = "";
  } catch (error) {
    fail(`The signatures cannot be read: ${error}`);
  }
});
for (const button of document.querySelectorAll("[data-save]")) {
  button.addEventListener("click", () => save(button.dataset.save));
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") cancel();
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) analyze();
});
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("over");
});
document.addEventListener("dragleave", (event) => {
  if (event.relatedTarget === null) document.body.classList.remove("over");
});
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("over");
  dropped(event.dataTransfer).catch((error) => fail(`It cannot be read: ${error}`));
});
