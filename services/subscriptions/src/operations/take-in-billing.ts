import { setTimeout as pause } from 'node:timers/promises';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { missingOrThrow } from '@billing/processor/errors';
import type { ProjectObject } from '@billing/database/project-objects';
import { CustomerCopy } from '#persistence/customer-copy.entity.ts';
import {
  leaseDueIntakes,
  leaseIntake,
  releaseIntake,
  saveProgress,
  type LeasedIntake,
  type Progress,
} from '#persistence/customer-intakes.ts';
import type { Dependencies } from '../dependencies.ts';
import { findOwnership, type Ownership } from './find-ownership.ts';
import { moveRecords } from './move-records.ts';
import { takeInInvoices } from './take-in-invoices.ts';
import { takeInSubscriptions } from './take-in-subscriptions.ts';

/** Stages and pages for which a request waits: enough for a full page of subscriptions and one of invoices. */
const MAX_STEPS = 5;
/** How long a request waits for another process that works on the same intake, in milliseconds. */
const TURN_MS = 8_000;
/** The longest pause after a failure, in seconds. */
const MAX_DELAY_SECONDS = 900;

/**
 * Takes in what the processor billed customers before they were linked: it moves the records of deleted customers that were
 * linked to the same one there, and records the subscriptions and invoices that the processor has. The copy of a linked
 * customer and its intake are saved together, so that no crash loses it; a request that links a customer does the work at
 * once, and `continueDue` does what is left.
 */
export function customerIntakes(
  dependencies: Pick<Dependencies, 'em' | 'outbox' | 'rpc' | 'processors' | 'logger' | 'now'>,
) {
  const { em, processors, logger } = dependencies;
  const move = moveRecords(dependencies);
  const ownershipOf = findOwnership(dependencies);
  const subscriptions = takeInSubscriptions(dependencies);
  const invoices = takeInInvoices(dependencies);

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
      if (leased !== 'leased') return workOn(leased, MAX_STEPS);
      if (performance.now() > deadline) return false;
      await pause(50);
    }
  }

  /** Goes on with an intake to its end; a failure is logged, and it is tried again later. */
  async function continueDue(intake: LeasedIntake): Promise<void> {
    const { customerId, teamId, stage, attempts } = intake;
    await workOn(intake, Infinity).catch((err: unknown) =>
      logger.warn({ err, customerId, teamId, stage, attempts }, 'billing of a linked customer not taken in'),
    );
  }

  async function workOn(intake: LeasedIntake, maxSteps: number): Promise<boolean> {
    try {
      const takeStep = stepsOf(intake);
      let progress: Progress = intake;
      for (let steps = 0; progress && steps < maxSteps; steps += 1) {
        progress = await takeStep(progress);
        if (!(await saveProgress(em, intake, progress))) return false;
      }
      if (progress) await releaseIntake(em, intake, 0);
      return progress === null;
    } catch (err) {
      await releaseIntake(em, intake, Math.min(2 ** Math.min(intake.attempts, 30), MAX_DELAY_SECONDS));
      throw err;
    }
  }

  /** Returns a function that takes one step of an intake and returns what comes next. */
  function stepsOf({ customerId, teamId, projectId, processorCustomerId }: LeasedIntake) {
    const processorCustomer: ProjectObject = { scope: { teamId, projectId }, id: processorCustomerId };
    let ownership: Promise<Ownership> | undefined;

    return async ({ stage, after }: NonNullable<Progress>): Promise<Progress> => {
      if (stage === 'records') {
        await move(processorCustomer);
        const copy = await em.fork().findOne(CustomerCopy, { id: customerId, teamId, projectId });
        // For a customer that was deleted since, nothing is read; the next one that is linked has an intake of its own.
        return copy && !copy.deletedAt ? { stage: 'subscriptions', after: null } : null;
      }
      const processor = await processors.of(teamId);
      const page = { processor, ownership: await (ownership ??= ownershipOf(processor, processorCustomer)), after };
      const take = stage === 'subscriptions' ? subscriptions : invoices;
      const next = await take(processorCustomer, page).catch(missingOrThrow);
      // What the page before ended with is gone: a draft invoice may be deleted.
      if (next === 'missing' && after !== null) return { stage, after: null };
      if (next !== null && next !== 'missing') return { stage, after: next };
      return stage === 'subscriptions' ? { stage: 'invoices', after: null } : null;
    };
  }

  return { takeIn, leaseDue: (limit: number) => leaseDueIntakes(em, limit), continueDue };
}

export type CustomerIntakes = ReturnType<typeof customerIntakes>;
