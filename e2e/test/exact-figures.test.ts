import { runs } from '@billing/testing/runs';
import { waitFor } from '@billing/testing/wait-for';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { drain } from '../system/drain.ts';
import { ok } from '../system/http.ts';
import { newSignedEvent, postSigned } from '../system/signed-events.ts';
import { newCustomer, newSiblingProject, newTenant, type Tenant } from '../system/tenant.ts';

// No figure depends on when, in which order and together with what else the events of a history arrive.

const DAY = 86_400;
const AGES = [1, 7, 30, 180, 365];
const METRICS = ['mrr', 'mrrTrialing', 'churn', 'trialConversion', 'newMrr', 'expansionMrr', 'reactivatedMrr'];
const FALLS = ['contractionMrr', 'churnedMrr', 'netMrr', 'excluded'];

/** What happens to a subscription, days after the event before; events of one second are in the order of their ids. */
const happening = fc.record({
  days: fc.constantFrom(0, 0, 1, 18, 40),
  status: fc.constantFrom('active', 'active', 'past_due', 'trialing', 'unpaid', 'paused'),
  quantity: fc.integer({ min: 1, max: 3 }),
  cancelAtPeriodEnd: fc.boolean(),
});
const life = fc.record({
  startedDaysAgo: fc.integer({ min: 1, max: 300 }),
  currency: fc.constantFrom('usd', 'usd', 'eur'),
  hasTrial: fc.boolean(),
  startsIncomplete: fc.boolean(),
  happenings: fc.array(happening, { maxLength: 5 }),
  /** Whether it ends, and how many days before its event. */
  endsBefore: fc.option(fc.constantFrom(0, 0, 20)),
});
const history = fc.record({
  lives: fc.array(life, { minLength: 3, maxLength: 6 }),
  order: fc.infiniteStream(fc.nat()),
});
type Life = typeof life extends fc.Arbitrary<infer Value> ? Value : never;

/** An event of the history, to be sent to any project. */
interface HistoryEvent {
  readonly type: string;
  readonly created: number;
  readonly object: Readonly<Record<string, unknown>> & { readonly id: string };
}

it('equals for a history sent one by one, at once, shuffled with repeats, and backwards', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ lives, order }) => {
      const now = Math.floor(Date.now() / 1_000);
      const all = lives.flatMap((one, index) => eventsOf(one, index, now));
      const chronological = all.toSorted((one, other) => one.created - other.created);
      const shuffled = [...all, ...all.slice(0, 4)]
        .map(event => ({ event, by: order.next().value ?? 0 }))
        .toSorted((one, other) => one.by - other.by)
        .map(({ event }) => event);
      const first = await newTenant();
      const projects = [
        first,
        await newSiblingProject(first),
        await newSiblingProject(first),
        await newSiblingProject(first),
      ];
      const [oneByOne, atOnce, disordered, backwards] = await Promise.all(projects.map(newSender));
      if (!oneByOne || !atOnce || !disordered || !backwards) throw new Error('A project is missing.');

      await atOnce.send(chronological);
      for (const event of chronological) await oneByOne.send([event]);
      for (let from = 0; from < shuffled.length; from += 3) await disordered.send(shuffled.slice(from, from + 3));
      // The system is at rest in the middle, as after an outage.
      const newer = chronological.slice(Math.floor(chronological.length / 2)).toReversed();
      await backwards.send(newer);
      await drain(first);
      await backwards.send(chronological.filter(event => !newer.includes(event)).toReversed());
      await drain(first);
      for (const other of [atOnce, disordered, backwards]) {
        const pair = () => Promise.all([other.figures(), oneByOne.figures()]);
        // Analytics consumes the last subscriptions a moment after their webhook events are completed.
        await waitFor(async () => JSON.stringify((await pair())[0]) === JSON.stringify((await pair())[1]), {
          what: 'the figures to be equal',
          timeoutMs: 20_000,
        }).catch(() => undefined);
        const [figures, expected] = await pair();
        expect(figures).toEqual(expected);
      }
    }),
    { numRuns: runs(4), endOnFailure: true },
  );
}, 300_000);

/** Sends a history to a project, and returns what it shows then. */
async function newSender(tenant: Tenant) {
  const { projectId, teamId, api, P, billing } = tenant;
  const customer = (await billing.customers.get(await newCustomer(tenant))).processorCustomerId;
  return {
    send: (events: readonly HistoryEvent[]) =>
      Promise.all(
        events.map(({ type, created, object }) => {
          const id = `${object.id}_${projectId}`;
          const event = newSignedEvent(
            type,
            { ...object, id, customer, metadata: { projectId, teamId } },
            { created, id: `evt_${String(object['event_number']).padStart(4, '0')}_${projectId}` },
          );
          return expect(postSigned(tenant, event)).resolves.toMatchObject({ status: 200 });
        }),
      ),
    async figures() {
      const subscriptions = (await ok(api.get(`${P}/subscriptions?activeOnly=false`))).subscriptions as {
        id: string;
        processorSubscriptionId: string;
        status: string;
      }[]; // the response has passed the operation's schema
      const names = new Map(subscriptions.map(one => [one.id, one.processorSubscriptionId.split('_')[1]]));
      const list = async (query: string) => {
        const { subscriptions: listed, total } = await ok(api.get(`${P}/analytics/subscriptions?${query}&limit=100`));
        const named = (listed as { subscriptionId: string }[]).map(({ subscriptionId, ...shown }) =>
          JSON.stringify([names.get(subscriptionId), { ...shown, customerId: undefined }]),
        );
        return [query, total, named.toSorted()];
      };
      const analytics = async (days: number) => {
        const { asOf: _asOf, ...metrics } = await ok(api.get(`${P}/analytics?growthDays=${days}`));
        return metrics;
      };
      const { asOf: _asOf, ...ofDays } = await ok(api.get(`${P}/analytics/history?days=365`));
      return {
        statuses: subscriptions.map(({ id, status }) => `${names.get(id)} ${status}`).toSorted(),
        analytics: await Promise.all(AGES.map(analytics)),
        history: ofDays,
        lists: await Promise.all(
          [...METRICS, ...FALLS].flatMap(metric => AGES.map(days => list(`metric=${metric}&growthDays=${days}`))),
        ),
      };
    },
  };
}

/** The events of a subscription, which ends at the latest now. */
function eventsOf(
  { startedDaysAgo, currency, hasTrial, startsIncomplete, happenings, endsBefore }: Life,
  index: number,
  now: number,
): HistoryEvent[] {
  const startedAt = now - startedDaysAgo * DAY;
  const trialEnd = hasTrial ? startedAt + 14 * DAY : null;
  const shown = { status: startsIncomplete ? 'incomplete' : hasTrial ? 'trialing' : 'active', quantity: 1 };
  let created = startedAt;
  const events: HistoryEvent[] = [];
  const add = (type: string, changes: object) => {
    Object.assign(shown, changes);
    const number = index * 10 + events.length;
    const object = { ...subscriptionObject({ index, startedAt, currency, trialEnd }, shown), event_number: number };
    events.push({ type: `customer.subscription.${type}`, created, object });
  };
  add('created', {});
  for (const { days, cancelAtPeriodEnd, ...changes } of happenings) {
    created = Math.min(created + days * DAY, now);
    add('updated', { ...changes, cancel_at_period_end: cancelAtPeriodEnd });
  }
  if (endsBefore !== null) {
    created = Math.min(created + 30 * DAY, now);
    add('deleted', { status: 'canceled', ended_at: Math.max(startedAt, created - endsBefore * DAY) });
  }
  return events;
}

interface Fixed {
  readonly index: number;
  readonly startedAt: number;
  readonly currency: string;
  readonly trialEnd: number | null;
}

function subscriptionObject(
  { index, startedAt, currency, trialEnd }: Fixed,
  { quantity, ...changes }: { status: string; quantity: number },
) {
  const price = {
    id: `price_${currency}`,
    object: 'price',
    product: 'prod_sent',
    active: true,
    type: 'recurring',
    currency,
    billing_scheme: 'per_unit',
    unit_amount: 1_000,
    unit_amount_decimal: '1000',
    recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed' },
    metadata: {},
    created: startedAt,
  };
  const period = { current_period_start: startedAt, current_period_end: startedAt + 30 * DAY };
  return {
    id: `sub_${index}`,
    object: 'subscription',
    cancel_at_period_end: false,
    cancel_at: null,
    canceled_at: null,
    ended_at: null,
    currency,
    pause_collection: null,
    items: { object: 'list', data: [{ id: `si_${index}`, object: 'subscription_item', price, quantity, ...period }] },
    start_date: startedAt,
    trial_end: trialEnd,
    default_payment_method: null,
    created: startedAt,
    ...changes,
  };
}
