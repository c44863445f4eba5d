import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startGateway, type Gateway } from './start-gateway.ts';

const MIB = 1_048_576;
const MAX_CONNECTIONS_PER_ADDRESS = 20;
let gateway: Gateway;
beforeAll(async () => {
  const env = {
    MAX_BODY_BYTES_IN_FLIGHT: String(8 * MIB),
    MAX_CONNECTIONS_PER_ADDRESS: String(MAX_CONNECTIONS_PER_ADDRESS),
  };
  gateway = await startGateway({ env });
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** Opens a connection from an address of the loopback network. */
function open(localAddress: string): Socket {
  const { port, hostname } = new URL(gateway.url);
  const socket = connect({ port: Number(port), host: hostname, localAddress }).on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Sends all of a webhook of 1 MiB but its last byte. */
function sendUnfinished(localAddress: string): Socket {
  const socket = open(localAddress);
  socket.write(
    `POST /api/webhooks/processor/team_0123456789abcdefghij HTTP/1.1\r\nHost: x\r\nContent-Length: ${MIB}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(MIB - 1, 'x'));
  return socket;
}

/** Posts a webhook; returns the status and the body of the response. */
async function post(localAddress: string, body: string) {
  const url = `${gateway.url}/api/webhooks/processor/team_0123456789abcdefghij`;
  const sent = request(url, { method: 'POST', localAddress, agent: false, headers: { 'stripe-signature': 'x' } });
  sent.end(body);
  const [response] = await once(sent, 'response');
  return {
    status: response.statusCode as number,
    retryAfter: response.headers['retry-after'],
    text: await text(response),
  };
}

it('S45: refuses bodies beyond the budget of an address, and takes them again when others have ended', async () => {
  const slow = [sendUnfinished('127.0.0.2'), sendUnfinished('127.0.0.2')];
  const isUsedUp = async () => {
    if ((await post('127.0.0.2', 'x'.repeat(1_000))).status === 503) return true;
    // The bytes of this request may have displaced a slow one.
    slow.push(sendUnfinished('127.0.0.2'));
    return false;
  };
  await waitFor(isUsedUp, { what: 'the budget to be used up' });
  expect(await post('127.0.0.2', 'x'.repeat(1_000))).toMatchObject({ status: 503, retryAfter: '1' });
  expect((await post('127.0.0.3', 'x'.repeat(MIB))).status).toBe(200);
  expect((await gateway.call('GET', '/health/ready')).status).toBe(200);
  for (const socket of slow) socket.destroy();
  await waitFor(async () => (await post('127.0.0.2', 'x')).status === 200, {
    what: 'the bytes to be released',
  });
});

it('S45: refuses a body that outgrows the budget while it arrives', async () => {
  const slow = Array.from({ length: 3 }, () => sendUnfinished('127.0.0.4'));
  const [response] = await Promise.race(slow.map(socket => once(socket, 'data')));
  expect(String(response)).toMatch(/^HTTP\/1\.1 503 /);
});

it('S45: closes connections of an address beyond its number, and of no other', async () => {
  const sockets = Array.from({ length: MAX_CONNECTIONS_PER_ADDRESS + 5 }, () => open('127.0.0.5'));
  const isOpen = (socket: Socket) => !socket.closed;
  await waitFor(() => sockets.filter(isOpen).length === MAX_CONNECTIONS_PER_ADDRESS, { what: 'five to be closed' });
  expect((await post('127.0.0.6', 'x')).status).toBe(200);
  sockets.find(isOpen)?.destroy();
  await waitFor(async () => (await post('127.0.0.5', 'x').catch(() => undefined))?.status === 200, {
    what: 'a connection to be free',
  });
});
