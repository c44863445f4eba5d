import { processorEvent, type ProcessorEventData, type ProcessorEventType } from '@billing/contracts/processor-events';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import { readObject } from '@billing/processor/event-object';
import { readCheckoutSession, type CheckoutSessionSnapshot } from '@billing/processor/snapshots/checkout-session';
import { sourceOf } from '@billing/service/event-causes';
import type { Dependencies } from '../dependencies.ts';
import { scopeOf } from '../scope-of.ts';
import { outcomeOfCompleted, type CheckoutOutcome } from './checkout.rules.ts';
import {
  applyCheckoutEvents,
  prepareCheckoutEvent,
  type CheckoutEvent,
  type PreparedCheckout,
} from './apply-checkout-events.ts';

const OUTCOMES = new Map<ProcessorEventType, (session: CheckoutSessionSnapshot) => CheckoutOutcome>([
  ['checkout.session.completed', outcomeOfCompleted],
  ['checkout.session.async_payment_succeeded', () => 'complete'],
  ['checkout.session.async_payment_failed', () => 'failed'],
  ['checkout.session.expired', () => 'failed'],
]);
const OUTCOMES_BY_NAME = new Map([...OUTCOMES].map(([type, outcome]) => [processorEvent(type).name, outcome]));

/** Follows hosted checkout sessions to their end. */
export function checkoutEvents(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'now'>): Consumer {
  const apply = applyCheckoutEvents(dependencies);
  const prepare = prepareCheckoutEvent(dependencies);
  return consumer('subscriptions-checkouts', 'processor.checkout.>').onProcessorEvent([...OUTCOMES.keys()], {
    prepare: delivery => prepare(toEvent({ ...delivery, context: undefined })),
    handle: async (tx, deliveries, publish) => {
      const unprepared = await apply(tx, deliveries.map(toEvent), publish);
      return unprepared.map(({ delivery }) => delivery);
    },
  });
}

type Received = Delivery<ProcessorEventData, PreparedCheckout>;

function toEvent(delivery: Received): CheckoutEvent & { delivery: Received } {
  const { event, data, context } = delivery;
  const session = readObject(data, readCheckoutSession);
  const outcome = OUTCOMES_BY_NAME.get(event.type)?.(session) ?? null;
  return { delivery, scope: scopeOf(delivery), session, outcome, source: sourceOf(delivery), prepared: context };
}
