import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { waitFor } from '@billing/testing/wait-for';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';

const EXAMPLE = join(import.meta.dirname, '../examples/receive-webhooks.mjs');

it('has an example of a receiver that prints what is signed, and refuses the rest', async () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const port = await unusedPort();
  const receiver = spawn(process.execPath, [EXAMPLE], {
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [printed, errors] = ['', ''];
  receiver.stdout.on('data', data => (printed += String(data)));
  receiver.stderr.on('data', data => (errors += String(data)));
  const body = JSON.stringify({ id: 'ev_1', type: 'customer.created', object: { id: 'pc_1' } });
  const post = (signature: string) =>
    fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: {
        'webhook-id': 'ev_1',
        'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
        'webhook-signature': signature,
      },
      body,
    });
  try {
    const isUp = () => post('v1,none').catch(() => undefined);
    expect((await waitFor(isUp, { what: 'the receiver' })).status).toBe(400);
    expect((await post(new Webhook(secret).sign('ev_1', new Date(), body))).status).toBe(204);
    await waitFor(() => printed !== '', { what: 'the event' });
    expect(printed).toBe('ev_1 customer.created pc_1\n');
    expect(errors).toMatch(/^The signature does not match/);
  } finally {
    receiver.kill();
  }
});

/** Returns a port of the loopback address that nothing listens on. */
async function unusedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  server.close();
  await once(server, 'close');
  return port;
}
