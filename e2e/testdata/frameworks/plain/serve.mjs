// Files of this folder, on the port after --port.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';

const types = { html: 'text/html; charset=utf-8', js: 'text/javascript' };
createServer(async ({ url }, answer) => {
  const path = url.replace(/\?.*/, '').replace(/\/$/, '/index.html');
  answer.setHeader('Content-Type', types[path.split('.').pop()] ?? 'text/plain');
  answer.end(await readFile('.' + path).catch(() => { answer.statusCode = 404; }));
}).listen(Number(process.argv[3]), 'localhost');
