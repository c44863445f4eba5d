import { signatureOf } from '@billing/testing/signed-webhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tenant } from '../../system/tenant.ts';
import { expectInvariants } from '../invariants/expect-invariants.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { forEachConcurrently, redeliver } from '../system/sender.ts';
import type { SentEvent } from '../system/sent-requests.ts';
import { holdDeliveries, monthsOfPayments, RECONCILER_OFF } from './history.ts';
import { post, postSigned, type WebhookResponse } from './post-webhook.ts';

const random = seededRandom('duplicate deliveries');
let system: FaultySystem;
/** The second gateway calls the second webhooks instance. */
let gatewayUrls: readonly [string, string];
beforeAll(async () => {
  system = await startFaultySystem({
    instances: { gateway: 2, webhooks: 2 },
    env: { webhooks: RECONCILER_OFF },
  });
  gatewayUrls = [system.gatewayUrl, system.urlOf('gateway-2')];
});
afterAll(() => system?.[Symbol.asyncDispose]());

const newTenant = async () => holdDeliveries(await system.newTenant());

/** Counts, for each event, the responses that did not report a duplicate. */
function countFirstDeliveries() {
  const counts = new Map<string, number>();
  return {
    counts,
    record: ({ id }: SentEvent, { status, body }: WebhookResponse) => {
      const isFirst = status === 200 && body?.duplicate === undefined;
      counts.set(id, (counts.get(id) ?? 0) + Number(isFirst));
    },
  };
}

it('counts an event once when it is delivered up to five times to either path', async context => {
  const tenant = await newTenant();
  const events = await monthsOfPayments(tenant, 250);
  const first = countFirstDeliveries();
  const copies = events.flatMap(event => Array.from({ length: random.between(1, 5) }, () => event));
  await forEachConcurrently(random.shuffled(copies), async event => {
    const path = random.pick(['processor', 'stripe'] as const);
    const response = await postSigned(event, [tenant.webhookSecret], tenant, {
      gatewayUrl: random.pick(gatewayUrls),
      path,
    });
    first.record(event, response);
  });
  expect(events.flatMap(({ statuses }) => statuses).filter(status => status !== 200)).toEqual([]);
  expect([...first.counts.values()].filter(count => count !== 1)).toEqual([]);
  await expectInvariants(context, tenant, events);
});

describe('an event delivered at the same moment by two endpoints with different secrets', () => {
  /** Posts to both instances at once: to the current path with one secret, to the older path with the other. */
  async function deliverTwice(tenant: Tenant, event: SentEvent, secrets: readonly [string, string]) {
    const [firstUrl, secondUrl] = gatewayUrls;
    return Promise.all([
      postSigned(event, [secrets[0]], tenant, { gatewayUrl: firstUrl }),
      postSigned(event, [secrets[1]], tenant, { gatewayUrl: secondUrl, path: 'stripe' }),
    ]);
  }

  async function connectSecondSecret(tenant: Tenant): Promise<readonly [string, string]> {
    const another = `whsec_${crypto.randomUUID()}`;
    await tenant.connectWith(another);
    return [tenant.webhookSecret, another];
  }

  it('is acknowledged to both and has one effect', async context => {
    const tenant = await newTenant();
    const events = await monthsOfPayments(tenant, 300);
    const secrets = await connectSecondSecret(tenant);
    const first = countFirstDeliveries();
    const pair = async (event: SentEvent) => {
      for (const response of await deliverTwice(tenant, event, secrets)) first.record(event, response);
    };
    await forEachConcurrently(events, pair, 4);
    expect(events.flatMap(({ statuses }) => statuses).filter(status => status !== 200)).toEqual([]);
    expect([...first.counts.values()].filter(count => count !== 1)).toEqual([]);
    await expectInvariants(context, tenant, events);
  });

  it('has one effect when one of two instances is killed in between', async context => {
    const tenant = await newTenant();
    const events = await monthsOfPayments(tenant, 150);
    const secrets = await connectSecondSecret(tenant);
    const killAt = random.between(20, 100);
    let replaced: Promise<void> | undefined;
    await forEachConcurrently(
      [...events.entries()],
      async ([index, event]) => {
        if (index === killAt) replaced = system.killAndReplace('webhooks-2');
        await deliverTwice(tenant, event, secrets);
      },
      4,
    );
    await replaced;
    await redeliver(system.gatewayUrl, tenant, events);
    await expectInvariants(context, tenant, events);
  });
});

it('accepts the current and the previous signing secret while secrets are rolled', async context => {
  const ROTATIONS = 5;
  const tenant = await newTenant();
  const events = await monthsOfPayments(tenant, 200);
  let [current, before] = [tenant.webhookSecret, tenant.webhookSecret];
  const send = async (event: SentEvent) => {
    const secrets = random.pick([[current], [before], [current, before], [before, current]]);
    await postSigned(event, secrets, tenant, { gatewayUrl: random.pick(gatewayUrls) });
  };
  const rotate = async () => {
    const next = `whsec_${crypto.randomUUID()}`;
    await tenant.connectWith(next);
    // Sign only with secrets whose connection was confirmed.
    [current, before] = [next, current];
  };
  const share = Math.ceil(events.length / (ROTATIONS + 1));
  for (let start = 0; start < events.length; start += share)
    await Promise.all([
      forEachConcurrently(events.slice(start, start + share), send, 8),
      start > 0 ? rotate() : undefined,
    ]);

  expect(events.flatMap(({ statuses }) => statuses).filter(status => status !== 200)).toEqual([]);
  const body = events[0]?.body ?? '';
  const forged = await post(body, {
    gatewayUrl: gatewayUrls[1],
    teamId: tenant.teamId,
    signature: signatureOf(body, ['whsec_unknown']),
  });
  expect(forged).toMatchObject({ status: 400, body: { error: { code: 'invalid_signature' } } });
  await expectInvariants(context, tenant, events);
});
