import { expect, type TestContext } from 'vitest';
import type { Tenant } from '../../system/tenant.ts';
import { checkInvariants } from '../invariants/check-invariants.ts';
import { expectNoViolations } from '../invariants/expect-invariants.ts';
import type { FaultySystem } from './faulty-system.ts';
import { startLoad, type Load } from './load.ts';
import type { Random } from './random.ts';
import { redeliver, repeatWrites } from './sender.ts';
import type { Sent } from './sent-requests.ts';
import { recordTally } from './tally.ts';

export interface Run {
  readonly system: FaultySystem;
  readonly random: Random;
  /** Defaults to the first gateway alone. */
  readonly gatewayUrls?: readonly string[];
  readonly eventsPerSecond?: number;
  readonly writesPerSecond?: number;
  readonly retriesOnce?: boolean;
  /** Defaults to a new tenant. */
  readonly tenant?: Tenant;
  /** What earlier runs sent for this tenant. */
  readonly before?: Sent;
  /** How long every event may take to be completed after the fault, in milliseconds. */
  readonly drainMs?: number;
}

/** Events that must be acknowledged before the fault begins and after it ends. */
const STEADY_EVENTS = 15;

/**
 * Runs `fault` in the middle of a load and waits until the system is ready again. Then sends unacknowledged requests
 * again, drains, and expects every invariant to hold. `fault` must undo what it caused.
 */
export async function expectInvariantsUnderLoad(
  context: TestContext,
  run: Run,
  fault: (load: Load, tenant: Tenant) => Promise<void>,
): Promise<Sent> {
  const { system, gatewayUrls = [system.entranceUrl] } = run;
  const tenant = run.tenant ?? (await system.newTenant());
  const load = await startLoad({ ...run, tenant, gatewayUrls });
  try {
    await load.untilAcknowledged(STEADY_EVENTS);
    await fault(load, tenant);
    await load.untilAcknowledged(STEADY_EVENTS);
  } finally {
    await load.stop();
  }
  await system.untilReady();
  await expectInvariantsAfterDrain(context, { ...run, tenant, sent: load.sent });
  return load.sent;
}

interface SentRun {
  readonly system: FaultySystem;
  readonly tenant: Tenant;
  readonly sent: Sent;
  readonly before?: Sent | undefined;
  readonly drainMs?: number | undefined;
}

/** Sends unacknowledged requests again, drains, and expects every invariant to hold. */
export async function expectInvariantsAfterDrain(context: TestContext, run: SentRun): Promise<void> {
  const { system, tenant, sent, before = { events: [], writes: [] }, drainMs = 240_000 } = run;
  await redeliver(system.gatewayUrl, tenant, sent.events);
  await repeatWrites(system.gatewayUrl, tenant, sent.writes);
  const all = { events: [...before.events, ...sent.events], writes: [...before.writes, ...sent.writes] };
  const violations = await checkInvariants({ tenant, sent: all, drainMs });
  recordTally(context, sent, violations, violations.drainMs);
  expectNoViolations(violations);
  expectAllowedStatuses(sent);
}

/** During a fault, a correct request may get 429, 502, 503, 504 or no response, but never 500 or another 4xx. */
function expectAllowedStatuses({ events, writes }: Sent): void {
  const statuses = [...events, ...writes].flatMap(request => request.statuses);
  expect(statuses.filter(status => ![0, 200, 201, 409, 429, 502, 503, 504].includes(status))).toEqual([]);
}
