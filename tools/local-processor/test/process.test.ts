import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { waitUntil } from './receiver.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

function run(env: Record<string, string>) {
  const child = spawn(process.execPath, [main], { env: { ...process.env, ...env } });
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output.text += String(chunk)));
  return { child, output, exit: once(child, 'exit') };
}

test('serves requests until SIGTERM and exits with code 0', async () => {
  const { child, output, exit } = run({ PORT: '0' });
  await waitUntil(() => output.text.includes('started'), 'the process to start');
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output.text)?.[0] ?? '';
  expect((await fetch(`${url}/health/live`)).status).toBe(200);
  expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});

test('fails with a clear message for a used port and a bad environment', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  // A listening TCP server has an address of this type.
  const { port } = taken.address() as AddressInfo;
  const busy = run({ PORT: String(port) });
  expect(await busy.exit).toEqual([1, null]);
  expect(busy.output.text).toContain(`127.0.0.1:${port}`);
  taken.close();

  const bad = run({ PORT: 'many' });
  expect(await bad.exit).toEqual([1, null]);
  expect(bad.output.text).toContain('PORT');
});
