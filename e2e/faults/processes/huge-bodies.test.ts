import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Tenant } from '../../system/tenant.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { rawRequest } from '../system/raw-request.ts';
import { expectKeptUnderLoad } from '../system/under-load.ts';

const MEGABYTE = 1_024 ** 2;
/** What the kernel and node take in advance on the way. */
const ON_THE_WAY = 16 * MEGABYTE;

const random = seededRandom('huge bodies');
let system: FaultySystem;
let tenant: Tenant;
beforeAll(async () => {
  system = await startFaultySystem();
  tenant = await system.newTenant();
});
afterAll(() => system?.[Symbol.asyncDispose]());

const post = (...headers: string[]) => [
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

it('refuses a body that says that it is too large before it has come', async () => {
  const answer = await rawRequest(system.gatewayUrl, post(`content-length: ${100 * MEGABYTE}`), []);
  expect(answer.status).toBe(413);
});

it('stops reading an endless body that does not say how large it is', async () => {
  const before = system.residentBytes('gateway');
  const answers = await Promise.all(
    Array.from({ length: 4 }, () =>
      rawRequest(system.gatewayUrl, post('transfer-encoding: chunked'), chunks(100 * MEGABYTE)),
    ),
  );
  for (const { status, taken } of answers) {
    expect([413, 0]).toContain(status);
    expect(taken).toBeLessThan(ON_THE_WAY);
  }
  expect(system.residentBytes('gateway') - before).toBeLessThan(100 * MEGABYTE);
});

it('does not unpack what was packed', async () => {
  const bomb = gzipSync(Buffer.alloc(100 * MEGABYTE, 32));
  const before = system.residentBytes('gateway');
  const answer = await rawRequest(system.gatewayUrl, post('content-encoding: gzip', `content-length: ${bomb.length}`), [
    bomb,
  ]);
  expect([400, 415]).toContain(answer.status);
  expect(system.residentBytes('gateway') - before).toBeLessThan(100 * MEGABYTE);
});

it('serves everybody else while fifty bodies come byte by byte, and hangs up on those', async context => {
  const giveUp = new AbortController();
  async function* slowly(): AsyncGenerator<Buffer> {
    while (!giveUp.signal.aborted) {
      yield Buffer.from(' ');
      await delay(1_000);
    }
  }
  const sent = await expectKeptUnderLoad(context, { system, random, tenant, eventsPerSecond: 10 }, async () => {
    const slow = Promise.all(
      Array.from({ length: 50 }, () => rawRequest(system.gatewayUrl, post('content-length: 1000'), slowly())),
    );
    const answers = await slow.finally(() => giveUp.abort());
    expect(answers.filter(({ status }) => ![0, 408].includes(status))).toEqual([]);
  });
  expect(new Set(sent.events.flatMap(({ answers }) => answers))).toEqual(new Set([200]));
});
