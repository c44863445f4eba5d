import { setTimeout as delay } from 'node:timers/promises';
import type { ProjectScope } from '@billing/contracts/ids';
import { notFound, unavailable } from '@billing/contracts/problem';
import type { CustomerState } from '@billing/contracts/resources/customer-state';
import { missingOrThrow } from '@billing/processor/errors';
import type { CheckoutSessionSnapshot, Processor } from '@billing/processor/port';
import { FOUND_AT_PROCESSOR } from '@billing/service/event-causes';
import { hasEnded, outcomeOf, statusOfCheckout } from '#domain/checkout.ts';
import type { CustomerCopy } from '#persistence/customer-copy.entity.ts';
import { findCheckout, isReserved, noteCheckoutRead, type FoundCheckout } from '#persistence/find-checkout.ts';
import type { Dependencies } from '../dependencies.ts';
import { applyCheckoutEvents, prepareCheckoutEvent } from './apply-checkout-events.ts';
import { findOwnership } from './find-ownership.ts';
import { openPlaces } from './open-places.ts';

/** How the pauses grow between two looks whether an event has come, in milliseconds. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 200;

/** How many checkouts are read or waited for at the same time, of all teams and of one. */
const PLACES = { ofAll: 128, ofTeam: 32 };

/** A hosted checkout that a caller waits for. */
interface AwaitedCheckout {
  /** The processor's id. */
  readonly sessionId: string;
  /** How long to wait until it is complete or has failed. */
  readonly waitMs: number;
}

type Checkout = NonNullable<CustomerState['checkout']>;

/**
 * Returns how far a hosted checkout of a customer is. Until something of its outcome is recorded, it is read at the
 * processor, once, and what came of it is recorded as by its event; after that, the event is waited for, until `closing`.
 * While a team waits for very many, no more are waited for.
 * @throws Problem 404 for a session that the customer does not have; `processor_not_connected`;
 * `processor_error`; `unavailable` when the processor does not respond, or very many are read
 */
export function followCheckout(
  dependencies: Pick<Dependencies, 'em' | 'rpc' | 'outbox' | 'processors' | 'now'>,
  closing: AbortSignal,
) {
  const { em, outbox, processors, now } = dependencies;
  const [apply, prepare] = [applyCheckoutEvents(dependencies), prepareCheckoutEvent(dependencies)];
  const ownershipOf = findOwnership(dependencies);
  const takePlace = openPlaces(PLACES);

  return async (customer: CustomerCopy, { sessionId: id, waitMs }: AwaitedCheckout): Promise<Checkout> => {
    const { teamId, projectId } = customer;
    const scope = { teamId, projectId };
    const find = async (): Promise<FoundCheckout | null> => {
      const found = await findCheckout(em.fork(), { scope, id });
      if (found && found.customerId !== customer.id) throw notFound('checkout_session');
      return found;
    };

    const found = await find();
    const isUnread = !found || (found.state === 'open' && !found.isRead);
    if (!isUnread && (waitMs === 0 || hasEnded(found))) return { status: statusOfCheckout(found) };
    const leave = takePlace(teamId);
    if (!leave) {
      if (isUnread) throw unavailable('Very many checkouts are read at the moment.');
      return { status: statusOfCheckout(found) };
    }
    try {
      if (isUnread) await readAndRecord(scope, customer, id);
      return await wait(find, performance.now() + waitMs);
    } finally {
      leave();
    }
  };

  async function wait(find: () => Promise<FoundCheckout | null>, until: number): Promise<Checkout> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const found = await find();
      if (!found) throw notFound('checkout_session');
      const left = until - performance.now();
      if (hasEnded(found) || left <= 0 || closing.aborted) return { status: statusOfCheckout(found) };
      await delay(Math.min(pause, left));
    }
  }

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
