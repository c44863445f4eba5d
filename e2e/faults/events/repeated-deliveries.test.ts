import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tenant } from '../../system/tenant.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';
import { seededRandom } from '../system/random.ts';
import { eachOf, redeliver } from '../system/sender.ts';
import type { SentEvent } from '../system/sent.ts';
import { holdDeliveries, monthsOfPayments, WITHOUT_HEALING } from './history.ts';
import { expectPromisesKept } from './kept-promises.ts';
import { post, postSigned, sign, type Received } from './posting.ts';

const random = seededRandom('repeated deliveries');
let system: FaultySystem;
/** The second gateway asks the second webhooks service. */
let gatewayUrls: readonly [string, string];
beforeAll(async () => {
  system = await startFaultySystem({
    copies: { gateway: 2, webhooks: 2 },
    env: { webhooks: WITHOUT_HEALING },
  });
  gatewayUrls = [system.gatewayUrl, system.urlOf('gateway-2')];
});
afterAll(() => system?.[Symbol.asyncDispose]());

const newTenant = async () => holdDeliveries(await system.newTenant());

/** Keeps, by event, the answers that said it was new. */
function firstAnswers() {
  const counts = new Map<string, number>();
  return {
    counts,
    note: ({ id }: SentEvent, { status, body }: Received) => {
      const isFirst = status === 200 && body.duplicate === undefined;
      counts.set(id, (counts.get(id) ?? 0) + Number(isFirst));
    },
  };
}

it('counts an event once, be it sent once or five times, to either address and signed anew each time', async context => {
  const tenant = await newTenant();
  const events = await monthsOfPayments(tenant, 250);
  const first = firstAnswers();
  const copies = events.flatMap(event => Array.from({ length: random.between(1, 5) }, () => event));
  await eachOf(random.shuffled(copies), async event => {
    const path = random.pick(['processor', 'stripe'] as const);
    const answer = await postSigned(event, [tenant.webhookSecret], tenant, {
      gatewayUrl: random.pick(gatewayUrls),
      path,
    });
    first.note(event, answer);
  });
  expect(events.flatMap(({ answers }) => answers).filter(status => status !== 200)).toEqual([]);
  expect([...first.counts.values()].filter(count => count !== 1)).toEqual([]);
  await expectPromisesKept(context, tenant, events);
});

describe('an event that two endpoints with secrets of their own deliver at the same moment', () => {
  /** Posts to both copies of the service at once: at the address of now with one secret, at the older with the other. */
  async function deliverTwice(tenant: Tenant, event: SentEvent, secrets: readonly [string, string]) {
    const [here, there] = gatewayUrls;
    return Promise.all([
      postSigned(event, [secrets[0]], tenant, { gatewayUrl: here }),
      postSigned(event, [secrets[1]], tenant, { gatewayUrl: there, path: 'stripe' }),
    ]);
  }

  async function twoSecrets(tenant: Tenant): Promise<readonly [string, string]> {
    const another = `whsec_${crypto.randomUUID()}`;
    await tenant.connectWith(another);
    return [tenant.webhookSecret, another];
  }

  it('is taken by both and has one effect', async context => {
    const tenant = await newTenant();
    const events = await monthsOfPayments(tenant, 300);
    const secrets = await twoSecrets(tenant);
    const first = firstAnswers();
    const pair = async (event: SentEvent) => {
      for (const answer of await deliverTwice(tenant, event, secrets)) first.note(event, answer);
    };
    await eachOf(events, pair, 4);
    expect(events.flatMap(({ answers }) => answers).filter(status => status !== 200)).toEqual([]);
    expect([...first.counts.values()].filter(count => count !== 1)).toEqual([]);
    await expectPromisesKept(context, tenant, events);
  });

  it('has one effect when one copy of the service is killed in the middle', async context => {
    const tenant = await newTenant();
    const events = await monthsOfPayments(tenant, 150);
    const secrets = await twoSecrets(tenant);
    const killAt = random.between(20, 100);
    let replaced: Promise<number> | undefined;
    await eachOf(
      [...events.entries()],
      async ([index, event]) => {
        if (index === killAt) replaced = system.killAndReplace('webhooks-2');
        await deliverTwice(tenant, event, secrets);
      },
      4,
    );
    await replaced;
    await redeliver(system.gatewayUrl, tenant, events);
    await expectPromisesKept(context, tenant, events);
  });
});

it('takes every event signed with the new secret, the one before, or both, while secrets are replaced', async context => {
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
    // Only what the tenant was told is connected is signed with.
    [current, before] = [next, current];
  };
  const share = Math.ceil(events.length / (ROTATIONS + 1));
  for (let start = 0; start < events.length; start += share)
    await Promise.all([eachOf(events.slice(start, start + share), send, 8), start > 0 ? rotate() : undefined]);

  expect(events.flatMap(({ answers }) => answers).filter(status => status !== 200)).toEqual([]);
  const body = events[0]?.body ?? '';
  const stranger = await post(body, {
    gatewayUrl: gatewayUrls[1],
    teamId: tenant.teamId,
    signature: sign(body, ['whsec_of_nobody']),
  });
  expect(stranger).toMatchObject({ status: 400, body: { error: { code: 'invalid_signature' } } });
  await expectPromisesKept(context, tenant, events);
});
