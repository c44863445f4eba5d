import type { Bus, ConsumeOptions, Receive } from '@billing/messaging/bus';
import { TOGETHER, type Inbox } from '@billing/messaging/inbox';
import type { Dependencies } from '../dependencies.ts';
import { reactToCheckoutEvents } from './checkout-events.ts';
import { copyCustomers, copyPrices, copyProducts } from './copies.ts';
import { reactToInvoiceEvents } from './invoice-events.ts';
import { reactToChargeEvents, reactToPaymentIntentEvents } from './payment-events.ts';
import { reactToDeletedCustomers, reactToSubscriptionEvents } from './subscription-events.ts';

/** One reader of the bus: the name under which it is remembered, the facts it reads, and what it does about them. */
export interface Consumer {
  readonly durable: string;
  readonly filter: string;
  readonly receive: Receive;
  readonly options?: ConsumeOptions;
}

/** Everything this service hears. */
export function consumersOf(dependencies: Dependencies): readonly Consumer[] {
  const consumer = (durable: string, filter: string, { receive }: Inbox) => ({ durable, filter, receive });
  return [
    consumer('subscriptions-customers', 'customer.*.v1', copyCustomers(dependencies)),
    consumer('subscriptions-products', 'product.*.v1', copyProducts(dependencies)),
    consumer('subscriptions-prices', 'price.*.v1', copyPrices(dependencies)),
    consumer('subscriptions-checkouts', 'processor.checkout.>', reactToCheckoutEvents(dependencies)),
    {
      ...consumer('subscriptions-mirror', 'processor.customer.subscription.>', reactToSubscriptionEvents(dependencies)),
      options: TOGETHER,
    },
    consumer('subscriptions-deleted-customers', 'processor.customer.deleted.v1', reactToDeletedCustomers(dependencies)),
    consumer('subscriptions-invoices', 'processor.invoice.>', reactToInvoiceEvents(dependencies)),
    consumer('subscriptions-payment-intents', 'processor.payment_intent.>', reactToPaymentIntentEvents(dependencies)),
    consumer('subscriptions-charges', 'processor.charge.>', reactToChargeEvents(dependencies)),
  ];
}

/** Starts reading; the function it answers stops all readers, each after what it has in hand. */
export async function startConsumers(
  bus: Pick<Bus, 'consume'>,
  dependencies: Dependencies,
): Promise<() => Promise<void>> {
  await using started = new AsyncDisposableStack();
  for (const { durable, filter, receive, options } of consumersOf(dependencies)) {
    started.defer(await bus.consume(durable, filter, receive, options));
  }
  const running = started.move();
  return () => running.disposeAsync();
}
