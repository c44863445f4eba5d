import { expect, it } from 'vitest';
import { startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { expectInvariantsUnderLoad } from '../system/under-load.ts';
import { newGivenFeature } from '../../system/given-feature.ts';
import { newCustomer, newMonthlyPrice, type Tenant } from '../../system/tenant.ts';

const KILLED = ['webhooks', 'subscriptions', 'nats', 'postgres'];

it('loses and duplicates nothing when parts are killed under load, and never shows a state without its entitlements', async context => {
  const random = seededRandom('short fault run');
  await using system = await startFaultySystem();
  await expectInvariantsUnderLoad(context, { system, random, eventsPerSecond: 20 }, async (_load, tenant) => {
    const reads = await startStateReads(tenant);
    for (const part of random.shuffled(KILLED))
      await system.killAndReplace(part, part === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
    const seen = await reads.stop();
    expect([...seen].filter(one => one !== '503' && one !== 'no response').toSorted()).toEqual(['200 7']);
    expect(seen).toContain('503');
  });
});

/** Reads the state of a customer who has a grant, one time after another, until it is stopped. */
async function startStateReads(tenant: Tenant) {
  const { gatewayUrl, P, secret } = tenant;
  const customerId = await newCustomer(tenant);
  const { featureKey } = await newGivenFeature(tenant, { ...(await newMonthlyPrice(tenant)), customerId });
  const stopping = new AbortController();
  const seen = new Set<string>();
  const read = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${secret}` };
    const response = await fetch(`${gatewayUrl}${P}/customers/${customerId}/state`, { headers });
    if (response.status !== 200) return String(response.status);
    const { state } = await response.json();
    return `200 ${state.entitlements[featureKey]?.value}`;
  };
  const readOn = async () => {
    while (!stopping.signal.aborted) seen.add(await read().catch(() => 'no response'));
  };
  const running = readOn();
  return {
    /** Returns what was seen: each status, and what a state had of the feature. */
    async stop(): Promise<ReadonlySet<string>> {
      stopping.abort();
      await running;
      return seen;
    },
  };
}
