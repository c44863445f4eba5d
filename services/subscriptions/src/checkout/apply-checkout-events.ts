import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Publish } from '@billing/messaging/outbox';
import { missingOrThrow } from '@billing/processor/errors';
import { isPortalSetup } from '@billing/processor/metadata';
import type { CheckoutSessionSnapshot } from '@billing/processor/snapshots/checkout-session';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { Source } from '@billing/service/save-record';
import type { Reread } from '#record/observation.rules';
import { subscriptionRows } from '#record/subscription-rows';
import { referenceOf } from '#record/apply-subscription-events';
import { fetchCustomer } from '#copies/fetch-customer';
import { saveReads } from '#record/save-reads';
import { readSubscription } from '#record/read-subscription';
import type { Dependencies } from '../dependencies.ts';
import type { CheckoutOutcome } from './checkout.rules.ts';
import { closeCheckoutSessions } from './close-checkout-sessions.ts';
import { noteReplacements, replacePaymentMethod } from './replace-payment-method.ts';
import { saveReplacements, type Replacement } from './save-replacement.ts';

/** An event of a checkout session that was routed to a project, or a read of the session that finds the same. */
export interface CheckoutEvent {
  readonly scope: ProjectScope;
  readonly source: Source;
  readonly session: CheckoutSessionSnapshot;
  /** What the event reports; null for a session that is open. */
  readonly outcome: CheckoutOutcome | null;
  readonly prepared: PreparedCheckout | undefined;
}

/** What `prepareCheckoutEvent` returns. */
export interface PreparedCheckout {
  /** The subscription that the session created, if it has no record. */
  readonly subscription: Reread | null;
  /** What came of the payment method that it saved; null where it is none to use, or a newer one is. */
  readonly replacement: Replacement | null;
}

/**
 * Records how checkout sessions ended. A completed session leaves its subscription recorded even if no event about the
 * subscription arrives, and a saved payment method in use. Returns the events that need `prepareCheckoutEvent` first.
 */
export function applyCheckoutEvents({ now }: Pick<Dependencies, 'now'>) {
  return async <Event extends CheckoutEvent>(
    tx: EntityManager,
    events: readonly Event[],
    publish: Publish,
  ): Promise<Event[]> => {
    const recorded = await subscriptionRows.findIds(tx, events.flatMap(subscriptionsOf));
    const isReady = (event: Event) =>
      event.prepared !== undefined ||
      (!replacesPaymentMethod(event) && subscriptionsOf(event).every(object => recorded.has(scopedKey(object))));
    const ready = events.filter(isReady);
    const withoutCustomer = await recordSubscriptions(tx, ready, { publish, now: now() });
    const handled = ready.filter(event => !withoutCustomer.has(event));
    await noteReplacements(
      tx,
      handled
        .filter(replacesPaymentMethod)
        .map(({ scope, session, source }) => ({ scope, session, completedAt: source.at })),
    );
    await saveReplacements(
      tx,
      handled.flatMap(({ scope, source, prepared }) =>
        prepared?.replacement ? [{ scope, source, replacement: prepared.replacement }] : [],
      ),
      { publish, now: now() },
    );
    await closeCheckoutSessions(
      tx,
      handled.flatMap(({ scope, session: { id, subscriptionId }, outcome }) =>
        outcome ? [{ scope, id, subscriptionId, outcome }] : [],
      ),
    );
    const done = new Set<Event>(handled);
    return events.filter(event => !done.has(event));
  };
}

/**
 * Does what a completed session needs outside of any transaction: reads its subscription if that has no record, or has
 * the saved payment method used from now on.
 */
export function prepareCheckoutEvent(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'now'>) {
  const read = readSubscription(dependencies);
  const fetch = fetchCustomer(dependencies);
  const replace = replacePaymentMethod(dependencies);
  return async (event: CheckoutEvent): Promise<PreparedCheckout> => {
    // Of a customer or payment method that is gone nothing is charged.
    const replaced = replacesPaymentMethod(event)
      ? await replace(event.scope, event.session, event.source.at).catch(missingOrThrow)
      : null;
    const replacement = replaced === 'missing' ? null : replaced;
    const [object] = subscriptionsOf(event);
    const subscription = object ? await read(object).catch(missingOrThrow) : 'missing';
    if (subscription === 'missing' || subscription.version !== null) return { subscription: null, replacement };
    await fetch(referenceOf(event.scope, subscription.snapshot));
    return { subscription, replacement };
  };
}

/** Records the subscriptions that were read, and returns the events whose customers have no copy here. */
async function recordSubscriptions<Event extends CheckoutEvent>(
  tx: EntityManager,
  events: readonly Event[],
  { publish, now }: { publish: Publish; now: Date },
): Promise<ReadonlySet<Event>> {
  const reads = events.flatMap(event => {
    const reread = event.prepared?.subscription;
    const { scope, source } = event;
    return reread ? [{ event, scope, reread, source, becauseOfEvent: true }] : [];
  });
  // A subscription that got a record meanwhile needs nothing: its own events apply.
  const { withoutCustomer } = await saveReads(tx, reads, { publish, now });
  return new Set(withoutCustomer.map(({ event }) => event));
}

/** The subscription that a completed session created, if it created one. */
const subscriptionsOf = ({ scope, session, outcome }: CheckoutEvent): ProjectObject[] =>
  (outcome === 'complete' || outcome === 'processing') && session.mode === 'subscription' && session.subscriptionId
    ? [{ scope, id: session.subscriptionId }]
    : [];

/** Only what the customer saved in our portal is used from now on: other setup sessions have purposes of their own. */
const replacesPaymentMethod = ({ scope, session, outcome }: CheckoutEvent): boolean =>
  outcome === 'complete' &&
  session.mode === 'setup' &&
  session.customerId !== null &&
  isPortalSetup(session.metadata, scope);
