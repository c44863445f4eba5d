import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

function run(env: Record<string, string>) {
  const child = spawn(process.execPath, [main], { env: { ...process.env, ...env } });
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output.text += String(chunk)));
  return { child, output, exit: once(child, 'exit') };
}

test('the process serves until SIGTERM and then ends by itself', async () => {
  const { child, output, exit } = run({ PORT: '0' });
  const deadline = Date.now() + 10_000;
  while (!output.text.includes('started') && Date.now() < deadline) await new Promise(done => setTimeout(done, 20));
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output.text)?.[0] ?? '';
  expect((await fetch(`${url}/health/live`)).status).toBe(200);
  expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});

test('a port in use and a bad environment are one clear sentence and a failure', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  // A server that listens on TCP has an address of this form.
  const { port } = taken.address() as AddressInfo;
  const busy = run({ PORT: String(port) });
  expect(await busy.exit).toEqual([1, null]);
  expect(busy.output.text).toContain(`127.0.0.1:${port}`);
  taken.close();

  const bad = run({ PORT: 'many' });
  expect(await bad.exit).toEqual([1, null]);
  expect(bad.output.text).toContain('PORT');
});
