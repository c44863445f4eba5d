import { noSuch } from '../api/errors.ts';
import { shuffled } from '../domain/shuffle.ts';
import type { StoredEvent } from '../objects/stored.ts';
import type { Processor } from '../processor.ts';
import type { AddRoute } from './add-route.ts';
import * as requests from './requests.ts';

/** Adds the routes for delivery rules, deliveries and resending. */
export function deliveryRoutes(add: AddRoute, { deliveries }: Processor): void {
  add('GET', '/delivery-rules', requests.noBody, ({ account }) => account.state.rules);
  add('PUT', '/delivery-rules', requests.deliveryRules, ({ account, body }) => {
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    account.change({ rules: { ...account.state.rules, ...given } });
    return account.state.rules;
  });
  add('GET', '/deliveries', requests.deliveryFilter, ({ account, body: { event, status } }) => {
    const table = account.tables.delivery;
    const rows = event === undefined ? table.newestFirst() : table.withField('event', event);
    return { deliveries: rows.filter(row => status === undefined || row.status === status).toReversed() };
  });
  add('POST', '/deliveries/release', requests.release, ({ account, body }) => ({
    released: deliveries.release(account, body.order),
  }));
  add('POST', '/events/:id/resend', requests.resend, ({ account, id, body }) => {
    const event = account.tables.event.get(id);
    if (!event) throw noSuch('event', id);
    return { deliveries: deliveries.resend(account, [event], body.copies) };
  });
  add('POST', '/events/resend', requests.resendAll, ({ account, body: { order, types } }) => {
    const wanted = account.tables.event.newestFirst().filter(({ type }) => !types || types.includes(type));
    return { deliveries: deliveries.resend(account, inOrder(wanted, order)) };
  });
}

function inOrder(newestFirst: StoredEvent[], order: 'created' | 'reversed' | { seed: number }): StoredEvent[] {
  if (order === 'reversed') return newestFirst;
  const oldestFirst = newestFirst.toReversed();
  return order === 'created' ? oldestFirst : shuffled(oldestFirst, order.seed);
}
