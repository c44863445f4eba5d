import { execFile } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { curlScript, sentHeaders } from './sent-request.ts';

const run = promisify(execFile);

it('makes a script that sends the same bytes, signed as an attempt is', async () => {
  let received: { readonly headers: IncomingHttpHeaders; readonly body: string } | undefined;
  const server = createServer((request, response) => {
    void (async () => {
      received = { headers: request.headers, body: await text(request) };
      response.end();
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const key = randomBytes(32);
  const body = JSON.stringify({ name: `it's "$HOME" \`id\` \\n %s\n é €`, amount: 2999 });
  const script = curlScript({ url: `http://127.0.0.1:${port}/a?b='c'&d=$e`, eventId: 'ev_1', body });
  await run('sh', ['-c', script], { env: { ...process.env, WEBHOOK_SECRET: `whsec_${key.toString('base64')}` } });
  server.close();

  const timestamp = String(received?.headers['webhook-timestamp']);
  const signature = createHmac('sha256', key).update(`ev_1.${timestamp}.${body}`).digest('base64');
  expect(received?.body).toBe(body);
  const expected = sentHeaders('ev_1', new Date(Number(timestamp) * 1_000).toISOString());
  expect(received?.headers).toMatchObject({ ...expected, 'webhook-signature': `v1,${signature}` });
});

it('makes a script that says which variable it lacks', async () => {
  const script = curlScript({ url: 'http://127.0.0.1:1/', eventId: 'ev_1', body: '{}' });
  await expect(run('sh', ['-c', script], { env: { PATH: process.env['PATH'] } })).rejects.toThrow('whsec_');
});
