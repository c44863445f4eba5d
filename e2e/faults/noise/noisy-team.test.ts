import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SERVICES } from '@billing/contracts/operation';
import { expectInvariantsAfterDrain } from '../system/under-load.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { NOISES } from './noises.ts';
import { openQuietTeam, type Medians } from './quiet-team.ts';
import { seenResponses } from './seen-responses.ts';

/** How long each kind goes on. */
const SECONDS = Number(process.env['NOISE_SECONDS'] ?? 300);
const QUIET_SECONDS = Math.min(SECONDS, 30);
const MEBIBYTE = 1_024 ** 2;
/** What one team may add to the disk: its own budget, and as much again for indexes, logs and what is to be vacuumed. */
const MAX_DISK_MEBIBYTES = 2 * Number(process.env['NOISE_QUOTA_MEBIBYTES'] ?? 256) + 256;
const MAX_MEMORY_MEBIBYTES = 400;

/** The limits of a gateway that is not told others, but for sign-ups and connections, which come from one address here. */
const LIMITS = { RATE_LIMIT_PER_KEY: '600', RATE_LIMIT_PER_TEAM: '2000', RATE_LIMIT_WEBHOOK_EVENTS: '500' };

let system: FaultySystem;
beforeAll(async () => {
  const quota = { QUOTA_BYTES: `${Number(process.env['NOISE_QUOTA_MEBIBYTES'] ?? 256) * MEBIBYTE}` };
  system = await startFaultySystem({ env: { gateway: LIMITS, webhooks: quota } });
});
afterAll(() => system?.[Symbol.asyncDispose]());

it.for(NOISES)('$name: the team beside notices nothing', async (noise, context) => {
  await using resources = new AsyncDisposableStack();
  const quiet = resources.use(await openQuietTeam(system));
  const noisy = await system.newTenant();
  const seen = seenResponses();
  const makeNoise = await noise.prepare({ system, noisy, seen }, resources);
  await quiet.measure(5);
  const without = await quiet.measure(QUIET_SECONDS);
  const before = diskOf(system);

  const ending = new AbortController();
  resources.defer(() => ending.abort());
  const making = makeNoise(ending.signal);
  const beside = await quiet.measure(SECONDS);
  const memory = Object.fromEntries(SERVICES.map(name => [name, Math.round(system.residentBytes(name) / MEBIBYTE)]));
  const disk = diskOf(system) - before;
  ending.abort();
  await making;

  console.log(
    `${noise.name}: ${ratios(without, beside)}; disk +${Math.round(disk / MEBIBYTE)} MiB; ${JSON.stringify(memory)} MiB; quiet ${statusText(quiet.seen.statuses)}; noisy ${statusText(seen.statuses)}`,
  );
  expect([...quiet.seen.statuses.keys()].filter(status => status < 200 || status >= 300)).toEqual([]);
  expect([...seen.statuses.keys()].filter(status => status === 500 || status === 502)).toEqual([]);
  expect(disk / MEBIBYTE).toBeLessThan(MAX_DISK_MEBIBYTES);
  expect(Object.entries(memory).filter(([, mebibytes]) => mebibytes > MAX_MEMORY_MEBIBYTES)).toEqual([]);
  await expectInvariantsAfterDrain(context, { system, tenant: quiet.tenant, sent: quiet.sent });
});

const statusText = (statuses: ReadonlyMap<number, number>) =>
  [...statuses].map(([status, count]) => `${count}×${status}`).join(' ');

const ratios = (without: Medians, beside: Medians): string =>
  Object.entries(beside)
    .map(([step, ms]) => `${step} ${without[step as keyof Medians].toFixed(0)} → ${ms.toFixed(0)} ms`) // its own keys
    .join(', ');

/** What PostgreSQL and NATS hold on the disk, in bytes. */
const diskOf = ({ dataDir }: FaultySystem): number =>
  Number(execFileSync('du', ['-sb', dataDir], { encoding: 'utf8' }).split('\t')[0]);
