import { expect, type TestContext } from 'vitest';
import type { Tenant } from '../../system/tenant.ts';
import type { SentEvent } from '../system/sent-requests.ts';
import { recordTally } from '../system/tally.ts';
import { checkInvariants, type Violations } from './check-invariants.ts';

interface Expected {
  /** Ids of events that must fail. */
  readonly poisoned?: ReadonlySet<string>;
  /** Ids of events about nobody here. */
  readonly foreign?: ReadonlySet<string>;
  /** Texts of other tenants that this tenant must not see. */
  readonly canaries?: readonly string[];
  readonly drainMs?: number;
}

/** Generous, because the machine may be busy with other work. */
const DRAIN_MS = 240_000;

/** Expects that every event was acknowledged and every invariant holds, and adds the events to the suite's tally. */
export async function expectInvariants(
  context: TestContext,
  tenant: Tenant,
  events: SentEvent[],
  expected: Expected = {},
): Promise<void> {
  const sent = { events, writes: [] };
  const { drainMs, ...violations } = await checkInvariants({ drainMs: DRAIN_MS, ...expected, tenant, sent });
  recordTally(context, sent, violations, drainMs);
  expect(events.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  expectNoViolations(violations);
}

/** Fails with every violation of every invariant. */
export function expectNoViolations({ lost, duplicated, stuck, wrong, leaked }: Violations): void {
  expect({ lost, duplicated, stuck, wrong, leaked }).toEqual({
    lost: [],
    duplicated: [],
    stuck: [],
    wrong: [],
    leaked: [],
  });
}
