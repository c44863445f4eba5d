import type { CheckoutSession, Delivery, LedgerEntry, Subscription } from '../objects/stored.ts';
import type { DeliveryRules } from '../store/account.ts';
import type { Fault } from '../faults/faults.ts';
import type { DeliveryFilter, DeliveryRulesChange, FaultRequest, Outcome, ReleaseOrder } from './messages.ts';

export type { CheckoutSession, Delivery, DeliveryRules, Fault, FaultRequest, LedgerEntry, Outcome, Subscription };

/** The account's own clock: now and how far it runs ahead of the real one, both in seconds. */
export interface Clock {
  now: number;
  offset: number;
}

/** What an account was asked to make: every object with its idempotency key, and calls by path and status. */
export interface Ledger {
  objects: LedgerEntry[];
  calls: Record<string, Record<string, number>>;
}

const SETTLED_WITHIN_MS = 15_000;

/** Drives the control API of a local processor for one account. A refused request throws with the reason. */
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

  /** Moves the account's clock; everything that falls due on the way happens, each at its own moment. */
  advanceClock(seconds: number): Promise<Clock> {
    return this.#call('POST', '/clock/advance', { seconds });
  }

  /** Starts the next period now. A declined payment leaves the subscription past due. */
  renew(subscriptionId: string, outcome: Outcome = 'pay'): Promise<Subscription> {
    return this.#call('POST', `/subscriptions/${subscriptionId}/renew`, { outcome });
  }

  /** Tries again to collect the newest invoice, which must be open. */
  collect(subscriptionId: string, outcome: Outcome = 'pay'): Promise<Subscription> {
    return this.#call('POST', `/subscriptions/${subscriptionId}/collect`, { outcome });
  }

  /** What happens when all retries are used up. */
  giveUp(subscriptionId: string, outcome: 'canceled' | 'unpaid' = 'canceled'): Promise<Subscription> {
    return this.#call('POST', `/subscriptions/${subscriptionId}/give-up`, { outcome });
  }

  /** Ends the subscription now, as the end of its period does after a cancellation. */
  end(subscriptionId: string): Promise<Subscription> {
    return this.#call('POST', `/subscriptions/${subscriptionId}/end`);
  }

  /** Ends the free trial now: the first period is billed, or the subscription pauses for want of a card. */
  endTrial(subscriptionId: string, outcome: 'pay' | 'decline' | 'pause' = 'pay'): Promise<Subscription> {
    return this.#call('POST', `/subscriptions/${subscriptionId}/end-trial`, { outcome });
  }

  pause(subscriptionId: string): Promise<Subscription> {
    return this.#call('POST', `/subscriptions/${subscriptionId}/pause`);
  }

  /** Presses a button of the hosted page without a browser. */
  checkout(sessionId: string, action: Outcome = 'pay'): Promise<CheckoutSession> {
    return this.#call('POST', `/checkout-sessions/${sessionId}`, { action });
  }

  /** Makes every later payment with this card fail, or succeed again. */
  setCardDeclines(paymentMethodId: string, declines: boolean): Promise<void> {
    return this.#call('PUT', `/payment-methods/${paymentMethodId}`, { declines });
  }

  /** Changes how webhooks leave the account; what is not named stays. */
  setDeliveryRules(rules: DeliveryRulesChange): Promise<DeliveryRules> {
    return this.#call('PUT', '/delivery-rules', rules);
  }

  /** Lets held webhooks go; answers how many there were. */
  async release(order: ReleaseOrder = 'created'): Promise<number> {
    const { released } = await this.#call<{ released: number }>('POST', '/deliveries/release', { order });
    return released;
  }

  /** Deliveries, the oldest first. */
  async deliveries(filter: DeliveryFilter = {}): Promise<Delivery[]> {
    const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== undefined));
    return (await this.#call<{ deliveries: Delivery[] }>('GET', `/deliveries?${query.toString()}`)).deliveries;
  }

  /** Waits until nothing is on its way any more; fails after 15 s, naming what still is. */
  async deliveriesSettled(): Promise<void> {
    const deadline = Date.now() + SETTLED_WITHIN_MS;
    for (;;) {
      const waiting = await this.deliveries({ status: 'scheduled' });
      if (waiting.length === 0) return;
      if (Date.now() > deadline)
        throw new Error(`${waiting.length} webhooks are still not accepted, the first: ${JSON.stringify(waiting[0])}`);
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  }

  /** Sends one event again, `copies` times to every endpoint that wants it. */
  async resend(eventId: string, copies = 1): Promise<Delivery[]> {
    return (await this.#call<{ deliveries: Delivery[] }>('POST', `/events/${eventId}/resend`, { copies })).deliveries;
  }

  /** Sends all events (or those of some types) again, in the given order. */
  async resendAll(order: ReleaseOrder = 'created', types?: string[]): Promise<Delivery[]> {
    const body = types ? { order, types } : { order };
    return (await this.#call<{ deliveries: Delivery[] }>('POST', '/events/resend', body)).deliveries;
  }

  /** Plants a fault: the next calls that fit go wrong. */
  fail(fault: FaultRequest): Promise<void> {
    return this.#call('POST', '/faults', fault);
  }

  async faults(): Promise<Fault[]> {
    return (await this.#call<{ faults: Fault[] }>('GET', '/faults')).faults;
  }

  clearFaults(): Promise<void> {
    return this.#call('DELETE', '/faults');
  }

  ledger(): Promise<Ledger> {
    return this.#call('GET', '/ledger');
  }

  /** Empties the account: objects, endpoints, events, rules, faults and clock. */
  reset(): Promise<void> {
    return this.#call('POST', '/reset');
  }

  async #call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${this.#url}/_control${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#secretKey}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${method} /_control${path} failed: ${response.status} ${await response.text()}`);
    // Both ends of this API are in this package and are tested together.
    return (await response.json()) as Answer;
  }
}
