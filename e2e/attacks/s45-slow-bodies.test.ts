import { connect, type Socket } from 'node:net';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, expect, inject, it } from 'vitest';
import { callerFrom, newAddress, newLimitedTenant } from './limited.ts';

const MIB = 1_048_576;
/** Of the gateway that has limits: a quarter of its bytes in flight. */
const BYTES_PER_ADDRESS = 2 * MIB;
const MAX_CONNECTIONS_PER_ADDRESS = 1_000;
const sockets: Socket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

/** Begins a webhook of 1 MiB, and sends `bytes` of its body. */
function startSlowly(localAddress: string, bytes: number): Socket {
  const { hostname: host, port } = new URL(inject('limitedGatewayUrl'));
  const socket = connect({ host, port: Number(port), localAddress }).on('error', () => undefined);
  sockets.push(socket);
  socket.write(
    `POST /api/webhooks/processor/team_00000000000000000000 HTTP/1.1\r\nHost: x\r\nContent-Length: ${MIB}\r\n\r\n`,
  );
  if (bytes > 0) socket.write(Buffer.alloc(bytes, 'x'));
  return socket;
}

const ready = async () => (await fetch(`${inject('limitedGatewayUrl')}/health/ready`)).status;

it('S45: of two thousand connections that send a byte at a time half are closed, and the gateway stays ready', async () => {
  const { api, P } = await newLimitedTenant();
  const slow = Array.from({ length: 2_000 }, () => startSlowly('127.0.0.2', 1));
  await waitFor(() => slow.filter(socket => !socket.closed).length <= MAX_CONNECTIONS_PER_ADDRESS, {
    what: 'the other half to be closed',
  });
  expect(await ready()).toBe(200);
  expect((await api.get(`${P}/customers`)).status).toBe(200);
  for (const socket of slow) socket.destroy();
});

it('S45: slow bodies beyond the bytes of an address get 503, and other addresses are served', async () => {
  const slow = Array.from({ length: 12 }, () => startSlowly('127.0.0.3', BYTES_PER_ADDRESS / 8));
  let refusal = '';
  for (const socket of slow) socket.on('data', data => (refusal ||= String(data)));
  await waitFor(() => refusal !== '', { what: 'a body to be refused' });
  expect(refusal).toMatch(/^HTTP\/1\.1 503 /);
  expect(refusal.toLowerCase()).toContain('retry-after: 1');
  expect(await ready()).toBe(200);
  const other = await callerFrom(newAddress()).post('/api/webhooks/processor/team_00000000000000000000', {
    x: 'y'.repeat(1_000),
  });
  expect(other.status).toBe(400);
});
