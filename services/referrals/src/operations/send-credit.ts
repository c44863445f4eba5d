import type { EntityManager } from '@mikro-orm/postgresql';
import { Problem } from '@billing/contracts/problem';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { isMissing, isUsedOtherwise, ProcessorError } from '@billing/processor/errors';
import { idempotencyKey } from '@billing/processor/idempotency-key';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Logger } from 'pino';
import { nextStep, retryDelayMs, VERIFY_AFTER_MS, type NextStep } from '#domain/credit.ts';
import type { LeasedCredit } from './lease-credits.ts';
import { saveCredit, saveCredited } from './save-credit.ts';

export interface SendCreditDependencies {
  readonly em: EntityManager;
  /** @throws Problem 404 `customer_not_found`, or 503 */
  readonly resolve: (scope: ProjectScope, customerId: CustomerId) => Promise<{ readonly processorCustomerId: string }>;
  readonly processors: TeamProcessors;
  readonly now: () => Date;
  readonly logger: Logger;
  /** Returns the delay after the nth failed attempt, in milliseconds. */
  readonly delayMs?: (attempts: number) => number;
  /** How long after closing a key the credit is looked up, in milliseconds. */
  readonly verifyAfterMs?: number;
}

/** The largest difference between the processor's clock and ours, in milliseconds. */
const MAX_CLOCK_SKEW_MS = 24 * 3_600_000;

/**
 * Credits a customer's balance at the processor, outside of any transaction, and exactly once however often it runs
 * (docs/decisions/0010). A retry uses the same idempotency key. A key that can no longer succeed is closed, and the next
 * one is used only after the processor's list has shown that the credit does not exist. A permanent rejection makes the
 * credit `failed`; all other errors are retried later. Rejects only when the database is unavailable; then the lease
 * expires.
 */
export function sendCredit(dependencies: SendCreditDependencies) {
  const { em, resolve, processors, now, logger } = dependencies;
  const { delayMs = retryDelayMs, verifyAfterMs = VERIFY_AFTER_MS } = dependencies;

  const send = async (credit: LeasedCredit): Promise<void> => {
    const { teamId, projectId, customerId, referralId, side, amount, currency, keyVersion } = credit;
    // A retry must equal the first request, or the processor rejects the key.
    const processorCustomerId =
      credit.processorCustomerId ?? (await resolve({ teamId, projectId }, customerId)).processorCustomerId;
    const processor = await processors.of(teamId);
    const isLeased = await saveCredit(em, credit, { sentAt: credit.sentAt ?? now(), processorCustomerId });
    if (!isLeased) return;
    const transaction = {
      amount: -amount,
      currency,
      description: 'Referral credit',
      metadata: { teamId, projectId, customerId, referralId, side },
    };
    const key = idempotencyKey('referral-credit', `${referralId}:${side}`, keyVersion);
    const { id } = await processor.createBalanceTransaction(processorCustomerId, transaction, key);
    await saveCredited(em, credit, id, now());
  };

  const close = async (credit: LeasedCredit, error: string): Promise<void> => {
    await saveCredit(em, credit, { closedAt: now(), error }, verifyAfterMs);
  };

  const verify = async (credit: LeasedCredit): Promise<void> => {
    const { referralId, side, keyVersion } = credit;
    const created = await findCreated(credit);
    if (created) return saveCredited(em, credit, created.id, now());
    logger.info({ referralId, side, keyVersion }, 'credit was not created, will use the next key');
    const next = { keyVersion: keyVersion + 1, sentAt: null, processorCustomerId: null, closedAt: null };
    await saveCredit(em, credit, next, 0);
  };

  const findCreated = async ({ teamId, processorCustomerId, referralId, side, createdAt }: LeasedCredit) => {
    if (processorCustomerId === null) return null;
    const processor = await processors.of(teamId);
    const createdFrom = new Date(createdAt.getTime() - MAX_CLOCK_SKEW_MS);
    return processor.findBalanceTransaction(processorCustomerId, { metadata: { referralId, side }, createdFrom });
  };

  const run = (step: NextStep, credit: LeasedCredit): Promise<void> => {
    if (step === 'verify') return verify(credit);
    if (step === 'close') return close(credit, 'For a day it was unknown whether the processor created this credit.');
    return send(credit);
  };

  return async (credit: LeasedCredit): Promise<void> => {
    const { referralId, side, attempts } = credit;
    const step = nextStep(credit, now());
    try {
      await run(step, credit);
    } catch (err) {
      if (!(err instanceof Problem)) throw err;
      const error = err.message;
      if (step === 'send' && isKeySpent(err)) {
        logger.warn({ err, referralId, side }, 'credit key closed, the processor stores a failure for it');
        return close(credit, error);
      }
      if (step === 'send' ? isPermanent(err) : isMissing(err)) {
        logger.warn({ err, referralId, side }, 'credit rejected');
        await saveCredit(em, credit, { status: 'failed', error });
        return;
      }
      logger.warn({ err, referralId, side, attempts }, 'credit not sent, will retry');
      await saveCredit(em, credit, { error }, delayMs(attempts) * (0.75 + Math.random() / 2));
    }
  };
}

/** Returns whether the key can only return this error again, which does not show whether the credit was created. */
function isKeySpent(err: Problem): boolean {
  return isUsedOtherwise(err) || (err instanceof ProcessorError && err.isIndeterminate && err.isReplayed);
}

/** Returns whether no retry can succeed. A missing permission of the secret key can be granted, so it is not permanent. */
function isPermanent(err: Problem): boolean {
  if (err.kind === 'not_found') return true;
  return err instanceof ProcessorError && [400, 402, 404].includes(statusAtProcessor(err));
}

function statusAtProcessor({ cause }: ProcessorError): number {
  const status = cause instanceof Error && 'statusCode' in cause ? cause.statusCode : undefined;
  return typeof status === 'number' ? status : 0;
}
