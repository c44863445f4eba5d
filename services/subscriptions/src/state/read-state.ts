import type { ProjectScope } from '@billing/contracts/ids';
import { isAllowed } from '@billing/contracts/entitlement-value';
import { notFound } from '@billing/contracts/problem';
import { SOURCE_REASONS, type CustomerState, type FeatureCheck } from '@billing/contracts/resources/customer-state';
import { isPending } from '#checkout/checkout.rules';
import type { CheckoutSession } from '#checkout/checkout-session.entity';
import type { CustomerCopy } from '#copies/customer-copy.entity';
import { FeatureCopy } from '#copies/feature-copies.entity';
import { toResource } from '#record/subscription.entity';
import type { Dependencies } from '../dependencies.ts';
import { entitlementsOf, grantOf, paymentOf } from './customer-state.rules.ts';
import type { CustomerRef, FoundCustomer } from './find-customer-records.ts';
import { findRecords } from './find-records.ts';
import { timeOf } from '#copies/test-clocks';

/** What a state is composed of. */
export interface StateSource extends Omit<FoundCustomer, 'customer'> {
  readonly customer: Pick<CustomerCopy, 'id' | 'externalId' | 'email' | 'balance' | 'testClockId'>;
}

/** Returns what a customer may use at a time: of all features, or of `features`. */
export function stateOf(
  { customer: { id, externalId, email, balance, testClockId }, subscriptions, checkouts, records }: StateSource,
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
    subscriptionsTotal: records.subscriptions.length,
    entitlements: Object.fromEntries(entitlements),
    payment: paymentOf(records),
    balance,
    pendingCheckouts: checkouts.filter(checkout => isPending(checkout, asOf)).flatMap(toPending),
    ...(testClockId && { testClockId }),
    asOf,
  };
}

function toPending({ processorSessionId: sessionId, priceId, url, createdAt }: CheckoutSession) {
  return sessionId !== null && priceId !== null && url !== null ? [{ sessionId, priceId, url, createdAt }] : [];
}

interface StateQuery {
  /** Of which features; of all by default. */
  readonly features?: readonly string[] | undefined;
  /** A hosted checkout that the state is to include what came of. */
  readonly checkoutSession?: string | undefined;
  /** Begins to wait for the checkout; the returned signal ends the wait. */
  readonly openEnd?: (() => AbortSignal) | undefined;
}

/** Returns how far a hosted checkout of a customer is, once what came of it is recorded. */
type FollowCheckout = (
  customer: CustomerCopy,
  awaited: { readonly sessionId: string } & Pick<StateQuery, 'openEnd'>,
) => Promise<NonNullable<CustomerState['checkout']>>;

/**
 * Reads what a customer may use now, after what came of a hosted checkout. Reading needs nothing that writes records:
 * `follow`, which does, is given.
 * @throws Problem 404; what `follow` throws
 */
export function readState(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'now'>, follow: FollowCheckout) {
  const { now } = dependencies;
  const find = findRecords(dependencies);
  return async (
    scope: ProjectScope,
    ref: CustomerRef,
    { features, checkoutSession: sessionId, openEnd }: StateQuery,
  ): Promise<CustomerState> => {
    const found = await find(scope, ref);
    const state = (from: FoundCustomer) => stateOf(from, timeOf(from.customer, now), features);
    if (sessionId === undefined) return state(found);
    const checkout = await follow(found.customer, { sessionId, openEnd });
    return { ...state(await find(scope, ref)), checkout };
  };
}

/**
 * Reads whether a customer may use one feature now.
 * @throws Problem 404 for the customer, and for a feature that no one defined
 */
export function checkFeature(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'now'>) {
  const { em, now } = dependencies;
  const find = findRecords(dependencies);
  return async (scope: ProjectScope, ref: CustomerRef, key: string): Promise<FeatureCheck> => {
    const { customer, records } = await find(scope, ref, 0);
    const entitlement = entitlementsOf(records, timeOf(customer, now)).get(key);
    if (entitlement) {
      const { value, until, sources } = entitlement;
      const reason = SOURCE_REASONS.find(wanted => sources.some(source => source.reason === wanted)) ?? null;
      return { allowed: isAllowed(value), value, until, reason };
    }
    const { teamId, projectId } = scope;
    if (!(await em.fork().findOne(FeatureCopy, { teamId, projectId, key }))) throw notFound('feature');
    return { allowed: false, value: null, until: null, reason: null };
  };
}
