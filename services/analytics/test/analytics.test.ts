import { CustomerCreated, CustomerDeleted } from '@billing/contracts/events/customers';
import { SubscriptionCreated, SubscriptionUpdated } from '@billing/contracts/events/subscriptions';
import { WebhookEventChanged, type WebhookEventState } from '@billing/contracts/events/webhooks';
import type { ProjectScope } from '@billing/contracts/ids';
import { FindProject } from '@billing/contracts/rpc/calls';
import { serveRpc } from '@billing/messaging/rpc';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { reactToFacts } from '../src/reactions/facts.ts';
import { newScope, saidFact, startService, type Service } from './service.ts';
import { customer, item, subscription } from './states.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');

let service: Service;
beforeAll(async () => (service = await startService()));
afterAll(async () => service[Symbol.asyncDispose]());
beforeEach(() => service.setClock(NOW));

it('tells a project of which nothing was heard that there is nothing, in the currency the gateway names', async () => {
  const scope = newScope();
  let asked = 0;
  const stop = serveRpc({ ...service.bus, logger: service.logger }, FindProject, async ({ teamId, projectId }) => {
    asked += 1;
    return { id: projectId, teamId, name: 'Shop', baseCurrency: 'eur', createdAt: NOW };
  });
  const figures = await service.analytics(scope);
  expect(figures).toMatchObject({
    mrr: 0,
    mrrTrialing: 0,
    mrrByCurrency: { eur: 0 },
    customerCount: 0,
    churnRate: 0,
    webhookStats: { total: 0, processed: 0, failed: 0 },
    referralStats: { totalCodes: 0, totalReferrals: 0, converted: 0 },
    asOf: null,
  });
  expect(figures.subscriptionBreakdown).toEqual({
    active: 0,
    trialing: 0,
    past_due: 0,
    canceled: 0,
    unpaid: 0,
    incomplete: 0,
    incomplete_expired: 0,
    paused: 0,
  });
  expect(figures.customerGrowth).toHaveLength(31);
  expect(figures.customerGrowth[0]).toEqual({ date: '2026-10-21', count: 0 });
  expect(figures.customerGrowth.at(-1)).toEqual({ date: '2026-11-20', count: 0 });
  await service.analytics(scope);
  expect(asked).toBe(1);
  await stop();
});

it('falls back to usd for a project that nobody knows, and waits for a gateway that does not answer', async () => {
  const scope = newScope();
  await expect(service.analytics(scope)).rejects.toThrow(/^503 /);
  const stop = serveRpc({ ...service.bus, logger: service.logger }, FindProject, async () => null);
  expect((await service.analytics(scope)).mrrByCurrency).toEqual({ usd: 0 });
  await stop();
});

it('keeps the figures of projects and teams apart', async () => {
  const [mine, other] = [newScope(), newScope()];
  const stop = serveRpc({ ...service.bus, logger: service.logger }, FindProject, async () => null);
  await service.hear([saidFact(CustomerCreated, mine.teamId, customer(mine))]);
  expect((await service.analytics(mine)).customerCount).toBe(1);
  expect((await service.analytics(other)).customerCount).toBe(0);
  expect((await service.analytics({ ...mine, projectId: other.projectId })).customerCount).toBe(0);
  expect((await service.analytics({ ...mine, teamId: other.teamId })).customerCount).toBe(0);
  await stop();
});

it('moves a webhook event along when it is routed to another project', async () => {
  const first = newScope();
  const second = { ...newScope(), teamId: first.teamId };
  const stop = serveRpc({ ...service.bus, logger: service.logger }, FindProject, async () => null);
  const event = (projectId: ProjectScope['projectId'] | null, status: 'failed' | 'processed', version: number) =>
    saidFact(WebhookEventChanged, first.teamId, {
      webhookEvents: [webhookEvent('evt_1', { ...first, projectId }, { status, version })],
    });
  await service.hear([event(first.projectId, 'failed', 2), event(null, 'failed', 1)]);
  expect((await service.analytics(first)).webhookStats).toEqual({ total: 1, processed: 0, failed: 1 });
  await service.hear([event(second.projectId, 'processed', 3)]);
  expect((await service.analytics(first)).webhookStats).toEqual({ total: 0, processed: 0, failed: 0 });
  expect((await service.analytics(second)).webhookStats).toEqual({ total: 1, processed: 1, failed: 0 });
  await stop();
});

it('counts every webhook event that one fact tells of, for the project of each', async () => {
  const first = newScope();
  const second = { ...newScope(), teamId: first.teamId };
  const stop = serveRpc({ ...service.bus, logger: service.logger }, FindProject, async () => null);
  const told = (version: number, status: 'received' | 'processed') =>
    saidFact(WebhookEventChanged, first.teamId, {
      webhookEvents: [
        webhookEvent('evt_a', first, { status, version }),
        webhookEvent('evt_b', second, { status, version }),
        webhookEvent('evt_c', first, { status: 'failed', version }),
      ],
    });
  const [before, after] = [told(1, 'received'), told(2, 'processed')];
  await service.hear([after, before, after]);
  expect((await service.analytics(first)).webhookStats).toEqual({ total: 2, processed: 1, failed: 1 });
  expect((await service.analytics(second)).webhookStats).toEqual({ total: 1, processed: 1, failed: 0 });
  await stop();
});

it('lets two copies of the service work on one project at once and loses nothing', async () => {
  const scope = newScope();
  const stop = serveRpc({ ...service.bus, logger: service.logger }, FindProject, async () => null);
  const copy = reactToFacts(service.database.em, service.logger);
  const states = Array.from({ length: 40 }, () => subscription(scope));
  const facts = states.flatMap(state => [
    saidFact(SubscriptionCreated, scope.teamId, state),
    saidFact(SubscriptionUpdated, scope.teamId, { ...state, status: 'past_due', version: 2 }),
  ]);
  const [verdicts] = await Promise.all([
    Promise.all(facts.toReversed().map(fact => copy.receive({ ...fact }, 1))),
    service.hear(facts),
  ]);
  expect(verdicts.every(({ kind }) => kind === 'done')).toBe(true);
  const figures = await service.analytics(scope);
  expect(figures).toMatchObject({ mrr: 0, subscriptionBreakdown: { active: 0, past_due: 40 } });
  await stop();
});

it('keeps revenue of sizes that no number can tell from failing the answer', async () => {
  const scope = newScope();
  const stop = serveRpc({ ...service.bus, logger: service.logger }, FindProject, async () => null);
  const huge = { ...item, unitAmount: 99_999_999, quantity: 999_999, interval: 'day' as const };
  const facts = [1, 2, 3, 4].map(() =>
    saidFact(SubscriptionCreated, scope.teamId, { ...subscription(scope), items: [huge] }),
  );
  await service.hear(facts);
  expect((await service.analytics(scope)).mrr).toBe(Number.MAX_SAFE_INTEGER);
  await stop();
});

it('counts a deleted customer until its deletion, though the news of it come first', async () => {
  const scope = newScope();
  const stop = serveRpc({ ...service.bus, logger: service.logger }, FindProject, async () => null);
  const state = { ...customer(scope), createdAt: new Date('2026-11-17T23:59:59.999Z') };
  await service.hear([
    saidFact(CustomerDeleted, scope.teamId, { ...state, deletedAt: new Date('2026-11-19T00:00:00Z'), version: 2 }),
    saidFact(CustomerCreated, scope.teamId, state),
  ]);
  const { customerGrowth, customerCount } = await service.analytics(scope, 4);
  expect(customerCount).toBe(0);
  expect(customerGrowth).toEqual([
    { date: '2026-11-16', count: 0 },
    { date: '2026-11-17', count: 1 },
    { date: '2026-11-18', count: 1 },
    { date: '2026-11-19', count: 0 },
    { date: '2026-11-20', count: 0 },
  ]);
  await stop();
});

it.each([
  // Began exactly at the start of the window: live then. Began a moment later: not.
  ['2026-10-21T12:00:00.000Z', '2026-11-01T00:00:00.000Z', 50],
  ['2026-10-21T12:00:00.001Z', '2026-11-01T00:00:00.000Z', 0],
  // Ended exactly at the start: not live then. A moment later: lost.
  ['2026-01-01T00:00:00.000Z', '2026-10-21T12:00:00.000Z', 0],
  ['2026-01-01T00:00:00.000Z', '2026-10-21T12:00:00.001Z', 50],
  // The window is open at its end.
  ['2026-01-01T00:00:00.000Z', '2026-11-20T11:59:59.999Z', 50],
  ['2026-01-01T00:00:00.000Z', '2026-11-20T12:00:00.000Z', 0],
])('tells the churn to the millisecond: one that lives on, one from %s to %s', async (began, ended, expected) => {
  const scope = newScope();
  const stop = serveRpc({ ...service.bus, logger: service.logger }, FindProject, async () => null);
  const living = { ...subscription(scope), startedAt: new Date('2025-06-01T00:00:00Z') };
  const lost = { ...subscription(scope), status: 'canceled' as const };
  await service.hear([
    saidFact(SubscriptionCreated, scope.teamId, living),
    saidFact(SubscriptionCreated, scope.teamId, { ...lost, startedAt: new Date(began), endedAt: new Date(ended) }),
  ]);
  expect((await service.analytics(scope, 30)).churnRate).toBe(expected);
  await stop();
});

it('tells revenue, what moved it, and customers by UTC day, over a leap day and the end of a month', async () => {
  service.setClock(new Date('2028-03-01T00:00:00.000Z'));
  const scope = newScope();
  const stop = serveRpc({ ...service.bus, logger: service.logger }, FindProject, async () => null);
  const at = (instant: string) => new Date(instant);
  const begun = { ...subscription(scope), startedAt: at('2028-02-27T23:59:59.999Z') };
  // 100 a year is 8 1/3 a month, which no day's revenue may lose.
  const yearly = { ...item, unitAmount: 100, interval: 'year' as const };
  const small = [1, 2, 3].map(() => ({
    ...subscription(scope),
    startedAt: at('2028-02-28T00:00:00Z'),
    items: [yearly],
  }));
  const euros = {
    ...subscription(scope),
    startedAt: at('2028-02-28T00:00:00Z'),
    items: [{ ...item, currency: 'eur' }],
  };
  const doubled = { ...begun, items: [{ ...item, quantity: 2 }], version: 2 };
  const ended = { ...doubled, status: 'canceled' as const, endedAt: at('2028-02-29T23:59:59.999Z'), version: 3 };
  await service.hear([
    saidFact(SubscriptionUpdated, scope.teamId, ended, at('2028-03-01T00:00:00Z')),
    ...[...small, euros].map(state => saidFact(SubscriptionCreated, scope.teamId, state, at('2028-03-01T00:00:00Z'))),
    saidFact(SubscriptionCreated, scope.teamId, begun, at('2028-02-28T00:00:00Z')),
    saidFact(SubscriptionUpdated, scope.teamId, doubled, at('2028-02-28T12:00:00Z')),
    saidFact(CustomerCreated, scope.teamId, { ...customer(scope), createdAt: at('2028-02-29T00:00:00Z') }),
  ]);
  const still = { newMrr: 0, expansionMrr: 0, contractionMrr: 0, churnedMrr: 0 };
  const { history, currency } = await service.history(scope, 5);
  expect(currency).toBe('usd');
  expect(history).toEqual([
    { date: '2028-02-26', mrr: 0, customerCount: 0, ...still },
    { date: '2028-02-27', mrr: 2_999, customerCount: 0, ...still, newMrr: 2_999 },
    { date: '2028-02-28', mrr: 6_023, customerCount: 0, ...still, newMrr: 25, expansionMrr: 2_999 },
    { date: '2028-02-29', mrr: 25, customerCount: 1, ...still, churnedMrr: 5_998 },
    { date: '2028-03-01', mrr: 25, customerCount: 1, ...still },
  ]);
  expect((await service.analytics(scope)).mrr).toBe(25);
  expect((await service.history(scope)).history).toHaveLength(30);
  await stop();
});

it.each(['0', '366', '-1', '1.5', 'x', '', '1e2'])('refuses to look back %j days and names the field', async days => {
  const scope = newScope();
  const response = await service.app.inject({
    url: `/api/service/teams/${scope.teamId}/projects/${scope.projectId}/analytics`,
    query: { growthDays: days },
    headers: service.identity.asKey(scope),
  });
  expect(response.statusCode).toBe(400);
  expect(response.json()).toMatchObject({
    error: { code: 'validation_error', details: { fields: [{ path: 'growthDays' }] } },
  });
});

it('answers only who may read the analytics of this project', async () => {
  const [scope, other] = [newScope(), newScope()];
  const url = `/api/service/teams/${scope.teamId}/projects/${scope.projectId}/analytics`;
  const ask = async (headers: Record<string, string>) => (await service.app.inject({ url, headers })).statusCode;
  const { asKey, asUser, anonymous } = service.identity;
  expect(await ask({})).toBe(401);
  expect(await ask(anonymous())).toBe(403);
  expect(await ask(asKey(other))).toBe(403);
  expect(await ask(asUser(other))).toBe(403);
  expect(await ask(asKey({ ...scope, scopes: ['customers:read'] }))).toBe(403);
});

it('has migrations that lead to what the entities say', async () => {
  expect(await service.database.schema.getUpdateSchemaSQL()).toBe('');
});

function webhookEvent(
  id: string,
  { teamId, projectId }: Pick<ProjectScope, 'teamId'> & { projectId: ProjectScope['projectId'] | null },
  { status, version }: Pick<WebhookEventState, 'status' | 'version'>,
): WebhookEventState {
  return {
    id,
    teamId,
    projectId,
    type: 'invoice.paid',
    apiVersion: null,
    livemode: false,
    objectId: null,
    status,
    routedBy: null,
    attempts: version,
    error: null,
    processorCreatedAt: NOW,
    receivedAt: NOW,
    processedAt: null,
    recovered: false,
    version,
  };
}
