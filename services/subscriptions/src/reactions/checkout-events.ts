import type { ProjectScope } from '@billing/contracts/ids';
import type { ProcessorEventData } from '@billing/contracts/processor-events';
import { unavailable } from '@billing/contracts/problem';
import { Inbox } from '@billing/messaging/inbox';
import { readObject } from '@billing/processor/event-object';
import { readCheckoutSession, type CheckoutSessionSnapshot } from '@billing/processor/snapshots/checkout-session';
import type { CustomerId } from '@billing/contracts/ids';
import { closeCheckout } from '#operations/close-checkout.ts';
import { findByProcessorId } from '#operations/find-subscription.ts';
import { askForSubscription, followAnswer, referenceOf, type Answer } from '#operations/follow-subscription.ts';
import { identifyCustomer } from '#operations/identify-customer.ts';
import { rememberReplacement, replacePaymentMethod } from '#operations/replace-payment-method.ts';
import type { Dependencies } from '../dependencies.ts';
import { scopeOf } from './processor-event.ts';

/** A completed session, and the subscription it made if that is not known here yet. */
interface Completed {
  readonly session: CheckoutSessionSnapshot;
  readonly begun: { readonly answer: Answer; readonly customerId: CustomerId } | null;
}

/** Follows hosted checkouts to their end: the subscription stands, or the saved payment method pays. */
export function reactToCheckoutEvents(dependencies: Dependencies): Inbox {
  const { em, logger } = dependencies;
  const ask = askForSubscription(dependencies);
  const identify = identifyCustomer(dependencies);
  const replace = replacePaymentMethod(dependencies);

  const findBegun = async (scope: ProjectScope, { mode, subscriptionId }: CheckoutSessionSnapshot) => {
    if (mode !== 'subscription' || !subscriptionId) return null;
    if (await findByProcessorId(em.fork(), scope, subscriptionId)) return null;
    const answer = await ask(scope, subscriptionId);
    return { answer, customerId: await identify(scope, referenceOf(answer.snapshot)) };
  };
  const lookAtCompleted = async (data: ProcessorEventData, scope: ProjectScope): Promise<Completed> => {
    const session = readObject(data, readCheckoutSession);
    if (session.mode === 'setup') await replace(scope, session, data.createdAt);
    return { session, begun: await findBegun(scope, session) };
  };

  const inbox = new Inbox(em, 'subscriptions-checkouts', logger);
  for (const type of ['checkout.session.completed', 'checkout.session.async_payment_succeeded'] as const) {
    inbox.onProcessor(
      type,
      (data, event) => lookAtCompleted(data, scopeOf(data, event)),
      async (tx, data, event, { session, begun }) => {
        const scope = scopeOf(data, event);
        if (begun && (await followAnswer(tx, scope, begun.answer, begun)) === 'outdated') {
          throw unavailable('The subscription became known while it was looked for.');
        }
        if (session.mode === 'setup' && session.customerId) {
          await rememberReplacement(tx, scope, session.customerId, data.createdAt);
        }
        await closeCheckout(tx, scope, session.id, 'complete');
      },
    );
  }
  return inbox
    .onProcessor(
      'checkout.session.expired',
      async data => readObject(data, readCheckoutSession),
      (tx, data, event, { id }) => closeCheckout(tx, scopeOf(data, event), id, 'expired'),
    )
    .onProcessor(
      // The subscription's and the payment's own events say what became of them.
      'checkout.session.async_payment_failed',
      async () => undefined,
      async () => undefined,
    );
}
