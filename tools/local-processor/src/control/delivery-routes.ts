import { noSuch } from '../api/failure.ts';
import { shuffled } from '../domain/shuffle.ts';
import type { StoredEvent } from '../objects/stored.ts';
import type { Processor } from '../processor.ts';
import * as messages from './messages.ts';
import type { AddRoute } from './routes.ts';

/** How webhooks leave the account: rules, what is on its way, and sending again. */
export function deliveryRoutes(add: AddRoute, { deliveries }: Processor): void {
  add('GET', '/delivery-rules', messages.nothing, ({ account }) => account.state.rules);
  add('PUT', '/delivery-rules', messages.deliveryRules, ({ account, body }) => {
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    account.change({ rules: { ...account.state.rules, ...given } });
    return account.state.rules;
  });
  add('GET', '/deliveries', messages.deliveryFilter, ({ account, body: { event, status } }) => {
    const table = account.tables.delivery;
    const rows = event === undefined ? table.newestFirst() : table.withField('event', event);
    return { deliveries: rows.filter(row => status === undefined || row.status === status).toReversed() };
  });
  add('POST', '/deliveries/release', messages.release, ({ account, body }) => ({
    released: deliveries.release(account, body.order),
  }));
  add('POST', '/events/:id/resend', messages.resend, ({ account, id, body }) => {
    const event = account.tables.event.get(id);
    if (!event) throw noSuch('event', id);
    return { deliveries: deliveries.resend(account, [event], body.copies) };
  });
  add('POST', '/events/resend', messages.resendAll, ({ account, body: { order, types } }) => {
    const wanted = account.tables.event.newestFirst().filter(({ type }) => !types || types.includes(type));
    return { deliveries: deliveries.resend(account, inOrder(wanted, order)) };
  });
}

function inOrder(newestFirst: StoredEvent[], order: 'created' | 'reversed' | { seed: number }): StoredEvent[] {
  if (order === 'reversed') return newestFirst;
  const oldestFirst = newestFirst.toReversed();
  return order === 'created' ? oldestFirst : shuffled(oldestFirst, order.seed);
}
