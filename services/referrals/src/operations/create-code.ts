import type { EntityManager } from '@mikro-orm/postgresql';
import { ReferralCodeCreated } from '@billing/contracts/events/referrals';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { conflict } from '@billing/contracts/problem';
import { record } from '@billing/messaging/outbox';
import { isUniqueViolation } from '@billing/service/database';
import { ReferralCode } from '#persistence/referral-code.entity.ts';
import { lockCustomer, type KnowCustomer } from './know-customer.ts';

interface CreateCodeDependencies {
  readonly em: EntityManager;
  readonly know: KnowCustomer;
  readonly clock: () => Date;
  /** A random code; another is taken when the project has it already. */
  readonly newCode: () => string;
}

const MAX_DRAWS = 10;

/**
 * Makes a code for a referrer, whether the program is enabled or not: it works once the program does. The same
 * `operationKey` gives the same code.
 * @throws Problem 404 `customer_not_found`; 409 `referral_code_exists` when the customer has an active code
 */
export function createCode({ em, know, clock, newCode }: CreateCodeDependencies) {
  const insert = (scope: ProjectScope, customerId: CustomerId, operationKey: string | undefined) =>
    em.fork().transactional(async tx => {
      await lockCustomer(tx, scope, customerId);
      const code = tx.create(ReferralCode, {
        ...scope,
        code: newCode(),
        customerId,
        isActive: true,
        version: 1,
        createdAt: clock(),
        deactivatedAt: null,
        operationKey: operationKey ?? null,
      });
      record(tx, ReferralCodeCreated, scope.teamId, code);
      return code;
    });

  return async (scope: ProjectScope, customerId: CustomerId, operationKey?: string): Promise<ReferralCode> => {
    const made = operationKey && (await em.fork().findOne(ReferralCode, { ...scope, operationKey }));
    if (made) return made;
    await know(scope, customerId);
    for (let draw = 1; ; draw += 1) {
      try {
        return await insert(scope, customerId, operationKey);
      } catch (err) {
        if (isUniqueViolation(err, 'referral_codes_one_active_per_customer'))
          throw conflict('referral_code_exists', 'This customer has an active referral code already.');
        if (draw >= MAX_DRAWS || !isUniqueViolation(err, 'referral_codes_pkey')) throw err;
      }
    }
  };
}
