import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { ReferralState } from '@billing/contracts/events/referrals';
import { ReferralId, type CustomerId, type ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { HasSubscribed } from '@billing/contracts/rpc/calls';
import type { Outbox } from '@billing/messaging/outbox';
import { isUniqueViolation } from '@billing/database/database';
import { changesOf, recordAudit } from '@billing/service/audit';
import { causeOfRequest } from '@billing/service/event-causes';
import { alreadyApplied, requireNewCustomer, requireUsableCode } from '#domain/eligibility.ts';
import { lockCustomer } from '#persistence/customer-copies.ts';
import { findProgram } from '#persistence/programs.ts';
import { findCode } from '#persistence/referral-codes.ts';
import { Referral, toState } from '#persistence/referral.entity.ts';
import { publishReferral } from './publish-changes.ts';
import { resolveCustomer, type ResolveCustomerDependencies } from './resolve-customer.ts';

export interface ApplyCodeDependencies extends ResolveCustomerDependencies {
  readonly outbox: Outbox;
  readonly now: () => Date;
}

interface Application {
  readonly code: string;
  readonly refereeCustomerId: CustomerId;
}

/** By which request a referral is made, and when. */
interface Made {
  readonly operationKey: string | undefined;
  readonly createdAt: Date;
  readonly context: AuditContext;
}

/**
 * Applies a code to a new customer. It first checks everything, by RPC where the copies may lag, and then checks the
 * local state again in the transaction. The transaction locks the referee's row, and so does the handler of
 * `subscription.created`: a subscription either rejects the referral or converts it, and is never missed. Of several
 * concurrent applications one succeeds. The same `operationKey` returns the same referral.
 * @throws Problem, the first that applies: 404 `referral_code_not_found`, 422 `referral_code_inactive`,
 * 422 `referral_program_disabled`, 409 `referral_self`, 404 `customer_not_found`, 409 `referral_already_applied`,
 * 409 `referral_already_subscribed`; 503 when a service that has to be called does not reply
 */
export function applyCode(dependencies: ApplyCodeDependencies) {
  const { em, outbox, rpc, now } = dependencies;
  const resolve = resolveCustomer(dependencies);

  const check = async (scope: ProjectScope, { code, refereeCustomerId }: Application) => {
    const fork = em.fork();
    await findUsableCode(fork, scope, code, refereeCustomerId);
    const { subscribedAt } = await resolve(scope, refereeCustomerId);
    const hasReferral = await isReferred(fork, scope, refereeCustomerId);
    requireNewCustomer({ hasReferral, hasSubscribed: subscribedAt !== null });
    const { subscribed } = await rpc.call(HasSubscribed, { ...scope, customerId: refereeCustomerId });
    requireNewCustomer({ hasReferral, hasSubscribed: subscribed });
  };

  const insert = (
    scope: ProjectScope,
    { code, refereeCustomerId }: Application,
    { operationKey, createdAt, context }: Made,
  ) =>
    outbox.transaction(async (tx, publish) => {
      const referee = await lockCustomer(tx, scope, refereeCustomerId);
      const { customerId: referrerCustomerId } = await findUsableCode(tx, scope, code, refereeCustomerId);
      const hasReferral = await isReferred(tx, scope, refereeCustomerId);
      requireNewCustomer({ hasReferral, hasSubscribed: referee.subscribedAt !== null });
      const referral = tx.create(Referral, {
        ...scope,
        id: ReferralId.create(),
        code,
        referrerCustomerId,
        refereeCustomerId,
        status: 'pending',
        createdAt,
        convertedAt: null,
        operationKey: operationKey ?? null,
      });
      publishReferral(publish, referral, { at: createdAt, cause: causeOfRequest(context) });
      const changes = changesOf(null, { code, referrerCustomerId, refereeCustomerId });
      recordAudit(publish, scope.teamId, context, { target: { type: 'referral', id: referral.id }, changes });
      return toState(referral);
    });

  return async (
    scope: ProjectScope,
    application: Application,
    context: AuditContext,
    operationKey?: string,
  ): Promise<ReferralState> => {
    const existing = operationKey && (await em.fork().findOne(Referral, { ...scope, operationKey }));
    if (existing) return toState(existing);
    // A subscription that starts while the checks run is later than the application, and converts it.
    const createdAt = now();
    await check(scope, application);
    try {
      return await insert(scope, application, { operationKey, createdAt, context });
    } catch (err) {
      throw isUniqueViolation(err, 'referrals_one_per_referee') ? alreadyApplied() : err;
    }
  };
}

/** Returns the code if the referee may use it. In a transaction the code cannot change until the end. */
async function findUsableCode(em: EntityManager, scope: ProjectScope, code: string, refereeId: CustomerId) {
  const lockMode = em.isInTransaction() ? LockMode.PESSIMISTIC_READ : LockMode.NONE;
  const found = await findCode(em, scope, code, lockMode);
  const { isActive, customerId } = found;
  const { enabled: isProgramEnabled } = await findProgram(em, scope);
  requireUsableCode({ isActive, customerId, isProgramEnabled }, refereeId);
  return found;
}

async function isReferred(em: EntityManager, scope: ProjectScope, refereeCustomerId: CustomerId): Promise<boolean> {
  return (await em.count(Referral, { ...scope, refereeCustomerId })) > 0;
}
