import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Tenant } from '../../system/tenant.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { rawRequest } from '../system/raw-request.ts';
import { expectInvariantsUnderLoad } from '../system/under-load.ts';

const MEGABYTE = 1_024 ** 2;
/** What socket buffers may hold before the gateway stops reading. */
const BUFFERED_BYTES = 16 * MEGABYTE;

const random = seededRandom('oversized bodies');
let system: FaultySystem;
let tenant: Tenant;
beforeAll(async () => {
  system = await startFaultySystem();
  tenant = await system.newTenant();
});
afterAll(() => system?.[Symbol.asyncDispose]());

const requestHead = (...headers: string[]) => [
  `POST /api/webhooks/processor/${tenant.teamId} HTTP/1.1`,
  'content-type: application/json',
  'connection: close',
  ...headers,
];

function* chunks(bytes: number): Generator<Buffer> {
  const size = 65_536;
  const chunk = Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), Buffer.alloc(size, 32), Buffer.from('\r\n')]);
  for (let sent = 0; sent < bytes; sent += size) yield chunk;
  yield Buffer.from('0\r\n\r\n');
}

it('rejects a large content-length before the body arrives', async () => {
  const { status } = await rawRequest(system.gatewayUrl, requestHead(`content-length: ${100 * MEGABYTE}`), []);
  expect(status).toBe(413);
});

it('stops reading a chunked body at the size limit', async () => {
  const before = system.residentBytes('gateway');
  const responses = await Promise.all(
    Array.from({ length: 4 }, () =>
      rawRequest(system.gatewayUrl, requestHead('transfer-encoding: chunked'), chunks(100 * MEGABYTE)),
    ),
  );
  for (const { status, written } of responses) {
    expect([413, 0]).toContain(status);
    expect(written).toBeLessThan(BUFFERED_BYTES);
  }
  expect(system.residentBytes('gateway') - before).toBeLessThan(100 * MEGABYTE);
});

it('closes fifty slow uploads and serves other requests meanwhile', async context => {
  const giveUp = new AbortController();
  /** One byte per second: a body of 1,000 bytes never completes within the request timeout. */
  async function* slowBody(): AsyncGenerator<Buffer> {
    while (!giveUp.signal.aborted) {
      yield Buffer.from(' ');
      await delay(1_000);
    }
  }
  const sent = await expectInvariantsUnderLoad(context, { system, random, tenant, eventsPerSecond: 10 }, async () => {
    const uploads = Promise.all(
      Array.from({ length: 50 }, () => rawRequest(system.gatewayUrl, requestHead('content-length: 1000'), slowBody())),
    );
    const responses = await uploads.finally(() => giveUp.abort());
    expect(responses.filter(({ status }) => ![0, 408].includes(status))).toEqual([]);
  });
  expect(new Set(sent.events.flatMap(({ statuses }) => statuses))).toEqual(new Set([200]));
});
