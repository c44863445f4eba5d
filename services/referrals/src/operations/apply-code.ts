import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { ReferralCreated, type ReferralState } from '@billing/contracts/events/referrals';
import { ReferralId, type CustomerId, type ProjectScope } from '@billing/contracts/ids';
import { HasSubscribed } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import { record } from '@billing/messaging/outbox';
import { isUniqueViolation } from '@billing/service/database';
import { alreadyApplied, requireNewCustomer, requireUsableCode } from '#domain/application.ts';
import { Referral, stateOf } from '#persistence/referral.entity.ts';
import { findCode } from './find-code.ts';
import { findProgram } from './find-program.ts';
import { lockCustomer, type KnowCustomer } from './know-customer.ts';

interface ApplyCodeDependencies {
  readonly em: EntityManager;
  readonly know: KnowCustomer;
  readonly rpc: RpcClient;
  readonly clock: () => Date;
}

interface Application {
  readonly code: string;
  readonly refereeCustomerId: CustomerId;
}

/**
 * Refers a new customer by a code. Everything is checked first, rpc others where our own copies may lag, and again
 * in the transaction, which holds the referee's row: the reaction to a subscription takes the same row, so that a
 * subscription either forbids the referral or converts it, and is never missed. Of many applications at once one wins.
 * The same `operationKey` gives the same referral.
 * @throws Problem, the first that holds: 404 `referral_code_not_found`, 422 `referral_code_inactive`,
 * 422 `referral_program_disabled`, 409 `referral_self`, 404 `customer_not_found`, 409 `referral_already_applied`,
 * 409 `referral_already_subscribed`; 503 when a service that must be asked does not answer
 */
export function applyCode({ em, know, rpc, clock }: ApplyCodeDependencies) {
  const check = async (scope: ProjectScope, { code, refereeCustomerId }: Application) => {
    const fork = em.fork();
    await requireUsable(fork, scope, code, refereeCustomerId);
    const { subscribedAt } = await know(scope, refereeCustomerId);
    const hasReferral = await isReferred(fork, scope, refereeCustomerId);
    requireNewCustomer({ hasReferral, hasSubscribed: subscribedAt !== null });
    const { subscribed } = await rpc.call(HasSubscribed, { ...scope, customerId: refereeCustomerId });
    requireNewCustomer({ hasReferral, hasSubscribed: subscribed });
  };

  const refer = (scope: ProjectScope, { code, refereeCustomerId }: Application, operationKey: string | undefined) =>
    em.fork().transactional(async tx => {
      const referee = await lockCustomer(tx, scope, refereeCustomerId);
      const { customerId: referrerCustomerId } = await requireUsable(tx, scope, code, refereeCustomerId);
      const hasReferral = await isReferred(tx, scope, refereeCustomerId);
      requireNewCustomer({ hasReferral, hasSubscribed: referee.subscribedAt !== null });
      const referral = tx.create(Referral, {
        ...scope,
        id: ReferralId.create(),
        code,
        referrerCustomerId,
        refereeCustomerId,
        status: 'pending',
        createdAt: clock(),
        convertedAt: null,
        operationKey: operationKey ?? null,
      });
      const state = stateOf(referral);
      record(tx, ReferralCreated, scope.teamId, state);
      return state;
    });

  return async (scope: ProjectScope, application: Application, operationKey?: string): Promise<ReferralState> => {
    const made = operationKey && (await em.fork().findOne(Referral, { ...scope, operationKey }));
    if (made) return stateOf(made);
    await check(scope, application);
    try {
      return await refer(scope, application, operationKey);
    } catch (err) {
      throw isUniqueViolation(err, 'referrals_one_per_referee') ? alreadyApplied() : err;
    }
  };
}

/** The code, if the referee may use it; in a transaction it stays as it is until the end. */
async function requireUsable(em: EntityManager, scope: ProjectScope, code: string, refereeId: CustomerId) {
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
