import { setTimeout as pause } from 'node:timers/promises';
import { startReceiver } from '@billing/testing/receiver';
import { waitFor } from '@billing/testing/wait-for';
import { newCustomer, newEmail, newMonthlyPrice, type Tenant } from '../../system/tenant.ts';
import { ok } from '../../system/http.ts';
import type { FaultySystem } from '../system/faulty-system.ts';
import { postEvent } from '../system/sender.ts';
import type { Sent, SentEvent } from '../system/sent-requests.ts';
import { newProcessorId, subscriptionEvent } from '../system/webhook-events.ts';
import { seenResponses, type SeenResponses } from './seen-responses.ts';

/** What a team waits for on any day. */
const STEPS = ['receipt', 'applied', 'delivered', 'checkout', 'state', 'list', 'write'] as const;
export type Step = (typeof STEPS)[number];

/** A round of steps takes at least so long, so that the team stays within its limits. */
const ROUND_MS = 1_000;

/** The median of each step in milliseconds. */
export type Medians = Readonly<Record<Step, number>>;

/** A team that does little, and notices what others do. */
export interface QuietTeam extends AsyncDisposable {
  readonly tenant: Tenant;
  readonly sent: Sent;
  readonly seen: SeenResponses;
  /** Takes one step after the other for so long. */
  measure(seconds: number): Promise<Medians>;
}

/** Opens a team with a customer, and an endpoint that gets every event. */
export async function openQuietTeam(system: FaultySystem): Promise<QuietTeam> {
  await using resources = new AsyncDisposableStack();
  const tenant = await system.newTenant();
  const { billing, P, secret } = tenant;
  const seen = seenResponses();
  const sent: Sent = { events: [], writes: [] };
  const receiver = resources.use(await startReceiver());
  await ok(tenant.api.post(`${P}/webhook-endpoints`, { url: receiver.url, eventTypes: ['*'] }), 201);
  const { priceId } = await newMonthlyPrice(tenant);
  const customerId = await newCustomer(tenant);
  const { processorCustomerId: customer } = await billing.customers.get(customerId);
  const startedAt = Math.floor(Date.now() / 1_000) - 86_400;
  const id = newProcessorId('sub');
  const checkout = { customerId, priceId, successUrl: 'https://shop.example/', cancelUrl: 'https://shop.example/' };
  let quantity = 0;

  const send = (method: string, path: string, body?: object) =>
    seen.send(`${system.gatewayUrl}${P}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const nextEvent = (): SentEvent => {
    const state = { id, customer, projectId: tenant.projectId, status: 'active', startedAt } as const;
    quantity += 1;
    const event = subscriptionEvent(
      quantity === 1 ? 'created' : 'updated',
      { ...state, quantity },
      startedAt + quantity,
    );
    sent.events.push(event);
    return event;
  };
  /** Whether the customer's state shows the quantity of the newest event. A key may read states ten times as often as others. */
  const isApplied = async () => {
    const { body } = await send('GET', `/customers/${customerId}/state`);
    return JSON.parse(body).state?.subscriptions[0]?.quantity === quantity;
  };
  const isDelivered = () =>
    receiver.received.some(({ body }) => body.includes(id) && body.includes(`"quantity":${quantity}`));

  async function takeSteps(record: (step: Step, ms: number) => void): Promise<void> {
    const timed = async (step: Step, work: () => Promise<unknown>) => {
      const from = performance.now();
      await work();
      record(step, performance.now() - from);
    };
    const event = nextEvent();
    const from = performance.now();
    await timed('receipt', async () => seen.note(await postEvent(system.gatewayUrl, tenant, event)));
    await waitFor(isApplied, { what: `the event ${event.id} to be applied`, intervalMs: 50 });
    record('applied', performance.now() - from);
    await waitFor(isDelivered, { what: `the event ${event.id} to reach the endpoint`, intervalMs: 5 });
    record('delivered', performance.now() - from);
    await timed('checkout', () => send('POST', '/checkout', checkout));
    await timed('state', () => send('GET', `/customers/${customerId}/state`));
    await timed('list', () => send('GET', '/customers?limit=50'));
    await timed('write', () => send('POST', '/customers', { email: newEmail(), name: 'Grace' }));
  }

  const owned = resources.move();
  return {
    tenant,
    sent,
    seen,
    async measure(seconds) {
      const times = Object.fromEntries(STEPS.map(step => [step, [] as number[]])) as Record<Step, number[]>; // each step
      const until = performance.now() + seconds * 1_000;
      do await Promise.all([takeSteps((step, ms) => times[step].push(ms)), pause(ROUND_MS)]);
      while (performance.now() < until);
      return Object.fromEntries(STEPS.map(step => [step, median(times[step])])) as Record<Step, number>; // each step
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
