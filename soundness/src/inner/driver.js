// Runs programs given on standard input and tells which files they open and which commands they run.
'use strict';
const fs = require('fs');
const childProcess = require('child_process');
const vm = require('vm');
const { readSync, writeSync } = fs;

let recording = false;
let events = [];

function record(kind, text) {
  if (recording) events.push(kind + ' ' + String(text).replace(/\n/g, ' '));
}

// Nothing is started; the result is empty.
function started() {
  const stream = { on: () => stream, pipe: () => stream, write() {}, end() {} };
  return { stdout: stream, stderr: stream, stdin: stream, on() { return this; }, unref() {}, toString: () => '' };
}

function replaceRun(name, result) {
  childProcess[name] = (first, second) => {
    record('run', Array.isArray(second) ? [first, ...second].join(' ') : first);
    return result();
  };
}
for (const name of ['exec', 'spawn', 'execFile']) replaceRun(name, started);
for (const name of ['execSync', 'execFileSync']) replaceRun(name, () => Buffer.from(''));
replaceRun('spawnSync', () => ({ stdout: Buffer.from(''), stderr: Buffer.from(''), status: 0 }));

const paths = ['writeFile', 'appendFile', 'readFile', 'unlink', 'rm', 'readdir', 'open', 'chmod', 'mkdir', 'copyFile'];
for (const name of paths) {
  fs[name + 'Sync'] = (path) => {
    record('open', path);
    return name === 'readdir' ? [] : '';
  };
  fs[name] = (path, ...rest) => {
    record('open', path);
    const callback = rest.pop();
    if (typeof callback === 'function') callback(null, '');
  };
  fs.promises[name] = async (path) => {
    record('open', path);
    return '';
  };
}
fs.createWriteStream = (path) => {
  record('open', path);
  return { write() {}, end() {} };
};

function readLine() {
  const byte = Buffer.alloc(1);
  let line = '';
  while (readSync(0, byte, 0, 1) === 1) {
    if (byte[0] === 10) return line;
    line += String.fromCharCode(byte[0]);
  }
  return null;
}

function readText(length) {
  const text = Buffer.alloc(length);
  let at = 0;
  while (at < length) at += readSync(0, text, at, length - at);
  return text.toString();
}

async function main() {
  process.on('uncaughtException', () => {});
  process.on('unhandledRejection', () => {});
  console.log = () => {};
  const here = process.cwd();
  for (let line = readLine(); line !== null; line = readLine()) {
    const code = readText(Number(line));
    events = [];
    let error = '';
    recording = true;
    try {
      const program = vm.runInThisContext('(function (require, module) {' + code + '\n})');
      program(require, module);
    } catch (caught) {
      error = (caught && caught.name) || 'thrown';
    }
    // Promises and timers run before the events are told.
    for (let turn = 0; turn < 3; turn++) await new Promise((next) => setTimeout(next, 0));
    recording = false;
    process.chdir(here);
    writeSync(1, events.map((event) => event + '\n').join('') + 'END ' + error + '\n');
  }
}

main();
