import type { CheckoutSession, Delivery, Dispute, LedgerEntry, Subscription } from '../objects/stored.ts';
import type { DeliveryRules, RetrySettings } from '../store/account.ts';
import type { Fault } from './faults.ts';
import type { ObjectCounts } from '../past/count-objects.ts';
import type {
  CheckoutAction,
  DeliveryFilter,
  DeliveryRulesChange,
  FaultRequest,
  Outcome,
  PastRequest,
  ReleaseOrder,
} from './requests.ts';

export type {
  CheckoutSession,
  Delivery,
  DeliveryRules,
  Dispute,
  Fault,
  FaultRequest,
  LedgerEntry,
  ObjectCounts,
  Outcome,
  Subscription,
};

/** The account's clock: its current time and its offset from the real time, both in seconds. */
export interface Clock {
  now: number;
  offset: number;
}

/** Every object that an account has created, with its idempotency key, and the calls by path and status. */
export interface Ledger {
  objects: LedgerEntry[];
  calls: Record<string, Record<string, number>>;
}

const DELIVERY_TIMEOUT_MS = 15_000;

/** Client of the control API for one account. Every method throws an error with the reason when a request fails. */
export class LocalProcessorControl {
  readonly #url: string;
  readonly #secretKey: string;

  constructor(url: string, secretKey: string) {
    this.#url = url.replace(/\/$/, '');
    this.#secretKey = secretKey;
  }

  clock(): Promise<Clock> {
    return this.#call('GET', '/clock');
  }

  /** Advances the account's clock and applies everything that becomes due, in order and with its own timestamp. */
  advanceClock(seconds: number): Promise<Clock> {
    return this.#call('POST', '/clock/advance', { seconds });
  }

  /** Starts the next period now. A declined payment leaves the subscription past due. */
  renew(subscriptionId: string, outcome: Outcome = 'pay'): Promise<Subscription> {
    return this.#call('POST', `/subscriptions/${subscriptionId}/renew`, { outcome });
  }

  /** Retries the payment of the newest invoice, which must be open. */
  collect(subscriptionId: string, outcome: Outcome = 'pay'): Promise<Subscription> {
    return this.#call('POST', `/subscriptions/${subscriptionId}/collect`, { outcome });
  }

  /** Ends the payment retries, as after the last failed attempt. */
  giveUp(subscriptionId: string, outcome: 'canceled' | 'unpaid' = 'canceled'): Promise<Subscription> {
    return this.#call('POST', `/subscriptions/${subscriptionId}/give-up`, { outcome });
  }

  /** Sets what the end of the payment retries does; at first it cancels the subscription and leaves the invoice open. */
  setRetries(settings: RetrySettings): Promise<void> {
    return this.#call('PUT', '/retries', settings);
  }

  /** Ends the subscription now, as the end of its period does after a cancellation. */
  end(subscriptionId: string): Promise<Subscription> {
    return this.#call('POST', `/subscriptions/${subscriptionId}/end`);
  }

  /** Ends the free trial now: bills the first period, or pauses the subscription as if there were no card. */
  endTrial(subscriptionId: string, outcome: 'pay' | 'decline' | 'pause' = 'pay'): Promise<Subscription> {
    return this.#call('POST', `/subscriptions/${subscriptionId}/end-trial`, { outcome });
  }

  /** Pauses the subscription now. */
  pause(subscriptionId: string): Promise<Subscription> {
    return this.#call('POST', `/subscriptions/${subscriptionId}/pause`);
  }

  /** Deletes a price that nothing uses, as the dashboard does; the API has no such call. */
  deletePrice(priceId: string): Promise<void> {
    return this.#call('POST', `/prices/${priceId}/delete`);
  }

  /** Opens a dispute on a charge, as the cardholder's bank does. The amount is in cents; default: the whole charge. */
  openDispute(chargeId: string, dispute: { amount?: number; reason?: string } = {}): Promise<Dispute> {
    return this.#call('POST', `/charges/${chargeId}/dispute`, dispute);
  }

  /** Closes a dispute, as the bank's decision does. */
  closeDispute(disputeId: string, outcome: 'won' | 'lost'): Promise<Dispute> {
    return this.#call('POST', `/disputes/${disputeId}/close`, { outcome });
  }

  /** Completes or declines a checkout session, as the buttons of the hosted page do; `pay-later` leaves its payment on its way. */
  checkout(sessionId: string, action: CheckoutAction = 'pay'): Promise<CheckoutSession> {
    return this.#call('POST', `/checkout-sessions/${sessionId}`, { action });
  }

  /** Ends the delayed payment of a session that was completed by `pay-later`. */
  settleCheckout(sessionId: string, outcome: Outcome = 'pay'): Promise<CheckoutSession> {
    return this.#call('POST', `/checkout-sessions/${sessionId}/settle`, { outcome });
  }

  /** Sets whether later payments with this card fail. */
  setCardDeclines(paymentMethodId: string, declines: boolean): Promise<void> {
    return this.#call('PUT', `/payment-methods/${paymentMethodId}`, { declines });
  }

  /** Sets whether the bank wants the customer to confirm later payments with this card. */
  setCardAuthenticates(paymentMethodId: string, authenticates: boolean): Promise<void> {
    return this.#call('PUT', `/payment-methods/${paymentMethodId}`, { declines: false, authenticates });
  }

  /** Changes how webhooks are delivered; omitted rules stay unchanged. */
  setDeliveryRules(rules: DeliveryRulesChange): Promise<DeliveryRules> {
    return this.#call('PUT', '/delivery-rules', rules);
  }

  /** Sends held webhooks. Returns their number. */
  async release(order: ReleaseOrder = 'created'): Promise<number> {
    const { released } = await this.#call<{ released: number }>('POST', '/deliveries/release', { order });
    return released;
  }

  /** Returns deliveries, oldest first. */
  async deliveries(filter: DeliveryFilter = {}): Promise<Delivery[]> {
    const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== undefined));
    return (await this.#call<{ deliveries: Delivery[] }>('GET', `/deliveries?${query.toString()}`)).deliveries;
  }

  /** Waits until no delivery is scheduled. Throws after 15 s with the first delivery that is not accepted. */
  async waitForDeliveries(): Promise<void> {
    const deadline = Date.now() + DELIVERY_TIMEOUT_MS;
    for (;;) {
      const pending = await this.deliveries({ status: 'scheduled' });
      if (pending.length === 0) return;
      if (Date.now() > deadline)
        throw new Error(`${pending.length} webhooks are still not accepted, the first: ${JSON.stringify(pending[0])}`);
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  }

  /** Sends one event again, `copies` times to every subscribed endpoint. */
  async resend(eventId: string, copies = 1): Promise<Delivery[]> {
    return (await this.#call<{ deliveries: Delivery[] }>('POST', `/events/${eventId}/resend`, { copies })).deliveries;
  }

  /** Sends all events, or those of the given types, again in the given order. */
  async resendAll(order: ReleaseOrder = 'created', types?: string[]): Promise<Delivery[]> {
    const body = types ? { order, types } : { order };
    return (await this.#call<{ deliveries: Delivery[] }>('POST', '/events/resend', body)).deliveries;
  }

  /** Injects a fault into the next matching calls. */
  fail(fault: FaultRequest): Promise<void> {
    return this.#call('POST', '/faults', fault);
  }

  async faults(): Promise<Fault[]> {
    return (await this.#call<{ faults: Fault[] }>('GET', '/faults')).faults;
  }

  clearFaults(): Promise<void> {
    return this.#call('DELETE', '/faults');
  }

  /**
   * Makes a key (`rk_test_…`) a restricted key of this account. Calls that need a missing permission, for example
   * `rak_webhook_write`, return 403; a key that lacks to read may not write either.
   */
  restrictKey(key: string, missing: readonly string[]): Promise<void> {
    return this.#call('PUT', '/restricted-keys', { key, missing });
  }

  ledger(): Promise<Ledger> {
    return this.#call('GET', '/ledger');
  }

  /**
   * Fills an account that has no customers with a plausible past of this many, up to `until` in Unix seconds; now unless
   * given. The same request always makes the same objects; none of them sends an event. Returns how many there are.
   */
  fillAccount(past: PastRequest): Promise<{ until: number; objects: ObjectCounts }> {
    return this.#call('POST', '/past', past);
  }

  /** Resets the account: objects, endpoints, events, rules, faults and clock. */
  reset(): Promise<void> {
    return this.#call('POST', '/reset');
  }

  async #call<Body>(method: string, path: string, body?: object): Promise<Body> {
    const response = await fetch(`${this.#url}/_control${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#secretKey}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${method} /_control${path} failed: ${response.status} ${await response.text()}`);
    // Client and server of this API are in this package and are tested together.
    return (await response.json()) as Body;
  }
}
