"use strict";
// Runs one analysis. The module asks for bytes of files; a worker may read them without waiting for the page.

const AHEAD = 4 << 20;

function reader(sources, tell) {
  const files = new FileReaderSync();
  let piece = { file: -1, start: 0, bytes: new Uint8Array() };
  let before = 0;
  return (file, offset) => {
    const at = offset - piece.start;
    if (file === piece.file && at >= 0 && at < piece.bytes.length) {
      return piece.bytes.subarray(at);
    }
    if (file !== piece.file) {
      before = 0;
      for (const source of sources.slice(0, file)) before += source.size;
    }
    const part = sources[file].slice(offset, offset + AHEAD);
    piece = { file, start: offset, bytes: new Uint8Array(files.readAsArrayBuffer(part)) };
    tell({ progress: before + offset, file });
    return piece.bytes;
  };
}

async function analyze({ module, request, sources }) {
  const read = reader(sources, postMessage);
  let memory;
  const page = {
    read(file, offset, into, length) {
      try {
        const bytes = read(file, offset).subarray(0, length);
        new Uint8Array(memory.buffer, into >>> 0, bytes.length).set(bytes);
        return bytes.length;
      } catch {
        return -1;
      }
    },
    now: () => performance.now(),
  };
  const { exports } = await WebAssembly.instantiate(module, { page });
  memory = exports.memory;
  const start = performance.now();
  const text = new TextEncoder().encode(JSON.stringify(request));
  const at = exports.buffer(text.length) >>> 0;
  new Uint8Array(memory.buffer, at, text.length).set(text);
  const failed = exports.analyze() !== 0;
  const result = (number) => {
    const at = exports.result_at(number) >>> 0;
    return new TextDecoder().decode(new Uint8Array(memory.buffer, at, exports.result_length(number)));
  };
  if (failed) return { error: result(3) };
  const took = performance.now() - start;
  return { html: result(0), json: result(1), md: result(2), took, memory: memory.buffer.byteLength };
}

onmessage = async ({ data }) => {
  try {
    postMessage(await analyze(data));
  } catch (error) {
    postMessage({ error: `the analysis failed, which is an error of kwhy: ${error}` });
  }
};
