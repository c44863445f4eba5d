import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { conflict, quotaExceeded } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { Outbox } from '@billing/messaging/outbox';
import { isUniqueViolation } from '@billing/database/database';
import { changesOf, recordAudit } from '@billing/service/audit';
import { causeOfRequest } from '@billing/service/event-causes';
import { generateCode } from '#domain/code.ts';
import { lockCustomer } from '#persistence/customer-copies.ts';
import { ReferralCode } from '#persistence/referral-code.entity.ts';
import { publishCode } from './publish-changes.ts';
import { resolveCustomer, type ResolveCustomerDependencies } from './resolve-customer.ts';

export interface CreateCodeDependencies extends ResolveCustomerDependencies {
  readonly outbox: Outbox;
  readonly now: () => Date;
  /** Returns a random code, by default {@link generateCode}. */
  readonly newCode?: (() => string) | undefined;
}

/** Codes of a customer, deactivated ones too: links with them are out there. */
const QUOTA = 100;
/** How often another code is generated when the project already has it. */
const MAX_TRIES = 10;

/**
 * Creates a code for a referrer, also while the program is disabled: it works once the program is enabled. The same
 * `operationKey` returns the same code.
 * @throws Problem 404 `customer_not_found`; 409 `referral_code_exists` when the customer has an active code; 422 `quota_exceeded`
 */
export function createCode(dependencies: CreateCodeDependencies) {
  const { em, outbox, now, newCode = generateCode } = dependencies;
  const resolve = resolveCustomer(dependencies);

  const insert = (
    scope: ProjectScope,
    customerId: CustomerId,
    context: AuditContext,
    operationKey: string | undefined,
  ) =>
    outbox.transaction(async (tx, publish) => {
      await lockCustomer(tx, scope, customerId);
      if ((await tx.count(ReferralCode, { ...scope, customerId })) >= QUOTA)
        throw quotaExceeded('referral_codes', QUOTA);
      const code = tx.create(ReferralCode, {
        ...scope,
        code: newCode(),
        customerId,
        isActive: true,
        version: 1,
        createdAt: now(),
        deactivatedAt: null,
        operationKey: operationKey ?? null,
      });
      publishCode(publish, code, { at: code.createdAt, cause: causeOfRequest(context) });
      const changes = changesOf(null, { customerId });
      recordAudit(publish, scope.teamId, context, { target: { type: 'referral_code', id: code.code }, changes });
      return code;
    });

  return async (
    scope: ProjectScope,
    customerId: CustomerId,
    context: AuditContext,
    operationKey?: string,
  ): Promise<ReferralCode> => {
    const existing = operationKey && (await em.fork().findOne(ReferralCode, { ...scope, operationKey }));
    if (existing) return existing;
    await resolve(scope, customerId);
    for (let tries = 1; ; tries += 1) {
      try {
        return await insert(scope, customerId, context, operationKey);
      } catch (err) {
        if (isUniqueViolation(err, 'referral_codes_one_active_per_customer'))
          throw conflict('referral_code_exists', 'This customer already has an active referral code.');
        if (tries >= MAX_TRIES || !isUniqueViolation(err, 'referral_codes_pkey')) throw err;
      }
    }
  };
}
