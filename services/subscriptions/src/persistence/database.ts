import { messagingEntities, messagingMigrations } from '@billing/messaging/tables';
import { idempotencyEntities, idempotencyMigrations } from '@billing/service/idempotency';
import { openDatabase as open, type Database } from '@billing/service/database';
import { CheckoutSession } from './checkout-session.entity.ts';
import { Invoice } from './invoice.entity.ts';
import { KnownPrice, KnownProduct } from './known-catalog.entity.ts';
import { KnownCustomer } from './known-customer.entity.ts';
import { CreateSubscriptions } from './migrations/0001-create-subscriptions.ts';
import { CreateInvoicesAndPayments } from './migrations/0002-create-invoices-and-payments.ts';
import { CreateCheckoutSessions } from './migrations/0003-create-checkout-sessions.ts';
import { CreateKnownCustomersAndCatalog } from './migrations/0004-create-known-customers-and-catalog.ts';
import { KnowWhenSubscriptionsEnd } from './migrations/0005-know-when-subscriptions-end.ts';
import { Payment } from './payment.entity.ts';
import { Subscription } from './subscription.entity.ts';

/** The service's schema; nothing connects until the first query. */
export function openDatabase(url: string): Database {
  return open({
    service: 'subscriptions',
    url,
    entities: [
      ...messagingEntities,
      ...idempotencyEntities,
      Subscription,
      Invoice,
      Payment,
      CheckoutSession,
      KnownCustomer,
      KnownProduct,
      KnownPrice,
    ],
    migrations: [
      ...messagingMigrations,
      ...idempotencyMigrations,
      { name: '0001-create-subscriptions', class: CreateSubscriptions },
      { name: '0002-create-invoices-and-payments', class: CreateInvoicesAndPayments },
      { name: '0003-create-checkout-sessions', class: CreateCheckoutSessions },
      { name: '0004-create-known-customers-and-catalog', class: CreateKnownCustomersAndCatalog },
      { name: '0005-know-when-subscriptions-end', class: KnowWhenSubscriptionsEnd },
    ],
  });
}
