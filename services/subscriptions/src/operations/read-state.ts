import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { SOURCE_REASONS, type CustomerState, type FeatureAccess } from '@billing/contracts/resources/customer-state';
import { entitlementsOf, grantOf, paymentOf } from '#domain/customer-state.ts';
import { isAllowed } from '@billing/contracts/entitlement-value';
import type { CustomerCopy } from '#persistence/customer-copy.entity.ts';
import { FeatureCopy } from '#persistence/feature-copies.entity.ts';
import { findCustomerRecord, type CustomerRef, type FoundCustomer } from '#persistence/find-customer-records.ts';
import { toResource } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/** What a state is composed of. */
export interface StateSource extends Omit<FoundCustomer, 'customer'> {
  readonly customer: Pick<CustomerCopy, 'id' | 'externalId' | 'email' | 'balance'>;
}

/** Returns what a customer may use at a time: of all features, or of `features`. */
export function stateOf(
  { customer: { id, externalId, email, balance }, subscriptions, records }: StateSource,
  asOf: Date,
  features?: readonly string[],
): CustomerState {
  const entitlements = [...entitlementsOf(records, asOf)].filter(([key]) => features?.includes(key) ?? true);
  return {
    customer: { id, externalId, email },
    subscriptions: subscriptions.map(row => {
      const { grants, grantsUntil } = grantOf(row, records, asOf);
      return { ...toResource(row), grants, grantsUntil };
    }),
    entitlements: Object.fromEntries(entitlements),
    payment: paymentOf(records),
    balance,
    pendingCheckouts: [],
    asOf,
  };
}

/**
 * Reads what a customer may use now: of all features, or of `features`.
 * @throws Problem 404
 */
export const readState =
  ({ now }: Pick<Dependencies, 'now'>) =>
  async (
    em: EntityManager,
    scope: ProjectScope,
    ref: CustomerRef,
    features?: readonly string[],
  ): Promise<CustomerState> =>
    stateOf(await findCustomerRecord(em, scope, ref), now(), features);

/**
 * Reads whether a customer may use one feature now.
 * @throws Problem 404 for the customer, and for a feature that no one defined
 */
export const readAccess =
  (dependencies: Pick<Dependencies, 'now'>) =>
  async (em: EntityManager, scope: ProjectScope, ref: CustomerRef, key: string): Promise<FeatureAccess> => {
    const { entitlements } = await readState(dependencies)(em, scope, ref, [key]);
    const entitlement = entitlements[key];
    if (entitlement) {
      const { value, until, sources } = entitlement;
      const reason = SOURCE_REASONS.find(wanted => sources.some(source => source.reason === wanted)) ?? null;
      return { allowed: isAllowed(value), value, until, reason };
    }
    const { teamId, projectId } = scope;
    if (!(await em.findOne(FeatureCopy, { teamId, projectId, key }))) throw notFound('feature');
    return { allowed: false, value: null, until: null, reason: null };
  };
