import type { EntityManager } from '@mikro-orm/postgresql';
import { Problem } from '@billing/contracts/problem';
import { isMissing, isUsedOtherwise, ProcessorError } from '@billing/processor/errors';
import { idempotencyKey } from '@billing/processor/idempotency-key';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Logger } from 'pino';
import { nextStep, QUIET_MS, retryDelayMs, type NextStep } from '#domain/credit.ts';
import type { ClaimedCredit } from './claim-credits.ts';
import { keepCredit, keepCredited } from './keep-credit.ts';
import type { KnowCustomer } from './know-customer.ts';

interface SettleCreditDependencies {
  readonly em: EntityManager;
  readonly know: KnowCustomer;
  readonly processors: TeamProcessors;
  readonly clock: () => Date;
  readonly logger: Logger;
  /** Milliseconds to wait after the nth failed attempt. */
  readonly delayMs?: (attempts: number) => number;
  /** Milliseconds between closing a key and looking what became of it. */
  readonly quietMs?: number;
}

/** The processor's clock and ours may differ by so much, in milliseconds. */
const CLOCK_SLACK_MS = 24 * 3_600_000;

/**
 * Brings a claimed credit to the customer's balance at the processor, with no transaction open meanwhile. It is credited
 * once however often this runs (docs/decisions/0010): a repeat is sent under the same idempotency key; a key that can't
 * bring it about any more is closed, and the next one is taken only after the processor has shown that the credit was
 * not made. What the processor refuses for good has failed; everything else is tried again later. Rejects only when the
 * database is away, and then the claim runs out.
 */
export function settleCredit(dependencies: SettleCreditDependencies) {
  const { em, know, processors, clock, logger, delayMs = retryDelayMs, quietMs = QUIET_MS } = dependencies;

  const send = async (credit: ClaimedCredit): Promise<void> => {
    const { teamId, projectId, customerId, referralId, side, amount, currency, keyVersion } = credit;
    // What was sent once is repeated as it was, or the processor would refuse the key.
    const processorCustomerId =
      credit.processorCustomerId ?? (await know({ teamId, projectId }, customerId)).processorCustomerId;
    const processor = await processors.of(teamId);
    const isOurs = await keepCredit(em, credit, { sentAt: credit.sentAt ?? clock(), processorCustomerId });
    if (!isOurs) return;
    const transaction = {
      amount: -amount,
      currency,
      description: 'Referral credit',
      metadata: { teamId, projectId, customerId, referralId, side },
    };
    const key = idempotencyKey('referral-credit', `${referralId}:${side}`, keyVersion);
    const { id } = await processor.createBalanceTransaction(processorCustomerId, transaction, key);
    await keepCredited(em, credit, id, clock());
  };

  const close = async (credit: ClaimedCredit, error: string): Promise<void> => {
    await keepCredit(em, credit, { closedAt: clock(), error }, quietMs);
  };

  const look = async (credit: ClaimedCredit): Promise<void> => {
    const { referralId, side, keyVersion } = credit;
    const made = await findMade(credit);
    if (made) return keepCredited(em, credit, made.id, clock());
    logger.info({ referralId, side, keyVersion }, 'credit was not made, the next key is taken');
    const next = { keyVersion: keyVersion + 1, sentAt: null, processorCustomerId: null, closedAt: null };
    await keepCredit(em, credit, next, 0);
  };

  const findMade = async ({ teamId, processorCustomerId, referralId, side, createdAt }: ClaimedCredit) => {
    if (processorCustomerId === null) return null;
    const processor = await processors.of(teamId);
    const createdFrom = new Date(createdAt.getTime() - CLOCK_SLACK_MS);
    return processor.findBalanceTransaction(processorCustomerId, { metadata: { referralId, side }, createdFrom });
  };

  const take = (step: NextStep, credit: ClaimedCredit): Promise<void> => {
    if (step === 'look') return look(credit);
    if (step === 'close') return close(credit, 'The processor has not told for a day whether it made this credit.');
    return send(credit);
  };

  return async (credit: ClaimedCredit): Promise<void> => {
    const { referralId, side, attempts } = credit;
    const step = nextStep(credit, clock());
    try {
      await take(step, credit);
    } catch (err) {
      if (!(err instanceof Problem)) throw err;
      const error = err.message;
      if (step === 'send' && isSpent(err)) {
        logger.warn({ err, referralId, side }, 'key of a credit closed, the processor keeps a failure under it');
        return close(credit, error);
      }
      if (step === 'send' ? isFinal(err) : isMissing(err)) {
        logger.warn({ err, referralId, side }, 'credit refused');
        await keepCredit(em, credit, { status: 'failed', error });
        return;
      }
      logger.warn({ err, referralId, side, attempts }, 'credit not made, will try again');
      await keepCredit(em, credit, { error }, delayMs(attempts) * (0.75 + Math.random() / 2));
    }
  };
}

/** Whether the key will bring nothing but this answer, which tells nothing about whether the credit was made. */
function isSpent(err: Problem): boolean {
  return isUsedOtherwise(err) || (err instanceof ProcessorError && err.isIndeterminate && err.isReplayed);
}

/** Refused for what was asked: no repeat will fare better. A key that lacks a right can be mended, so that is not final. */
function isFinal(err: Problem): boolean {
  if (err.kind === 'not_found') return true;
  return err instanceof ProcessorError && [400, 402, 404].includes(statusAtProcessor(err));
}

function statusAtProcessor({ cause }: ProcessorError): number {
  const status = cause instanceof Error && 'statusCode' in cause ? cause.statusCode : undefined;
  return typeof status === 'number' ? status : 0;
}
