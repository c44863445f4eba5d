import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@billing/testing/wait-for';
import { newCustomer, newEmail, type Tenant } from '../../system/tenant.ts';
import type { Random } from './random.ts';
import { postEvent, sendWrite } from './sender.ts';
import { outcomeOf, type Sent, type SentEvent, type Write } from './sent-requests.ts';
import { newProcessorId, subscriptionEvent, type SubscriptionState } from './webhook-events.ts';

export interface LoadOptions {
  readonly tenant: Tenant;
  readonly random: Random;
  /** Requests go to these gateways in turn. */
  readonly gatewayUrls: readonly string[];
  readonly eventsPerSecond?: number;
  readonly writesPerSecond?: number;
  /** Sends a request without a success once more, as a client does. */
  readonly retriesOnce?: boolean;
}

/** Load that runs until it is stopped. */
export interface Load {
  readonly sent: Sent;
  /**
   * Waits until `count` more events were acknowledged, or the load has reached its limit.
   * @throws Error after two minutes
   */
  readonly untilAcknowledged: (count: number) => Promise<void>;
  /** Sends nothing more, and waits until every request has ended. */
  readonly stop: () => Promise<void>;
}

/** The share of events that update a known subscription. */
const UPDATE_SHARE = 0.4;
const CUSTOMERS = 5;
/** Limits, so that a slow machine has no huge backlog to process after a long fault. */
const MAX_EVENTS = 500;
const MAX_WRITES = 60;
/** Before a client repeats a request, in milliseconds. */
const CLIENT_PAUSE_MS = 500;

/**
 * Posts signed events and API writes at an even rate, up to 500 and 60 of them. Each request is sent once, unless
 * `retriesOnce` is set, and its
 * outcome is recorded. The events of one subscription are created two seconds apart.
 */
export async function startLoad(options: LoadOptions): Promise<Load> {
  const { tenant, random, gatewayUrls, eventsPerSecond = 25, writesPerSecond = 3, retriesOnce = false } = options;
  const generator = await createEventGenerator(tenant, random);
  const sent: Sent = { events: [], writes: [] };
  const inFlight: Promise<unknown>[] = [];
  let requests = 0;
  const nextGateway = () => gatewayUrls[requests++ % gatewayUrls.length] ?? '';

  const send = async (sendOnce: () => Promise<number>): Promise<void> => {
    const status = await sendOnce();
    if (!retriesOnce || outcomeOf(status) === 'ok') return;
    await delay(CLIENT_PAUSE_MS);
    await sendOnce();
  };
  const startedAt = performance.now();
  const sendDue = () => {
    const elapsedSeconds = (performance.now() - startedAt) / 1_000;
    while (sent.events.length < Math.min(elapsedSeconds * eventsPerSecond, MAX_EVENTS)) {
      const event = generator.next();
      sent.events.push(event);
      inFlight.push(send(() => postEvent(nextGateway(), tenant, event)));
    }
    while (sent.writes.length < Math.min(elapsedSeconds * writesPerSecond, MAX_WRITES)) {
      const write = newCustomerWrite();
      sent.writes.push(write);
      inFlight.push(send(() => sendWrite(nextGateway(), tenant, write)));
    }
  };
  const timer = setInterval(sendDue, 20);
  const countAcknowledged = () => sent.events.filter(({ outcome }) => outcome === 'ok').length;
  return {
    sent,
    async untilAcknowledged(count) {
      const target = countAcknowledged() + count;
      await waitFor(() => sent.events.length >= MAX_EVENTS || countAcknowledged() >= target, {
        what: `${count} more events to be acknowledged`,
      });
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(inFlight);
    },
  };
}

/** Generates events of new and known subscriptions for a few new customers of the tenant. */
export async function createEventGenerator(tenant: Tenant, random: Random) {
  const customers = await newProcessorCustomers(tenant);
  const subscriptions = new Map<string, SubscriptionState>();
  const ids: string[] = [];
  const createdTimes = new Map<string, number>();
  const firstCreated = Math.floor(Date.now() / 1_000) - 86_400;
  return {
    /** The newest generated state of each subscription, by processor id. */
    subscriptions,
    /** Generates an event of any subscription but `except`. */
    next({ except }: { except?: string } = {}): SentEvent {
      const picked = ids.length > 0 && random.next() < UPDATE_SHARE ? random.pick(ids) : undefined;
      const known = picked === undefined || picked === except ? undefined : subscriptions.get(picked);
      const status = known ? random.pick(['active', 'active', 'past_due', 'trialing'] as const) : 'active';
      const state: SubscriptionState = {
        id: known?.id ?? newProcessorId('sub'),
        customer: known?.customer ?? random.pick(customers),
        projectId: tenant.projectId,
        startedAt: firstCreated,
        status,
        quantity: random.between(1, 5),
      };
      const created = (createdTimes.get(state.id) ?? firstCreated) + 2;
      createdTimes.set(state.id, created);
      subscriptions.set(state.id, state);
      if (!known) ids.push(state.id);
      return subscriptionEvent(known ? 'updated' : 'created', state, created);
    },
  };
}

/** Creates a few customers and returns their processor ids. */
async function newProcessorCustomers(tenant: Tenant): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: CUSTOMERS }, () => newCustomer(tenant)));
  const customers = await Promise.all(ids.map(id => tenant.billing.customers.get(id)));
  return customers.map(({ processorCustomerId }) => processorCustomerId);
}

const newCustomerWrite = (): Write => ({
  path: '/customers',
  body: { email: newEmail(), name: 'Grace' },
  key: crypto.randomUUID(),
  outcome: undefined,
  statuses: [],
});
