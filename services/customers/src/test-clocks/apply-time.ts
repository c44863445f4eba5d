import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '@billing/contracts/problem';
import { TakeInBilling } from '@billing/contracts/rpc/calls';
import { AreRecorded, FindSequences, type NumberedObject } from '@billing/contracts/rpc/test-clocks';
import type { Outbox } from '@billing/messaging/outbox';
import type { RpcClient } from '@billing/messaging/rpc';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { FOUND_AT_PROCESSOR } from '@billing/service/event-causes';
import { toContent, toState } from '#domain/customer.ts';
import { saveContent, saveTestClock } from '#operations/save-customer.ts';
import type { LinkedCustomer } from '#persistence/customer.entity.ts';
import { findCustomersOn } from './clock-rows.ts';
import { updateHeld, type LeasedClock } from './lease-clocks.ts';

/** Reading all that a customer was billed in two years takes less, in milliseconds. */
const READ_MS = 30_000;
/** How long a step waits for events unless given, in milliseconds. */
const NUMBERED_MS = 10_000;
/** The first pause between two looks, which read all that the customers have, and the longest one: each is twice the one before. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [50, 1_000];

interface Parts {
  readonly outbox: Outbox;
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
  readonly now: () => Date;
  /** How long a step waits for events, in milliseconds. */
  readonly numberedMs?: number;
}

/**
 * Records the time of a clock and what its customers are at the processor by then, and has what they were billed read anew; returns
 * them, or undefined when another copy has the clock. Repeats change nothing.
 */
export function applyTime({ outbox, rpc, processors, now }: Parts) {
  return async (work: LeasedClock, time: Date): Promise<readonly LinkedCustomer[] | undefined> => {
    const { id, teamId } = work;
    const processor = await processors.of(teamId);
    const before = await findCustomersOn(outbox.em.fork(), work, id);
    const read = await Promise.all(
      before.map(async ({ id: customerId, version, processorId }) => {
        return { customerId, version, snapshot: await processor.findCustomer(processorId) };
      }),
    );
    const customers = await outbox.transaction(async (tx, publish) => {
      if (!(await updateHeld(tx, work, 'time = $3', [time]))) return undefined;
      const change = { now: now(), cause: FOUND_AT_PROCESSOR };
      const locked = await findCustomersOn(tx, work, id, { isLocked: true });
      for (const customer of locked) {
        const one = read.find(it => it.customerId === customer.id && it.version === customer.version);
        // Its e-mail may be another one's here: the event of the customer settles that.
        if (one && !one.snapshot.deleted)
          saveContent(tx, publish, customer, {
            content: { ...toContent(one.snapshot, customer, customer, time), email: customer.email },
            ...change,
          });
        saveTestClock(publish, customer, { id, time }, change);
      }
      return locked;
    });
    // Together they take no longer than one, and a step is shorter than its lease.
    const readings = customers?.map(customer =>
      rpc.call(TakeInBilling, { teamId, customer: toState(customer), again: true }, READ_MS),
    );
    await Promise.all(readings ?? []);
    return customers;
  };
}

/**
 * Waits until everything that is recorded of a clock's customers has its events.
 * @throws Problem `unavailable` when that takes longer than a step
 */
export function waitForEvents({ rpc, numberedMs = NUMBERED_MS }: Pick<Parts, 'rpc' | 'numberedMs'>) {
  return async ({ teamId, projectId }: LeasedClock, customers: readonly LinkedCustomer[]): Promise<void> => {
    if (customers.length === 0) return;
    const own = customers.flatMap(({ id, sequence, billingSequence }): NumberedObject[] => [
      { type: 'customer', id, sequence },
      { type: 'customer_billing_details', id, sequence: billingSequence },
    ]);
    const customerIds = customers.map(({ id }) => id);
    const until = performance.now() + numberedMs;
    let pauseMs = FIRST_PAUSE_MS;
    do {
      const { isPublished, objects } = await rpc.call(FindSequences, { teamId, projectId, customerIds });
      if (isPublished) {
        const all = [...own, ...objects];
        const { areRecorded } = await rpc.call(AreRecorded, { teamId, projectId, objects: all });
        if (areRecorded) return;
      }
      await pause(pauseMs);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    } while (performance.now() < until);
    throw unavailable('What happened on the test clock has not got its events yet.');
  };
}
