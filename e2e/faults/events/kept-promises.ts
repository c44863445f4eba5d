import { expect, type TestContext } from 'vitest';
import type { Tenant } from '../../system/tenant.ts';
import { checkInvariants } from '../invariants/check-invariants.ts';
import type { SentEvent } from '../system/sent.ts';
import { recordTally } from '../system/tally.ts';

interface Expected {
  /** Events that must have failed, by id. */
  readonly poisoned?: ReadonlySet<string>;
  readonly canaries?: readonly string[];
  readonly drainMs?: number;
}

/** Far more than it takes: the machine may be busy with other things. */
const DRAIN_MS = 240_000;

/** Expects that nothing was lost, doubled, stuck, wrong or leaked, and adds the events to the totals of the suite. */
export async function expectPromisesKept(
  context: TestContext,
  tenant: Tenant,
  events: SentEvent[],
  expected: Expected = {},
): Promise<void> {
  const sent = { events, writes: [] };
  const { drainMs, ...findings } = await checkInvariants({ drainMs: DRAIN_MS, ...expected, tenant, sent });
  recordTally(context, sent, findings, drainMs);
  expect(events.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  expect(findings).toEqual({ lost: [], doubled: [], stuck: [], wrong: [], leaked: [] });
}
