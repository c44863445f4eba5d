import { z } from 'zod';
import { invalidRequest } from '../api/errors.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { completeSession, declineSession, settleSession } from '../billing/checkout.ts';
import { collectFor } from '../billing/collection.ts';
import { discountCustomer } from '../billing/customer-discount.ts';
import { closeDispute, openDispute } from '../billing/disputes.ts';
import { runDueChanges } from '../billing/run-due-changes.ts';
import { endSubscription, pauseSubscription, renewSubscription, stopRetrying } from '../billing/subscriptions.ts';
import { existing } from '../objects/finding.ts';
import type { Subscription } from '../objects/stored.ts';
import { hasEnded } from '../objects/subscription.ts';
import { deletePrice } from '../resources/prices.ts';
import { reportMeterError } from '../resources/thin-events.ts';
import type { Account } from '../store/account.ts';
import { deliveryMethods } from './delivery-methods.ts';
import { faultMethods } from './faults.ts';
import { type Call, method } from './method.ts';

const id = z.string();
const outcome = z.enum(['pay', 'decline']).default('pay');
const seconds = z
  .int()
  .min(0, 'The seconds must be 0 or more.')
  .max(10 * 366 * 86_400);

/** The control API: each method of `LocalProcessorControl`, the arguments that it takes, and what it does. */
export const methods = {
  ...deliveryMethods,
  ...faultMethods,

  /** The account's clock: its current time and its offset from the real time, both in seconds. */
  clock: method(z.tuple([]), ({ account }) => clockOf(account)),

  /** Advances the account's clock and applies everything that becomes due, in order and with its own timestamp. */
  advanceClock: method(z.tuple([seconds]), ({ account, run }, by) => {
    run(unit => runDueChanges(unit, account.now() + by));
    account.change({ clockOffset: account.state.clockOffset + by });
    return clockOf(account);
  }),

  /**
   * Moves the clock of an account that has no customers back, to make a past with `advanceClock`. As long as it is behind the
   * real time no events are kept: what is old has none.
   */
  rewindClock: method(z.tuple([seconds]), ({ account }, by) => {
    if (account.tables.customer.size > 0)
      throw invalidRequest('The account has customers. Use another key, or reset it.');
    account.change({ clockOffset: account.state.clockOffset - by });
    account.change({ dueUntil: account.now() });
    return clockOf(account);
  }),

  /** Starts the next period now. A declined payment leaves the subscription past due. */
  renew: method(z.tuple([id, outcome]), ({ run }, subscription, how) =>
    run(unit => renewSubscription(unit, liveSubscription(unit, subscription), unit.now, how === 'decline')),
  ),

  /** Retries the payment of the newest invoice, which must be open. */
  collect: method(z.tuple([id, outcome]), ({ run }, subscription, how) =>
    run(unit => {
      const row = liveSubscription(unit, subscription);
      const invoice = unit.tables.invoice.get(String(row.latest_invoice));
      if (invoice?.status !== 'open') throw invalidRequest('The subscription has no open invoice.');
      return collectFor(unit, row, invoice, how === 'decline');
    }),
  ),

  /** Ends the payment retries, as after the last failed attempt. */
  giveUp: method(z.tuple([id, z.enum(['canceled', 'unpaid']).default('canceled')]), ({ run }, subscription, status) =>
    run(unit => stopRetrying(unit, liveSubscription(unit, subscription), status)),
  ),

  /** Ends the subscription now, as the end of its period does after a cancellation. */
  end: method(z.tuple([id]), ({ run }, subscription) =>
    run(unit => endSubscription(unit, liveSubscription(unit, subscription), 'cancellation_requested')),
  ),

  /** Ends the free trial now: bills the first period, or pauses the subscription as if there were no card. */
  endTrial: method(
    z.tuple([id, z.enum(['pay', 'decline', 'pause']).default('pay')]),
    ({ run }, subscription, how): Subscription =>
      run(unit => {
        const row = liveSubscription(unit, subscription);
        if (row.status !== 'trialing') throw invalidRequest('The subscription is not in a trial.');
        if (how === 'pause') return pauseSubscription(unit, row);
        return renewSubscription(unit, row, unit.now, how === 'decline');
      }),
  ),

  /** Pauses the subscription now. */
  pause: method(z.tuple([id]), ({ run }, subscription) =>
    run(unit => pauseSubscription(unit, liveSubscription(unit, subscription))),
  ),

  /** Gives a customer the discount of a coupon, as API versions before 2025-03-31 do; null removes it. */
  discountCustomer: method(z.tuple([id, id.nullable()]), ({ run }, customer, coupon) =>
    run(unit => discountCustomer(unit, existing(unit, 'customer', customer), coupon)),
  ),

  /** Refuses usage that was taken, as the processor's checks do later: it counts no more, and a thin event tells so. */
  refuseMeterEvent: method(
    z.tuple([id, z.string().default('meter_event_invalid_value')]),
    ({ run }, identifier, code) =>
      run(unit => {
        const [event] = unit.tables.meter_event.withField('identifier', identifier);
        const meter = unit.tables['billing.meter']
          .newestFirst()
          .find(row => event?.usage.startsWith(`${row.event_name} `));
        if (!event || !meter) throw invalidRequest(`No meter event has the identifier ${identifier}.`);
        return reportMeterError(unit, event, { meter, code });
      }),
  ),

  /** Deletes a price that nothing uses, as the dashboard does; the API has no such call. */
  deletePrice: method(z.tuple([id]), ({ run }, price) => void run(unit => deletePrice(unit, price))),

  /** Opens a dispute on a charge, as the cardholder's bank does. The amount is in cents; default: the whole charge. */
  openDispute: method(
    z.tuple([id, z.strictObject({ amount: z.int().min(1).optional(), reason: z.string().optional() }).default({})]),
    ({ run }, charge, { amount, reason = 'fraudulent' }) =>
      run(unit => openDispute(unit, existing(unit, 'charge', charge), reason, amount)),
  ),

  /** Closes a dispute, as the bank's decision does. */
  closeDispute: method(z.tuple([id, z.enum(['won', 'lost'])]), ({ run }, dispute, how) =>
    run(unit => closeDispute(unit, existing(unit, 'dispute', dispute), how)),
  ),

  /** Completes or declines a checkout session, as the buttons of the hosted page do; `pay-later` leaves its payment on its way. */
  checkout: method(z.tuple([id, z.enum(['pay', 'decline', 'pay-later']).default('pay')]), ({ run }, session, how) =>
    run(unit =>
      how === 'decline' ? declineSession(unit, session) : completeSession(unit, session, how === 'pay-later'),
    ),
  ),

  /** Ends the delayed payment of a session that was completed by `pay-later`. */
  settleCheckout: method(z.tuple([id, outcome]), ({ run }, session, how) =>
    run(unit => settleSession(unit, session, how)),
  ),

  /** Sets whether the card declines later payments. */
  setCardDeclines: method(z.tuple([id, z.boolean()]), ({ account, run }, card, declines) => {
    run(unit => existing(unit, 'payment_method', card));
    if (declines) account.tables.declining_card.put({ id: card });
    else account.tables.declining_card.remove(card);
  }),

  /** Sets whether the bank wants the customer to confirm later payments with this card. */
  setCardAuthenticates: method(z.tuple([id, z.boolean()]), ({ account, run }, card, authenticates) => {
    run(unit => existing(unit, 'payment_method', card));
    if (authenticates) account.tables.declining_card.put({ id: card, authenticates });
    else account.tables.declining_card.remove(card);
  }),

  /** Every object that the account has created, with its idempotency key, and the calls by path and status. */
  ledger: method(z.tuple([]), ({ account: { tables, calls } }) => {
    const counted = [...calls].map(([call, statuses]) => [call, Object.fromEntries(statuses)] as const);
    return {
      objects: tables.ledger.newestFirst().toReversed(),
      calls: Object.fromEntries(counted),
    };
  }),

  /** Resets the account: objects, endpoints, events, rules, faults and clock. */
  reset: method(z.tuple([]), ({ account, processor }: Call) => {
    processor.accounts.reset(account);
    processor.faults.clear(account);
  }),
};

const clockOf = (account: Account) => ({ now: account.now(), offset: account.state.clockOffset });

function liveSubscription(unit: UnitOfWork, subscription: string): Subscription {
  const row = existing(unit, 'subscription', subscription);
  if (hasEnded(row)) throw invalidRequest('The subscription has ended.');
  return row;
}
