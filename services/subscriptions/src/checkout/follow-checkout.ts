import type { ProjectScope } from '@billing/contracts/ids';
import { notFound, unavailable } from '@billing/contracts/problem';
import type { CustomerState } from '@billing/contracts/resources/customer-state';
import { missingOrThrow } from '@billing/processor/errors';
import type { CheckoutSessionSnapshot, Processor } from '@billing/processor/port';
import type { ProjectObject } from '@billing/database/project-objects';
import { openSharedWatch } from '@billing/database/shared-watch';
import { FOUND_AT_PROCESSOR } from '@billing/service/event-causes';
import { openPlaces } from '@billing/service/waiting-requests';
import type { CustomerCopy } from '#copies/customer-copy.entity';
import { findOwnership } from '#intake/find-ownership';
import type { Dependencies } from '../dependencies.ts';
import { hasEnded, outcomeOf, statusOfCheckout } from './checkout.rules.ts';
import { findCheckout, findCheckouts, isReserved, noteCheckoutRead, type FoundCheckout } from './find-checkout.ts';
import { applyCheckoutEvents, prepareCheckoutEvent } from './apply-checkout-events.ts';

/** How often to look whether events have come, in milliseconds. */
const LOOK_MS = 200;

/** How many checkouts are read or waited for at the same time, of all teams and of one. */
const PLACES = { ofAll: 128, ofTeam: 32 };

/** A hosted checkout that a caller waits for. */
interface AwaitedCheckout {
  /** The processor's id. */
  readonly sessionId: string;
  /** Begins to wait until it is complete or has failed; the returned signal ends the wait. Undefined: it is not waited for. */
  readonly openEnd?: (() => AbortSignal) | undefined;
}

type Checkout = NonNullable<CustomerState['checkout']>;

/**
 * Returns how far a hosted checkout of a customer is. Until something of its outcome is recorded, it is read at the
 * processor, once, and what came of it is recorded as by its event; after that, the event is waited for.
 * While a team waits for very many, no more are waited for.
 * @throws Problem 404 for a session that the customer does not have; `processor_not_connected`;
 * `processor_error`; `unavailable` when the processor does not respond, or very many are read
 */
export function followCheckout(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'outbox' | 'processors' | 'now'>) {
  const { em, outbox, processors, now } = dependencies;
  const [apply, prepare] = [applyCheckoutEvents(dependencies), prepareCheckoutEvent(dependencies)];
  const ownershipOf = findOwnership(dependencies);
  const takePlace = openPlaces(PLACES);
  const watch = openSharedWatch({
    read: (sessions: readonly ProjectObject[]) => findCheckouts(em.fork(), sessions),
    intervalMs: LOOK_MS,
  });

  return async (customer: CustomerCopy, { sessionId: id, openEnd }: AwaitedCheckout): Promise<Checkout> => {
    const { teamId, projectId } = customer;
    const scope = { teamId, projectId };
    const find = async (): Promise<FoundCheckout | null> => {
      const found = await findCheckout(em.fork(), { scope, id });
      if (found && found.customerId !== customer.id) throw notFound('checkout_session');
      return found;
    };

    const found = await find();
    const isUnread = !found || (found.state === 'open' && !found.isRead);
    if (!isUnread && (!openEnd || hasEnded(found))) return { status: statusOfCheckout(found) };
    const leave = takePlace(teamId);
    if (!leave) {
      if (isUnread) throw unavailable('Very many checkouts are read at the moment.');
      return { status: statusOfCheckout(found) };
    }
    try {
      if (isUnread) await readAndRecord(scope, customer, id);
      const known = isUnread ? await find() : found;
      if (!known) throw notFound('checkout_session');
      if (!openEnd || hasEnded(known)) return { status: statusOfCheckout(known) };
      const last = await watch.until({ scope, id }, one => one === null || hasEnded(one), openEnd());
      if (last === null) throw notFound('checkout_session');
      return { status: statusOfCheckout(last ?? known) };
    } finally {
      leave();
    }
  };

  async function readAndRecord(scope: ProjectScope, customer: CustomerCopy, id: string): Promise<void> {
    const processor = await processors.of(scope.teamId);
    const session = await processor.findCheckoutSession(id).catch(missingOrThrow);
    if (session === 'missing' || !(await isOf(processor, session, customer))) throw notFound('checkout_session');
    const { operationId } = session.metadata;
    if (operationId !== undefined && (await isReserved(em.fork(), { scope, id: operationId })))
      throw unavailable('The checkout is being created.');

    const outcome = outcomeOf(session);
    const event = { scope, session, outcome, source: { at: now(), cause: FOUND_AT_PROCESSOR }, prepared: undefined };
    const prepared = await prepare(event);
    await outbox.transaction(async (tx, publish) => {
      const unprepared = await apply(tx, [{ ...event, prepared }], publish);
      if (unprepared.length > 0) throw unavailable('The customer of the checkout is being recorded.');
      // After the subscription: webhook events lock them in this order, too.
      await noteCheckoutRead(tx, { ...session, scope, outcome, customerId: customer.id });
    });
  }

  /** Whether a session sells something to the customer, in this project: the rule that routes its events. */
  async function isOf(
    processor: Processor,
    { mode, customerId, metadata }: CheckoutSessionSnapshot,
    { teamId, projectId, processorCustomerId }: CustomerCopy,
  ): Promise<boolean> {
    if (customerId !== processorCustomerId || (mode !== 'subscription' && mode !== 'payment')) return false;
    const { markOf, ownsUnmarked } = await ownershipOf(processor, { scope: { teamId, projectId }, id: customerId });
    const mark = await markOf(metadata);
    return mark === 'own' || (mark === 'none' && ownsUnmarked);
  }
}
