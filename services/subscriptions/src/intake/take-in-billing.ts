import { setTimeout as pause } from 'node:timers/promises';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { missingOrThrow } from '@billing/processor/errors';
import type { ProjectObject } from '@billing/database/project-objects';
import { startLeaseLoop, type LeaseLoop } from '@billing/database/lease-loop';
import type { Logger } from 'pino';
import { CustomerCopy } from '#copies/customer-copy.entity';
import { timeOf } from '#copies/test-clocks';
import type { Dependencies } from '../dependencies.ts';
import { extendIntake, leaseDueIntakes, leaseIntake, releaseIntake, type LeasedIntake } from './customer-intakes.ts';
import { findOwnership } from './find-ownership.ts';
import { moveRecords } from './move-records.ts';
import { takeInInvoices } from './take-in-invoices.ts';
import { takeInPayments } from './take-in-payments.ts';
import { takeInSubscriptions } from './take-in-subscriptions.ts';

type BilledCustomer = Pick<LeasedIntake, 'customerId' | 'teamId' | 'projectId' | 'processorCustomerId'>;

/** Pages for which a request waits: enough for a full page of each kind. */
const MAX_PAGES = 6;
/** How long a request waits for another process that works on the same intake, in milliseconds. */
const TURN_MS = 8_000;
/** The longest pause after a failure, in seconds. */
const MAX_DELAY_SECONDS = 900;

/**
 * Takes in what the processor billed customers before they were linked: it moves the records of deleted customers that were
 * linked to the same one there, and records the subscriptions, invoices and payments that the processor has. The copy of a linked
 * customer and its intake are saved together, so that no crash loses it; a request that links a customer does the work at
 * once, and `continueDue` does what is large, or failed.
 */
export function customerIntakes(
  dependencies: Pick<Dependencies, 'em' | 'outbox' | 'rpc' | 'processors' | 'logger' | 'now'>,
) {
  const { em, processors, logger, now } = dependencies;
  const move = moveRecords(dependencies);
  const ownershipOf = findOwnership(dependencies);
  const subscriptions = takeInSubscriptions(dependencies);
  const invoices = takeInInvoices(dependencies);
  const payments = takeInPayments(dependencies);

  /**
   * Takes in the billing of a customer that has a copy here. Returns false when a part of it follows: when it is large, or
   * another process is still working on it.
   * @throws Problem when the processor or another service fails; it is tried again later
   */
  async function takeIn(scope: ProjectScope, customerId: CustomerId): Promise<boolean> {
    const deadline = performance.now() + TURN_MS;
    for (;;) {
      const leased = await leaseIntake(em, scope, customerId);
      if (leased === 'none') return true;
      if (leased !== 'leased') return workOn(leased, MAX_PAGES);
      if (performance.now() > deadline) return false;
      await pause(50);
    }
  }

  /**
   * Reads once more what the processor has billed a customer, whatever was taken in before.
   * @throws Problem when the processor or another service fails
   */
  async function takeInAgain(customer: BilledCustomer): Promise<void> {
    const pages = takePages(customer);
    while (!(await pages.next()).done);
  }

  /** Works on an intake to its end; a failure is logged, and it is tried again later. */
  async function continueDue(intake: LeasedIntake): Promise<void> {
    const { customerId, teamId, attempts } = intake;
    await workOn(intake, Infinity).catch((err: unknown) =>
      logger.warn({ err, customerId, teamId, attempts }, 'billing of a linked customer not taken in'),
    );
  }

  async function workOn(intake: LeasedIntake, maxPages: number): Promise<boolean> {
    try {
      for await (const page of takePages(intake)) {
        if (page > maxPages) {
          await releaseIntake(em, intake, 0);
          return false;
        }
        if (!(await extendIntake(em, intake))) return false;
      }
      return await releaseIntake(em, intake, null);
    } catch (err) {
      await releaseIntake(em, intake, Math.min(2 ** Math.min(intake.attempts, 30), MAX_DELAY_SECONDS));
      throw err;
    }
  }

  /** Takes everything in from its start, which changes nothing where it was taken in before; yields before each page. */
  async function* takePages({ customerId, teamId, projectId, processorCustomerId }: BilledCustomer) {
    const processorCustomer: ProjectObject = { scope: { teamId, projectId }, id: processorCustomerId };
    await move(processorCustomer);
    const copy = await em.fork().findOne(CustomerCopy, { id: customerId, teamId, projectId });
    // For a customer that was deleted since, nothing is read; the next one that is linked has an intake of its own.
    if (!copy || copy.deletedAt) return;
    const processor = await processors.of(teamId);
    const ownership = await ownershipOf(processor, processorCustomer);
    let page = 0;
    const readAt = () => timeOf(copy, now);
    for (const take of [subscriptions, invoices, payments]) {
      let after: string | null = null;
      for (let isLast = false; !isLast;) {
        yield (page += 1);
        const next: string | null = await take(processorCustomer, { processor, ownership, after, readAt }).catch(
          missingOrThrow,
        );
        isLast = next === null || (next === 'missing' && after === null);
        // What the page before ended with is gone: a draft invoice may be deleted.
        after = next === 'missing' ? null : next;
      }
    }
  }

  return { takeIn, takeInAgain, leaseDue: (limit: number) => leaseDueIntakes(em, limit), continueDue };
}

export type CustomerIntakes = ReturnType<typeof customerIntakes>;

/** How many intakes one process works on at once. */
const MAX_IN_FLIGHT = 4;

interface IntakesOptions {
  readonly intakes: Pick<CustomerIntakes, 'leaseDue' | 'continueDue'>;
  readonly logger: Logger;
}

/** Goes on with the intakes that no request has completed, until stopped. Copies of the service may run it side by side. */
export const startIntakes = ({ intakes, logger }: IntakesOptions): LeaseLoop =>
  startLeaseLoop({
    name: 'intakes',
    batchSize: MAX_IN_FLIGHT,
    parallel: MAX_IN_FLIGHT,
    lease: intakes.leaseDue,
    work: async rows => {
      await Promise.all(rows.map(intakes.continueDue));
    },
    intervalMs: 1_000,
    logger,
  });
