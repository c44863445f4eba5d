import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerId, ReferralId, type ProjectScope } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import { CREDIT_SIDES } from '@billing/contracts/resources/referral';
import type { OperationKind, RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import { z } from 'zod';
import { ReferralCredit } from '#persistence/referral-credit.entity.ts';
import { publishCredit } from './publish-changes.ts';
import { resolveCustomer, type ResolveCustomerDependencies } from './resolve-customer.ts';

const input = z.object({
  referralId: ReferralId.schema,
  side: z.enum(CREDIT_SIDES),
  customerId: CustomerId.schema,
  /** In the smallest unit of `currency`, above zero. */
  amount: z.int(),
  currency: z.string(),
  /** The customer's id at the processor, found before the first sending under each key. */
  processorCustomerId: z.string().nullable(),
});
type CreditInput = z.output<typeof input>;

/** Credits a customer's balance at the processor. */
export type CreditKind = OperationKind<CreditInput, { readonly id: string }, void>;

interface CreditBalanceDependencies extends ResolveCustomerDependencies {
  readonly now: () => Date;
  /** The longest pause between two attempts, in seconds. */
  readonly maxDelaySeconds?: number | undefined;
}

const MAX_DELAY_SECONDS = 15 * 60;

/**
 * The write that credits one side of a referral, exactly once whatever fails (docs/decisions/0010). The ledger shows how
 * it is going; a credit is `failed` only when the processor has not created it.
 */
export function creditBalanceKind(dependencies: CreditBalanceDependencies): CreditKind {
  const { now, maxDelaySeconds = MAX_DELAY_SECONDS } = dependencies;
  const resolve = resolveCustomer(dependencies);
  /** Of a customer who was deleted nothing is found; `prepare` then cancels the operation. */
  const findCustomer = async (scope: ProjectScope, id: CustomerId): Promise<string | null> => {
    try {
      return (await resolve(scope, id)).processorCustomerId;
    } catch (err) {
      if (err instanceof Problem && err.kind === 'not_found') return null;
      throw err;
    }
  };
  return {
    name: 'credit-balance',
    input,
    mustSucceed: true,
    maxDelaySeconds,
    async prepare({ teamId, projectId, input: credit }) {
      const { processorCustomerId } = await resolve({ teamId, projectId }, credit.customerId);
      return { ...credit, processorCustomerId };
    },
    async send(processor, { teamId, projectId, input: credit, idempotencyKey }) {
      const { referralId, side, customerId, amount, currency, processorCustomerId } = credit;
      if (processorCustomerId === null) throw new Error('The credit is sent before it is prepared.');
      const transaction = {
        amount: -amount,
        currency,
        description: 'Referral credit',
        metadata: { teamId, projectId, customerId, referralId, side },
      };
      return processor.createBalanceTransaction(processorCustomerId, transaction, idempotencyKey);
    },
    async findExisting(processor, { teamId, projectId, createdAt: since, input: credit }) {
      const { referralId, side, customerId, processorCustomerId } = credit;
      // One that is sent again after a failure is searched for before it is prepared.
      const id = processorCustomerId ?? (await findCustomer({ teamId, projectId }, customerId));
      if (id === null) return null;
      return processor.findCreatedBalanceTransaction(id, { metadata: { referralId, side }, since });
    },
    async commit(tx, operation, { id: processorTransactionId }, publish) {
      const credited = { status: 'credited', processorTransactionId, creditedAt: now(), error: null } as const;
      const credit = await updateCredit(tx, operation, credited);
      publishCredit(publish, credit, { at: now(), cause: CAUSED_BY_SYSTEM });
    },
    async cancel(tx, operation, error, publish) {
      const credit = await updateCredit(tx, operation, { status: 'failed', error: messageFor(error) });
      publishCredit(publish, credit, { at: now(), cause: CAUSED_BY_SYSTEM });
    },
    async onFailure(tx, operation, error) {
      await updateCredit(tx, operation, { error: messageFor(error) });
    },
  };
}

/** Returns the operation that sends a credit of the ledger. */
export function toCreditOperation(credit: ReferralCredit) {
  const { teamId, projectId, referralId, side, customerId, amount, currency } = credit;
  const key = `${referralId}:${side}`;
  const data = { referralId, side, customerId, amount, currency, processorCustomerId: null };
  return { teamId, projectId, key, resourceId: key, input: data };
}

async function updateCredit(
  tx: EntityManager,
  { teamId, projectId, attempt, input: { referralId, side } }: RemoteOperation<CreditInput>,
  changes: Partial<Pick<ReferralCredit, 'status' | 'error' | 'processorTransactionId' | 'creditedAt'>>,
): Promise<ReferralCredit> {
  const credit = await tx.findOneOrFail(ReferralCredit, { teamId, projectId, referralId, side });
  return tx.assign(credit, { ...changes, attempts: attempt });
}

/** The ledger is public: it shows no internal error. */
const messageFor = (error: Error): string =>
  error instanceof Problem ? error.message : 'The credit was not sent because of an internal error.';
