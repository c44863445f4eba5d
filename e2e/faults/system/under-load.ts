import { setTimeout as delay } from 'node:timers/promises';
import { expect, type TestContext } from 'vitest';
import type { Tenant } from '../../system/tenant.ts';
import { checkInvariants, type Findings } from '../invariants/check-invariants.ts';
import type { FaultySystem } from './faulty-system.ts';
import { startLoad, type Load } from './load.ts';
import type { Random } from './random.ts';
import { redeliver, repeatWrites } from './sender.ts';
import type { Sent } from './sent.ts';
import { recordTally } from './tally.ts';

export interface Run {
  readonly system: FaultySystem;
  readonly random: Random;
  /** Default: the first gateway alone. */
  readonly gatewayUrls?: readonly string[];
  readonly eventsPerSecond?: number;
  readonly writesPerSecond?: number;
  /** Default: one of its own. */
  readonly tenant?: Tenant;
  /** What was sent for this tenant in earlier runs. */
  readonly before?: Sent;
  /** How long everything may take to come to its end after the fault, in milliseconds. */
  readonly drainMs?: number;
}

/** Before the fault and after it the load runs for this long. */
const QUIET_MS = 700;

/**
 * One run: load, the fault in the middle of it, health; then what was not acknowledged is sent again as the processor
 * and a client would, everything drains, and every promise is looked at. `fault` must leave the system whole.
 */
export async function expectKeptUnderLoad(
  context: TestContext,
  run: Run,
  fault: (load: Load, tenant: Tenant) => Promise<void>,
): Promise<Sent> {
  const { system, gatewayUrls = [system.gatewayUrl] } = run;
  const tenant = run.tenant ?? (await system.newTenant());
  const load = await startLoad({ ...run, tenant, gatewayUrls });
  await delay(QUIET_MS);
  try {
    await fault(load, tenant);
    await delay(QUIET_MS);
  } finally {
    await load.stop();
  }
  await system.untilReady();
  await expectSettled(context, { ...run, tenant, sent: load.sent });
  return load.sent;
}

interface Settling {
  readonly system: FaultySystem;
  readonly tenant: Tenant;
  readonly sent: Sent;
  readonly before?: Sent | undefined;
  readonly drainMs?: number | undefined;
}

/** Sends again what was not acknowledged, waits for the end of everything, and expects every promise to be kept. */
export async function expectSettled(context: TestContext, settling: Settling): Promise<void> {
  const { system, tenant, sent, before = { events: [], writes: [] }, drainMs = 240_000 } = settling;
  await redeliver(system.gatewayUrl, tenant, sent.events);
  await repeatWrites(system.gatewayUrl, tenant, sent.writes);
  const all = { events: [...before.events, ...sent.events], writes: [...before.writes, ...sent.writes] };
  const findings = await checkInvariants({ tenant, sent: all, drainMs });
  recordTally(context, sent, findings, findings.drainMs);
  expectKept(findings);
  expectHonestAnswers(sent);
}

export function expectKept(findings: Findings): void {
  const { lost, doubled, stuck, wrong, leaked } = findings;
  expect({ lost, doubled, stuck, wrong, leaked }).toEqual({ lost: [], doubled: [], stuck: [], wrong: [], leaked: [] });
}

/** What is down is said to be down: never "our fault", and never "yours" for a request that is in order. */
export function expectHonestAnswers({ events, writes }: Sent): void {
  const answers = [...events, ...writes].flatMap(it => it.answers);
  expect(answers.filter(status => ![0, 200, 201, 409, 502, 503, 504].includes(status))).toEqual([]);
}
