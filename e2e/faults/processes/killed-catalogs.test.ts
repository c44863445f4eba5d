import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Tenant } from '../../system/tenant.ts';
import { CATALOG, CREATED, createdOf, exported, runCatalog } from '../../test/catalog/run-catalog.ts';
import { findingsOf } from '../../test/syncs/account.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';

/** Each has an account of its own, and applies the whole document. */
const TENANTS = 5;
/** Each comes upon all that are not finished: twenty in all at least. */
const KILLS = 5;
/** A run whose process died goes on when its lease ends. */
const LONG_MS = 600_000;

const random = seededRandom('killed catalogs');
let system: FaultySystem;
beforeAll(async () => {
  system = await startFaultySystem();
});
afterAll(() => system?.[Symbol.asyncDispose]());

it('creates each item once although services are killed at random moments and responses are lost', async () => {
  const tenants = await Promise.all(Array.from({ length: TENANTS }, () => system.newTenant()));
  await Promise.all(tenants.map(disturb));
  const runs = await Promise.all(
    tenants.map(async tenant => ({
      tenant,
      id: (await tenant.billing.catalog.apply({ catalog: CATALOG, mode: 'apply' })).id,
    })),
  );
  const all = Object.values(CREATED).reduce((sum, count) => sum + count, 0) * TENANTS;
  // Before the last ones are made.
  const moments = Array.from({ length: KILLS }, () => random.between(0, all - TENANTS));
  for (const [index, count] of moments.toSorted((a, b) => a - b).entries()) {
    await waitFor(async () => (await countCreated(tenants)) >= count, { what: `${count} items`, timeoutMs: LONG_MS });
    await system.killAndReplace(index % 2 === 0 ? 'webhooks' : 'catalog');
  }
  for (const { tenant, id } of runs) {
    const { billing, processor } = tenant;
    const isCompleted = async () => (await billing.syncs.get(id)).status === 'completed';
    await waitFor(isCompleted, { what: 'the run to complete', timeoutMs: LONG_MS });
    expect((await findingsOf(tenant, id)).filter(({ applied }) => !applied)).toEqual([]);
    await processor.clearFaults();
    expect((await runCatalog(tenant, CATALOG, { mode: 'apply' })).findings).toEqual([]);
    expect(await createdOf(tenant)).toEqual(CREATED);
    expect(JSON.parse(await exported(tenant))).toMatchObject(CATALOG);
  }
});

/** Makes the processor slow, and loses some of its responses. */
async function disturb({ processor }: Tenant): Promise<void> {
  for (let count = 0; count < 20; count += 1) {
    await processor.fail({
      mode: 'slow',
      method: 'POST',
      delayMs: random.between(50, 1_000),
      times: random.between(1, 3),
    });
    await processor.fail({
      mode: random.pick(['done-but-response-lost', '500-but-done', 'dropped']),
      method: 'POST',
      kept: false,
    });
  }
}

async function countCreated(tenants: readonly Tenant[]): Promise<number> {
  const counts = await Promise.all(tenants.map(createdOf));
  return counts.flatMap(Object.values<number>).reduce((sum, count) => sum + count, 0);
}
