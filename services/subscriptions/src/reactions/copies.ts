import {
  PriceCreated,
  PriceDeleted,
  PriceUpdated,
  ProductCreated,
  ProductDeleted,
  ProductUpdated,
} from '@billing/contracts/events/catalog';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import { Inbox } from '@billing/messaging/inbox';
import { learnPrice } from '#operations/learn-price.ts';
import { keepCustomer, keepProduct } from '#persistence/copies.ts';
import type { Dependencies } from '../dependencies.ts';
import { teamOf } from './processor-event.ts';

/** Keeps our copies of customers; deleted ones too, for their subscriptions go on. */
export function copyCustomers({ em, logger }: Dependencies): Inbox {
  const inbox = new Inbox(em, 'subscriptions-customers', logger);
  for (const fact of [CustomerCreated, CustomerUpdated, CustomerDeleted]) {
    inbox.on(fact, (tx, customer, event) => keepCustomer(tx, teamOf(event), customer));
  }
  return inbox;
}

/** Keeps our copies of products; deleted ones too, for their subscriptions go on. */
export function copyProducts({ em, logger }: Dependencies): Inbox {
  const inbox = new Inbox(em, 'subscriptions-products', logger);
  for (const fact of [ProductCreated, ProductUpdated, ProductDeleted]) {
    inbox.on(fact, (tx, product, event) => keepProduct(tx, teamOf(event), product));
  }
  return inbox;
}

/** Keeps our copies of prices; deleted ones too, for their subscriptions go on. */
export function copyPrices({ em, logger }: Dependencies): Inbox {
  const inbox = new Inbox(em, 'subscriptions-prices', logger);
  for (const fact of [PriceCreated, PriceUpdated, PriceDeleted]) {
    inbox.on(fact, (tx, price, event) => learnPrice(tx, teamOf(event), price));
  }
  return inbox;
}
