import type { FastifyPluginAsync } from 'fastify';
import { noSuch } from '../api/errors.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { collectFor } from '../billing/collection.ts';
import { completeSession, declineSession, settleSession } from '../billing/checkout.ts';
import { closeDispute, openDispute } from '../billing/disputes.ts';
import { runDueChanges } from '../billing/run-due-changes.ts';
import { endSubscription, stopRetrying, pauseSubscription, renewSubscription } from '../billing/subscriptions.ts';
import { inItsTime } from '../objects/test-clock.ts';
import { hasEnded } from '../objects/subscription.ts';
import type { Subscription } from '../objects/stored.ts';
import { countObjects } from '../past/count-objects.ts';
import { fillAccount } from '../past/fill-account.ts';
import { existingDispute } from '../resources/disputes.ts';
import { deletePrice } from '../resources/prices.ts';
import type { Processor } from '../processor.ts';
import type { Account } from '../store/account.ts';
import { addRoute, badRequest, type AddRoute } from './add-route.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import * as requests from './requests.ts';

/**
 * The control API: triggers payments, renewals, time and faults for tests. It uses the same secret key as the API and
 * acts on that key's account.
 */
export function controlRoutes(processor: Processor): FastifyPluginAsync {
  return async app => {
    app.addContentTypeParser('application/json', { parseAs: 'string' }, app.getDefaultJsonParser('error', 'error'));
    const add: AddRoute = (method, path, schema, handle) => addRoute(app, processor, method, path, schema, handle);
    clockRoutes(add, processor);
    subscriptionRoutes(add, processor);
    checkoutRoutes(add, processor);
    catalogRoutes(add, processor);
    disputeRoutes(add, processor);
    faultRoutes(add, processor);
    accountRoutes(add, processor);
    deliveryRoutes(add, processor);
  };
}

function clockRoutes(add: AddRoute, processor: Processor): void {
  const clock = (account: Account) => ({ now: account.now(), offset: account.state.clockOffset });
  add('GET', '/clock', requests.noBody, ({ account }) => clock(account));
  add('POST', '/clock/advance', requests.advanceClock, ({ account, body }) => {
    account.change({ clockOffset: account.state.clockOffset + body.seconds });
    processor.run(account, unit => runDueChanges(unit, account.now()));
    return clock(account);
  });
}

function subscriptionRoutes(add: AddRoute, processor: Processor): void {
  const change = (
    account: Account,
    id: string,
    apply: (unit: UnitOfWork, subscription: Subscription) => Subscription,
  ) => processor.run(account, unit => apply(unit, liveSubscription(unit, id)));
  add('POST', '/subscriptions/:id/renew', requests.payment, ({ account, id, body }) =>
    change(account, id, (unit, row) => renewSubscription(unit, row, unit.now, body.outcome === 'decline')),
  );
  add('POST', '/subscriptions/:id/collect', requests.payment, ({ account, id, body }) =>
    change(account, id, (unit, row) => {
      const invoice = unit.tables.invoice.get(String(row.latest_invoice));
      if (invoice?.status !== 'open') throw badRequest('The subscription has no open invoice.');
      return collectFor(unit, row, invoice, body.outcome === 'decline');
    }),
  );
  add('POST', '/subscriptions/:id/give-up', requests.giveUp, ({ account, id, body }) =>
    change(account, id, (unit, row) => stopRetrying(unit, row, body.outcome)),
  );
  add('PUT', '/retries', requests.retries, ({ account, body }) => account.change({ retries: body }));
  add('POST', '/subscriptions/:id/end', requests.noBody, ({ account, id }) =>
    change(account, id, (unit, row) => endSubscription(unit, row, 'cancellation_requested')),
  );
  add('POST', '/subscriptions/:id/end-trial', requests.trialEnd, ({ account, id, body }) =>
    change(account, id, (unit, row) => {
      if (row.status !== 'trialing') throw badRequest('The subscription is not in a trial.');
      if (body.outcome === 'pause') return pauseSubscription(unit, row);
      return renewSubscription(unit, row, unit.now, body.outcome === 'decline');
    }),
  );
  add('POST', '/subscriptions/:id/pause', requests.noBody, ({ account, id }) => change(account, id, pauseSubscription));
}

function checkoutRoutes(add: AddRoute, processor: Processor): void {
  add('POST', '/checkout-sessions/:id', requests.checkoutAction, ({ account, id, body }) =>
    processor.run(account, unit =>
      body.action === 'decline' ? declineSession(unit, id) : completeSession(unit, id, body.action === 'pay-later'),
    ),
  );
  add('POST', '/checkout-sessions/:id/settle', requests.payment, ({ account, id, body }) =>
    processor.run(account, unit => settleSession(unit, id, body.outcome)),
  );
  add('PUT', '/payment-methods/:id', requests.cardBehavior, ({ account, id, body }) => {
    if (!account.tables.payment_method.get(id)) throw noSuch('PaymentMethod', id);
    const { declines, authenticates } = body;
    if (declines || authenticates) account.tables.declining_card.put({ id, authenticates: !declines });
    else account.tables.declining_card.remove(id);
  });
}

function catalogRoutes(add: AddRoute, processor: Processor): void {
  add('POST', '/prices/:id/delete', requests.noBody, ({ account, id }) =>
    processor.run(account, unit => deletePrice(unit, id)),
  );
}

function disputeRoutes(add: AddRoute, processor: Processor): void {
  add('POST', '/charges/:id/dispute', requests.dispute, ({ account, id, body }) =>
    processor.run(account, unit => {
      const charge = unit.tables.charge.get(id);
      if (!charge) throw noSuch('charge', id);
      return openDispute(unit, charge, body.reason, body.amount);
    }),
  );
  add('POST', '/disputes/:id/close', requests.disputeOutcome, ({ account, id, body }) =>
    processor.run(account, unit => closeDispute(unit, existingDispute(unit, id), body.outcome)),
  );
}

function faultRoutes(add: AddRoute, processor: Processor): void {
  add('POST', '/faults', requests.fault, ({ account, body: { everyAccount, method, ...fault } }) =>
    processor.faults.add({ ...fault, method: method ?? null, account: everyAccount ? null : account.id }),
  );
  add('GET', '/faults', requests.noBody, ({ account }) => ({ faults: processor.faults.list(account) }));
  add('DELETE', '/faults', requests.noBody, ({ account }) => processor.faults.clear(account));
}

function accountRoutes(add: AddRoute, processor: Processor): void {
  add('GET', '/ledger', requests.noBody, ({ account }) => ({
    objects: account.tables.ledger.newestFirst().toReversed(),
    calls: Object.fromEntries([...account.calls].map(([call, statuses]) => [call, Object.fromEntries(statuses)])),
  }));
  add('PUT', '/restricted-keys', requests.restrictedKey, ({ account, body: { key, missing } }) =>
    processor.accounts.restrict(account, key, missing),
  );
  add('POST', '/past', requests.past, async ({ account, body: { until = account.now(), ...given } }) => {
    if (account.tables.customer.size > 0) throw badRequest('The account has customers. Use another key, or reset it.');
    const { publicUrl } = processor;
    await fillAccount(account, { ...given, until }, { publicUrl, flush: () => processor.flush() });
    return { until, objects: countObjects(account) };
  });
  add('POST', '/reset', requests.noBody, ({ account }) => {
    processor.accounts.reset(account);
    processor.faults.clear(account);
  });
}

function liveSubscription(unit: UnitOfWork, id: string): Subscription {
  const subscription = unit.tables.subscription.get(id);
  if (!subscription) throw noSuch('subscription', id);
  if (hasEnded(subscription)) throw badRequest('The subscription has ended.');
  return inItsTime(unit, subscription);
}
