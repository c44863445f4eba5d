import { randomUUID } from 'node:crypto';
import {
  CustomerCreated,
  CustomerDeleted,
  CustomerUpdated,
  type CustomerState,
} from '@billing/contracts/events/customers';
import {
  ReferralCodeCreated,
  ReferralCodeDeactivated,
  ReferralConverted,
  ReferralCreated,
  type ReferralState,
} from '@billing/contracts/events/referrals';
import {
  SubscriptionCanceled,
  SubscriptionCreated,
  SubscriptionUpdated,
  type BilledItem,
  type SubscriptionState,
} from '@billing/contracts/events/subscriptions';
import { WebhookEventChanged } from '@billing/contracts/events/webhooks';
import { CustomerId, ProjectId, ReferralId, SubscriptionId, TeamId, type ProjectScope } from '@billing/contracts/ids';
import { INTERVALS } from '@billing/contracts/resources/price';
import { SUBSCRIPTION_STATUSES } from '@billing/contracts/resources/subscription';
import { WEBHOOK_EVENT_STATUSES, type WebhookEvent } from '@billing/contracts/resources/webhook-event';
import fc from 'fast-check';
import { saidFact, type SaidFact } from './service.ts';
import type { RecordedVersion, SourceRows } from './slow-model.ts';

const DAY = 86_400_000;

/** Nows at which calendars are easily got wrong. */
const delicateNow = fc.constantFrom(
  '2026-03-31T23:59:59.999Z',
  '2026-04-01T00:00:00.000Z',
  '2028-02-29T12:00:00.000Z',
  '2028-03-01T00:00:00.001Z',
  '2026-12-31T23:30:00.000Z',
  '2027-01-01T00:00:00.000Z',
  '2026-06-15T08:09:10.111Z',
);

/** The clock's now and how far is looked back. */
export const lookback = fc.record({
  now: delicateNow.map(text => new Date(text)),
  growthDays: fc.oneof(fc.constantFrom(1, 2, 30, 31, 60, 61, 364, 365), fc.integer({ min: 1, max: 365 })),
});
export type Lookback = typeof lookback extends fc.Arbitrary<infer Value> ? Value : never;

/** Instants on, just beside and far from the edges of the window. */
function instantAround({ now, growthDays }: Lookback): fc.Arbitrary<Date> {
  const [end, start] = [now.getTime(), now.getTime() - growthDays * DAY];
  const midnight = Math.floor(start / DAY) * DAY;
  const edges = [start, start - 1, start + 1, end, end - 1, end + 1, midnight, midnight + DAY, midnight + DAY - 1];
  return fc
    .oneof(
      { weight: 2, arbitrary: fc.constant(start) },
      { weight: 2, arbitrary: fc.constantFrom(...edges) },
      { weight: 1, arbitrary: fc.integer({ min: start, max: end }) },
      { weight: 2, arbitrary: fc.integer({ min: start - 400 * DAY, max: end }) },
      { weight: 1, arbitrary: fc.integer({ min: midnight, max: midnight + DAY }) },
    )
    .map(ms => new Date(ms));
}

const LONGEST = { day: 1_095, week: 156, month: 36, year: 3 };

const billedItem: fc.Arbitrary<BilledItem> = fc
  .record({
    unitAmount: fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 0, max: 99_999 }) }, fc.constant(null)),
    currency: fc.constantFrom('usd', 'usd', 'eur', 'jpy'),
    interval: fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...INTERVALS) }, fc.constant(null)),
    share: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
    quantity: fc.oneof(fc.constant(1), fc.integer({ min: 0, max: 50 })),
    metered: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  })
  .map(({ share, ...item }) => ({
    ...item,
    processorPriceId: 'price_1',
    priceId: null,
    intervalCount: item.interval && 1 + Math.floor(share * (LONGEST[item.interval] - 1)),
  }));

type Rows = { facts: SaidFact[] } & { -readonly [Name in keyof SourceRows]?: SourceRows[Name] };

/** What a project went through, in order, and the rows it leaves at the sources. */
export interface History {
  readonly facts: readonly SaidFact[];
  readonly rows: SourceRows;
}

/** The project that histories are drawn for; `movedTo` gives each run one of its own. */
const DRAWN_FOR: ProjectScope = { teamId: TeamId.create(), projectId: ProjectId.create() };

/** Histories of everything that counts; every subject's versions rise, and only the last one shows in the rows. */
export function historyOf(around: Lookback): fc.Arbitrary<History> {
  const scope = DRAWN_FOR;
  const instant = instantAround(around);
  const occurred = instant;
  const many = (arbitrary: fc.Arbitrary<Rows>, maxLength: number) => fc.array(arbitrary, { maxLength });
  return fc
    .record({
      subscriptions: many(subscriptionHistory(scope, instant, occurred), 7),
      customers: many(customerHistory(scope, instant, occurred), 7),
      webhookEvents: many(webhookHistory(scope, instant, occurred), 4),
      referrals: many(referralHistory(scope, instant, occurred), 3),
    })
    .map(({ subscriptions, customers, webhookEvents, referrals }) => {
      const all = [...subscriptions, ...customers, ...webhookEvents, ...referrals];
      return {
        facts: all.flatMap(it => it.facts),
        rows: {
          subscriptions: all.flatMap(it => it.subscriptions ?? []),
          customers: all.flatMap(it => it.customers ?? []),
          webhookEvents: all.flatMap(it => it.webhookEvents ?? []),
          codes: all.reduce((sum, it) => sum + (it.codes ?? 0), 0),
          referrals: all.flatMap(it => it.referrals ?? []),
          subscriptionVersions: all.flatMap(it => it.subscriptionVersions ?? []),
        },
      };
    });
}

function subscriptionHistory(
  { teamId, projectId }: ProjectScope,
  instant: fc.Arbitrary<Date>,
  occurred: fc.Arbitrary<Date>,
): fc.Arbitrary<Rows> {
  const step = fc.record({
    status: fc.oneof(fc.constant('active' as const), fc.constantFrom(...SUBSCRIPTION_STATUSES)),
    items: fc.array(billedItem, { maxLength: 3 }),
    cancelAtPeriodEnd: fc.boolean(),
    endedAt: instant,
    occurredAt: occurred,
  });
  return fc.record({ startedAt: instant, steps: fc.array(step, { minLength: 1, maxLength: 4 }) }).map(given => {
    const { startedAt, steps } = given;
    const id = SubscriptionId.create();
    const customerId = CustomerId.create();
    const states = steps.map(({ status, items, cancelAtPeriodEnd, endedAt }, index): SubscriptionState => {
      const hasEnded = status === 'canceled' || status === 'incomplete_expired';
      return {
        id,
        projectId,
        customerId,
        processorSubscriptionId: 'sub_1',
        processorCustomerId: 'cus_1',
        priceId: null,
        status,
        quantity: 1,
        cancelAtPeriodEnd,
        items,
        currentPeriodStart: startedAt,
        currentPeriodEnd: startedAt,
        trialEnd: null,
        startedAt,
        endedAt: hasEnded ? new Date(Math.max(startedAt.getTime(), endedAt.getTime())) : null,
        version: index + 1,
        createdAt: startedAt,
      };
    });
    const facts = states.map((state, index) => {
      const later = state.endedAt ? SubscriptionCanceled : SubscriptionUpdated;
      return saidFact(index === 0 ? SubscriptionCreated : later, teamId, state, steps[index]?.occurredAt);
    });
    const versions = states.map((state, index): RecordedVersion => ({
      state,
      recordedAt: steps[index]?.occurredAt ?? startedAt,
    }));
    return { facts, subscriptions: states.slice(-1), subscriptionVersions: [versions] };
  });
}

function customerHistory(
  { teamId, projectId }: ProjectScope,
  instant: fc.Arbitrary<Date>,
  occurred: fc.Arbitrary<Date>,
): fc.Arbitrary<Rows> {
  const shape = { createdAt: instant, deletedAt: fc.option(instant), updates: fc.nat(2), occurredAt: occurred };
  return fc.record(shape).map(({ createdAt, deletedAt, updates, occurredAt }) => {
    const id = CustomerId.create();
    const last = updates + (deletedAt ? 2 : 1);
    const states = Array.from({ length: last }, (_, index): CustomerState => {
      const isDeleted = deletedAt !== null && index === last - 1;
      return {
        id,
        projectId,
        email: `${index}@example.com`,
        name: null,
        processorCustomerId: 'cus_1',
        version: index + 1,
        createdAt,
        deletedAt: isDeleted ? new Date(Math.max(createdAt.getTime(), deletedAt.getTime())) : null,
      };
    });
    const facts = states.map((state, index) => {
      const later = state.deletedAt ? CustomerDeleted : CustomerUpdated;
      return saidFact(index === 0 ? CustomerCreated : later, teamId, state, occurredAt);
    });
    return { facts, customers: states.slice(-1) };
  });
}

let events = 0;

function webhookHistory(
  { teamId, projectId }: ProjectScope,
  instant: fc.Arbitrary<Date>,
  occurred: fc.Arbitrary<Date>,
): fc.Arbitrary<Rows> {
  const step = fc.record({
    status: fc.constantFrom(...WEBHOOK_EVENT_STATUSES),
    isRouted: fc.boolean(),
    occurredAt: occurred,
  });
  return fc.record({ receivedAt: instant, steps: fc.array(step, { minLength: 1, maxLength: 4 }) }).map(given => {
    const id = `evt_${(events += 1)}`;
    const states = given.steps.map(({ status, isRouted }): WebhookEvent => ({
      id,
      teamId,
      projectId: isRouted ? projectId : null,
      type: 'invoice.paid',
      apiVersion: null,
      livemode: false,
      objectId: 'in_1',
      status,
      routedBy: isRouted ? 'known-id' : null,
      attempts: 1,
      error: null,
      processorCreatedAt: given.receivedAt,
      receivedAt: given.receivedAt,
      processedAt: null,
      recovered: false,
    }));
    const facts = states.map((state, index) =>
      saidFact(
        WebhookEventChanged,
        teamId,
        { webhookEvents: [{ ...state, version: index + 1 }] },
        given.steps[index]?.occurredAt,
      ),
    );
    return { facts, webhookEvents: states.slice(-1).filter(it => it.projectId !== null) };
  });
}

let codes = 0;

function referralHistory(
  { teamId, projectId }: ProjectScope,
  instant: fc.Arbitrary<Date>,
  occurred: fc.Arbitrary<Date>,
): fc.Arbitrary<Rows> {
  const shape = { createdAt: instant, isDeactivated: fc.boolean(), uses: fc.array(fc.boolean(), { maxLength: 3 }) };
  return fc.record({ ...shape, occurredAt: occurred }).map(({ createdAt, isDeactivated, uses, occurredAt }) => {
    const code = `CODE${String((codes += 1)).padStart(4, '0')}`;
    const customerId = CustomerId.create();
    const state = { code, customerId, projectId, isActive: true, createdAt, version: 1 };
    const referrals = uses.map((isConverted): ReferralState => ({
      id: ReferralId.create(),
      projectId,
      code,
      referrerCustomerId: customerId,
      refereeCustomerId: CustomerId.create(),
      status: isConverted ? 'converted' : 'pending',
      createdAt,
      convertedAt: isConverted ? createdAt : null,
    }));
    const facts = [
      saidFact(ReferralCodeCreated, teamId, state, occurredAt),
      ...(isDeactivated
        ? [saidFact(ReferralCodeDeactivated, teamId, { ...state, isActive: false, version: 2 }, occurredAt)]
        : []),
      ...referrals.flatMap(it => [
        saidFact(ReferralCreated, teamId, { ...it, status: 'pending', convertedAt: null }, occurredAt),
        ...(it.status === 'converted' ? [saidFact(ReferralConverted, teamId, it, occurredAt)] : []),
      ]),
    ];
    return { facts, codes: 1, referrals };
  });
}

/** The facts in any order, some of them again: delivered twice, or recorded anew with the same state. */
export function disordered(facts: readonly SaidFact[]): fc.Arbitrary<SaidFact[]> {
  if (facts.length === 0) return fc.constant([]);
  const repeats = fc.array(fc.record({ index: fc.nat(facts.length - 1), isRecordedAnew: fc.boolean() }), {
    maxLength: 10,
  });
  return repeats.chain(again => {
    const extra = again.flatMap(({ index, isRecordedAnew }) => {
      const fact = facts[index];
      return fact ? [isRecordedAnew ? { ...fact, id: randomUUID() } : fact] : [];
    });
    const all = [...facts, ...extra];
    return fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length });
  });
}

/** The same facts about another project, each as if recorded for the first time; repeats stay repeats. */
export function movedTo({ teamId, projectId }: ProjectScope, facts: readonly SaidFact[]): SaidFact[] {
  const ids = new Map<string, string>();
  return facts.map(fact => {
    const id = ids.get(fact.id) ?? randomUUID();
    ids.set(fact.id, id);
    const text = JSON.stringify(fact.data);
    const data: unknown = JSON.parse(
      text.replaceAll(DRAWN_FOR.projectId, projectId).replaceAll(DRAWN_FOR.teamId, teamId),
    );
    return { ...fact, id, teamId, data };
  });
}
