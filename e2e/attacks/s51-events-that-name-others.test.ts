import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, describe, expect, it } from 'vitest';
import { drain } from '../system/drain.ts';
import { ok } from '../system/http.ts';
import { newTenant, type Tenant } from '../system/tenant.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';
import { postSigned } from '../system/signed-events.ts';
import { newResources, type Resources } from '../system/operations/resources.ts';

interface StripeEvent {
  readonly id: string;
  readonly type: string;
  readonly created: number;
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
}

let attacker: Tenant;
let victim: Tenant;
let resources: Resources;
beforeAll(async () => {
  [attacker, victim] = await Promise.all([newTenant(), newTenant()]);
  resources = await newResources(victim);
  await drain(victim);
});

const eventsOf = async ({ callProcessor }: Tenant): Promise<StripeEvent[]> =>
  (await callProcessor('/v1/events?limit=100')).data as StripeEvent[];

const LISTS = [
  'products?activeOnly=false',
  'prices?activeOnly=false',
  'customers',
  'subscriptions?activeOnly=false',
  'invoices',
  'payments',
  'referrals/credits',
];
const recordsOf = ({ api, P }: Tenant) => Promise.all(LISTS.map(path => ok(api.get(`${P}/${path}`))));

/**
 * Waits until each event of the team was tried at least once, and an own event after them was processed. Events that lead
 * nowhere are tried again for a long time, and end as failed.
 */
async function waitUntilTried(tenant: Tenant): Promise<void> {
  const { user, teamPath, billing } = tenant;
  await billing.products.create({ name: 'After them' });
  await waitFor(
    async () => {
      const list = (query: string) => ok(user.get(`${teamPath}/webhook-events?limit=100&${query}`));
      const [{ webhookEvents: waiting }, { pagination }] = await Promise.all([
        list('status=received'),
        list('status=processed&type=product.created'),
      ]);
      const isTried = ({ attempts, routedBy }: Tried) => attempts > 0 || routedBy !== null;
      return pagination.total > 0 && waiting.every(isTried);
    },
    { what: 'the events to be tried', intervalMs: 50 },
  );
}

interface Tried {
  readonly attempts: number;
  readonly routedBy: string | null;
}

describe('a team that signs events with its own secret', () => {
  it('S51: events that name another team’s project, customer, price or processor objects change nothing there, and nothing of that team is shown here', async () => {
    const { teamId, projectId } = victim;
    const { customerId, priceId } = resources;
    const before = await recordsOf(victim);
    const own = { teamId: attacker.teamId, projectId: attacker.projectId };
    const created = Math.floor(Date.now() / 1_000) + 5;
    const forged = (await eventsOf(victim)).flatMap((event, index) => {
      const variant = (name: string, metadata: object, type = event.type) => {
        const object = { ...event.data.object, metadata };
        return { ...event, id: `evt_${name}${index}${attacker.teamId.slice(-12)}`, type, created, data: { object } };
      };
      const deletion = event.type.replace(/\.(?:created|updated)$/, '.deleted');
      return [
        variant('theirs', { teamId, projectId, customerId, priceId }),
        variant('mixed', { ...own, customerId, priceId }),
        variant('deleted', { teamId, projectId, customerId }, deletion),
        variant('nameless', {}, deletion),
      ];
    });
    expect(forged.length).toBeGreaterThan(40);
    const responses = await mapConcurrently(forged, event => postSigned(attacker, event));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    await waitUntilTried(attacker);

    expect(await recordsOf(victim)).toEqual(before);
    const shown = JSON.stringify(await recordsOf(attacker));
    const { code: _, ...ids } = resources;
    const names = [teamId, projectId, ...Object.values(ids)].filter(name => shown.includes(name));
    expect(names).toEqual([]);
  });

  it('S51: an event id that another team’s event will have takes nothing from that event, neither before nor after it', async () => {
    const { billing, processor } = victim;
    await processor.setDeliveryRules({ hold: true });
    const { id } = await billing.products.create({ name: 'Held' });
    await billing.products.update(id, { name: 'Held and renamed' });
    const held = await eventsOf(victim);
    for (const event of held) expect((await postSigned(attacker, event)).status).toBe(200);
    await waitUntilTried(attacker);
    await processor.setDeliveryRules({ hold: false });
    await processor.release();
    await drain(victim);
    const { webhookEvents } = await ok(victim.api.get(`${victim.P}/webhook-events?limit=100`));
    const ofProduct = webhookEvents.filter(({ type }: { type: string }) => type.startsWith('product.'));
    const statuses = new Set(ofProduct.map(({ status }: { status: string }) => status));
    expect(statuses).toEqual(new Set(['processed']));
    // The processor makes a product for an amount that is billed once; it is of no project.
    const isOurs = ({ type, data: { object } }: StripeEvent) =>
      type.startsWith('product.') && 'projectId' in Object(object['metadata']);
    expect(ofProduct.length).toBe(held.filter(isOurs).length);
  });

  it('S51: a type in the form of a subject, a wildcard or a member of every object is stored and goes nowhere; so is an event with an odd id', async () => {
    const [event] = await eventsOf(victim);
    const types = [
      '__proto__',
      'constructor',
      'toString',
      'customer.*',
      '>',
      '*.>',
      'billing.x',
      'a b',
      'a\r\nb',
      'x'.repeat(120),
    ];
    const responses = await mapConcurrently(types, (type, index) =>
      postSigned(attacker, { ...event, id: `evt_type${index}${attacker.teamId.slice(-12)}`, type }),
    );
    expect(responses.map(({ status }) => status)).toEqual(types.map(() => 200));
    const listIgnored = async (): Promise<{ type: string; error: string | null }[]> =>
      (await ok(attacker.user.get(`${attacker.teamPath}/webhook-events?status=ignored&limit=100`))).webhookEvents;
    const ignored = new Set((await listIgnored()).map(({ type }) => type));
    expect(types.filter(type => !ignored.has(type))).toEqual([]);

    const ids = ['evt_', '', '../x', 'evt_ x', "evt_'", `evt_${'x'.repeat(300)}`, '__proto__', 5, null, {}, ['evt_1']];
    const odd = await mapConcurrently(ids, id => postSigned(attacker, { ...event, id }));
    expect(odd.map(({ status }) => status)).toEqual(ids.map(() => 200));
    const unread = (await listIgnored()).filter(({ error }) => error?.startsWith('no_snapshot'));
    expect(unread).toHaveLength(ids.length);
  });
});
