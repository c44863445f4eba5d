import type { Subscription } from '@billing/client';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { drain } from '../../system/drain.ts';
import { mapConcurrently } from '../../system/map-concurrently.ts';
import { newMonthlyPrice, newSubscription, type Tenant } from '../../system/tenant.ts';
import { findDuplicates, findProcessorDuplicates } from '../invariants/duplicates.ts';
import { expectBilledOnce, expectScheduledOnce } from '../invariants/migrated-prices.ts';
import { readSnapshot } from '../invariants/snapshot.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';

const SUBSCRIPTIONS = 200;
/** How many of them are set to cancel before, end meanwhile, are set to cancel meanwhile, or are written to at the processor. */
const OF_A_KIND = 12;
const KILLS = 3;
/** Generous, because all periods end at once. */
const DRAIN_MS = 300_000;

const random = seededRandom('killed price migrations');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem({ env: { subscriptions: { PRICE_MIGRATION_REQUESTS_PER_SECOND: '100' } } });
});
afterAll(() => system?.[Symbol.asyncDispose]());

it('moves each subscription once although its service is killed at random moments, beside cancellations and webhooks', async () => {
  const tenant = await system.newTenant();
  const { billing, processor } = tenant;
  const { productId, priceId } = await newMonthlyPrice(tenant);
  const from = await billing.prices.get(priceId);
  const to = await billing.prices.create({ productId, unitAmount: 3_999, currency: 'usd', interval: 'month' });
  const all = await mapConcurrently(Array.from({ length: SUBSCRIPTIONS }), () => newSubscription(tenant, priceId));
  const shuffled = random.shuffled(all);
  const [leaving, ended, left, written] = [0, 1, 2, 3].map(kind =>
    shuffled.slice(kind * OF_A_KIND, (kind + 1) * OF_A_KIND),
  ) as [Subscription[], Subscription[], Subscription[], Subscription[]]; // one of each kind
  await mapConcurrently(leaving, ({ id }) => billing.subscriptions.cancelAtPeriodEnd(id));
  await drain(tenant, DRAIN_MS);

  await processor.setDeliveryRules({ copies: 2, shuffle: { seed: random.seed, windowMs: 1_000 } });
  const { id } = await billing.priceMigrations.create({ fromPriceId: priceId, toPriceId: to.id, mode: 'apply' });
  const others = random.shuffled([
    ...ended.map(one => () => billing.subscriptions.cancelNow(one.id)),
    ...left.map(one => () => billing.subscriptions.cancelAtPeriodEnd(one.id)),
    ...written.map(one => () => writeAtProcessor(tenant, one)),
  ]);
  const writing = writeMeanwhile(tenant, id, others);
  const moments = Array.from({ length: KILLS }, () => random.between(0, SUBSCRIPTIONS - 4 * OF_A_KIND));
  for (const count of moments.toSorted((a, b) => a - b)) {
    await untilDone(tenant, id, count);
    await system.killAndReplace('subscriptions');
  }
  await writing;
  await untilDone(tenant, id, Infinity);
  await drain(tenant, DRAIN_MS);

  const canceled = [...leaving, ...ended, ...left];
  const moving = all.filter(one => !canceled.includes(one));
  const wanted = { id, from, to, moving, canceled };
  await expectScheduledOnce(tenant, wanted);

  await processor.setDeliveryRules({ copies: 1, shuffle: null });
  const { now } = await processor.clock();
  const periodsEnd = Math.max(...all.map(one => Date.parse(one.currentPeriodEnd) / 1_000));
  await processor.advanceClock(periodsEnd - now + 1);
  await system.killAndReplace('subscriptions');
  await drain(tenant, DRAIN_MS);
  const mrr = async () => (await billing.analytics.get()).mrr;
  await waitFor(async () => (await mrr()) === moving.length * 3_999, { what: 'the revenue' });
  await expectBilledOnce(tenant, wanted);
  const snapshot = await readSnapshot(tenant);
  expect([...findDuplicates(snapshot), ...(await findProcessorDuplicates(tenant, snapshot))]).toEqual([]);
});

/** Waits until a migration has scheduled `count` changes, or has completed. */
async function untilDone({ billing }: Tenant, id: string, count: number): Promise<void> {
  const isDone = async () => {
    const { status, counts } = await billing.priceMigrations.get(id);
    return status === 'completed' || counts.scheduled >= count;
  };
  await waitFor(isDone, { what: `${count} changes`, timeoutMs: 300_000, intervalMs: 50 });
}

/** Does `writes` one after another, spread over the changes of a migration. */
async function writeMeanwhile(tenant: Tenant, id: string, writes: readonly (() => Promise<unknown>)[]): Promise<void> {
  const everyOther = (SUBSCRIPTIONS - 4 * OF_A_KIND) / writes.length;
  for (const [index, write] of writes.entries()) {
    await untilDone(tenant, id, index * everyOther);
    // A change that a killed process has left open is finished first, once its lease has ended.
    await waitFor(write, { what: 'the write', timeoutMs: 300_000, intervalMs: 200 });
  }
}

/** Writes to a subscription as the team's own systems do; its event arrives beside those of the migration. */
const writeAtProcessor = ({ callProcessor }: Tenant, { processorSubscriptionId }: Subscription): Promise<unknown> =>
  callProcessor(`/v1/subscriptions/${processorSubscriptionId}`, { 'metadata[note]': random.pick(['a', 'b', 'c']) });
