import { newCustomer, newEmail, type Tenant } from '../../system/tenant.ts';
import { newProcessorId, subscriptionEvent, type SubscriptionState } from './processor-events.ts';
import type { Random } from './random.ts';
import { postEvent, sendWrite } from './sender.ts';
import type { Sent, SentEvent, Write } from './sent.ts';

export interface LoadOptions {
  readonly tenant: Tenant;
  readonly random: Random;
  /** Where requests go, taken in turn. */
  readonly gatewayUrls: readonly string[];
  readonly eventsPerSecond?: number;
  readonly writesPerSecond?: number;
}

/** A load that runs until it is stopped. */
export interface Load {
  readonly sent: Sent;
  /** The last state that was told of each subscription. */
  readonly subscriptions: ReadonlyMap<string, SubscriptionState>;
  /** Sends nothing more; fulfilled when every request has ended. */
  readonly stop: () => Promise<void>;
}

/** The share of events that are about a subscription that is there already. */
const UPDATES = 0.4;
const CUSTOMERS = 5;
/** A slow machine takes long over a fault, and would have too much to work off after it. */
const MOST_EVENTS = 500;
const MOST_WRITES = 60;

/**
 * Posts signed events and writes through the API at an even rate, up to 500 and 60 of them, each once, and notes how
 * each ended. Events of one subscription are two seconds of the processor apart; nothing is sent again here.
 */
export async function startLoad(options: LoadOptions): Promise<Load> {
  const { tenant, random, gatewayUrls, eventsPerSecond = 25, writesPerSecond = 3 } = options;
  const draw = await eventsOf(tenant, random);
  const sent: Sent = { events: [], writes: [] };
  const underWay: Promise<unknown>[] = [];
  let number = 0;
  const gateway = () => gatewayUrls[number++ % gatewayUrls.length] ?? '';

  const startedAt = performance.now();
  const send = () => {
    const elapsedS = (performance.now() - startedAt) / 1_000;
    while (sent.events.length < Math.min(elapsedS * eventsPerSecond, MOST_EVENTS)) {
      const event = draw.next();
      sent.events.push(event);
      underWay.push(postEvent(gateway(), tenant, event));
    }
    while (sent.writes.length < Math.min(elapsedS * writesPerSecond, MOST_WRITES)) {
      const write = newCustomerWrite();
      sent.writes.push(write);
      underWay.push(sendWrite(gateway(), tenant, write));
    }
  };
  const timer = setInterval(send, 20);
  return {
    sent,
    subscriptions: draw.subscriptions,
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
    },
  };
}

/** Draws events of new and known subscriptions of a few customers of the tenant. */
export async function eventsOf(tenant: Tenant, random: Random) {
  const customers = await processorCustomers(tenant);
  const subscriptions = new Map<string, SubscriptionState>();
  const ids: string[] = [];
  const seconds = new Map<string, number>();
  const begin = Math.floor(Date.now() / 1_000) - 86_400;
  return {
    subscriptions,
    /** An event of any subscription `but` this one. */
    next({ but }: { but?: string } = {}): SentEvent {
      const drawn = ids.length > 0 && random.next() < UPDATES ? random.pick(ids) : undefined;
      const known = drawn === undefined || drawn === but ? undefined : subscriptions.get(drawn);
      const status = known ? random.pick(['active', 'active', 'past_due', 'trialing'] as const) : 'active';
      const state: SubscriptionState = {
        id: known?.id ?? newProcessorId('sub'),
        customer: known?.customer ?? random.pick(customers),
        projectId: tenant.projectId,
        startedAt: begin,
        status,
        quantity: random.between(1, 5),
      };
      const second = (seconds.get(state.id) ?? begin) + 2;
      seconds.set(state.id, second);
      subscriptions.set(state.id, state);
      if (!known) ids.push(state.id);
      return subscriptionEvent(known ? 'updated' : 'created', state, second);
    },
  };
}

/** The processor's ids of a few new customers. */
async function processorCustomers(tenant: Tenant): Promise<string[]> {
  const made = await Promise.all(Array.from({ length: CUSTOMERS }, () => newCustomer(tenant)));
  const customers = await Promise.all(made.map(id => tenant.billing.customers.get(id)));
  return customers.map(({ processorCustomerId }) => processorCustomerId);
}

const newCustomerWrite = (): Write => ({
  path: '/customers',
  body: { email: newEmail(), name: 'Grace' },
  key: crypto.randomUUID(),
  outcome: undefined,
  answers: [],
});
