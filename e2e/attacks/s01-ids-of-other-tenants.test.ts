import { allOperations } from '@billing/contracts/operations/index';
import type { Operation } from '@billing/contracts/operation';
import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../system/http.ts';
import { newSiblingProject, newTenant, type Tenant } from '../system/tenant.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';
import { callerOf, idPlacesOf, requestTo, seenBy, type IdPlace, type Seen } from '../system/operations/requests.ts';
import { newResources, unknownIds, type Resources } from '../system/operations/resources.ts';

interface Holder {
  readonly tenant: Tenant;
  readonly resources: Resources;
}

/** Every place of an id in an operation of a team or project. */
const places = allOperations
  .filter(({ access }) => access.kind !== 'portal-token' && access.kind !== 'signature')
  .flatMap(operation => idPlacesOf(operation).map(place => ({ operation, place })));

let own: Holder;
/** Another project of the same team, and one of another team. */
let others: readonly Holder[];
beforeAll(async () => {
  const [tenant, stranger] = await Promise.all([newTenant(), newTenant()]);
  const [mine, ...foreign] = await Promise.all(
    [tenant, await newSiblingProject(tenant), stranger].map(async of => ({
      tenant: of,
      resources: await newResources(of),
    })),
  );
  if (!mine) throw new Error('A tenant is always created.');
  [own, others] = [mine, foreign];
});

/** Sends a request of the own project, with the id of `there` in one place, and again while a service is busy or its record in use. */
const trySeen = (operation: Operation, place: IdPlace, there: Resources): Promise<Seen> =>
  waitFor(
    async () => {
      const request = requestTo(operation, own.tenant, own.resources, { ...place, there });
      const seen = await seenBy(callerOf(operation, own.tenant), request);
      return seen.status === 503 || isInUse(seen) ? undefined : seen;
    },
    { what: `a response of ${operation.id}` },
  );

const isInUse = ({ body }: Seen): boolean => JSON.stringify(body).includes('"code":"conflict"');

/** What could change: every record of a project, and what its account at the processor has got. */
async function stateOf({ tenant: { user, api, P, teamPath, processor }, resources }: Holder) {
  const { productId, priceId, customerId, subscriptionId, code, eventId } = resources;
  const reads = [
    `products/${productId}`,
    `prices/${priceId}`,
    `customers/${customerId}`,
    `customers/${customerId}/grants`,
    'features',
    'product-features',
    `subscriptions/${subscriptionId}`,
    `referrals/codes/${code}`,
    'portal/sessions',
    'invoices',
    'payments',
    'referrals/codes',
    'coupons',
    'promotion-codes',
  ].map(path => ok(api.get(`${P}/${path}`)));
  const [records, { apiKeys }, { members }, { webhookEvents }, { objects, calls }] = await Promise.all([
    Promise.all(reads),
    ok(user.get(`${P}/api-keys`)),
    ok(user.get(`${teamPath}/members`)),
    ok(user.get(`${P}/webhook-events?status=processed&limit=100`)),
    processor.ledger(),
  ]);
  const keys = apiKeys.map((key: object) => ({ ...key, lastUsedAt: null }));
  const event = webhookEvents.find(({ id }: { id: string }) => id === eventId);
  const writes = Object.entries(calls).filter(([call]) => !call.startsWith('GET '));
  return { records, keys, members, event, objects: objects.length, writes };
}

describe('an id of another tenant', () => {
  it('S1: an id of another project or team, in any place of any operation, gets the response of a random id, byte for byte, and changes nothing', async () => {
    const before = await Promise.all(others.map(stateOf));
    const random = unknownIds();
    const results = await mapConcurrently(places, async ({ operation, place }) => {
      const [unknown, ...foreign] = await Promise.all(
        [random, ...others.map(({ resources }) => resources)].map(there => trySeen(operation, place, there)),
      );
      // Members and events without a project belong to the whole team.
      const comparable = operation.path.includes(':projectId') ? foreign : foreign.slice(1);
      for (const seen of comparable)
        expect(seen, `${operation.id} with ${place.name} in the ${place.part}`).toEqual(unknown);
      return { id: operation.id, part: place.part, status: unknown?.status };
    });
    for (const { id, part, status } of results)
      expect(status, id).toBe(part === 'query' ? 200 : status === 400 && part === 'body' ? 400 : 404);
    expect(await Promise.all(others.map(stateOf))).toEqual(before);
  });

  it('S1: neither can the portal offer what is another tenant’s', async () => {
    const random = unknownIds();
    const { user, P } = own.tenant;
    const offers = ({ priceId, promotionCodeId }: Resources) => [
      { planSwitch: { priceIds: [priceId] } },
      { cancellation: { saveOffer: { promotionCodeId } } },
    ];
    const set = async (config: object) => {
      const { status, body } = await user.put(`${P}/portal-config`, config);
      return { status, code: body.error?.code };
    };
    const [mine, unknown, ...foreign] = await mapConcurrently(
      [own.resources, random, ...others.map(({ resources }) => resources)],
      async resources => Promise.all(offers(resources).map(set)),
    );
    expect(mine?.map(({ status }) => status)).toEqual([200, 200]);
    expect(unknown?.map(({ status }) => status)).toEqual([404, 404]);
    for (const seen of foreign) expect(seen).toEqual(unknown);
  });

  it('S1: the same requests with an own id get other responses, so each of them reaches its resource', async () => {
    const random = unknownIds();
    const using = (...methods: readonly string[]) =>
      places.filter(({ operation: { method } }) => methods.includes(method));
    // Updates may archive what others need; deletions in reverse, so that what others refer to goes last.
    const inOrder = [...using('GET', 'POST', 'PUT'), ...using('PATCH'), ...using('DELETE').toReversed()];
    for (const { operation, place } of inOrder) {
      const [seen, unknown] = [await trySeen(operation, place, own.resources), await trySeen(operation, place, random)];
      expect(seen.body, `${operation.id} with ${place.name} in the ${place.part}`).not.toEqual(unknown.body);
    }
  });
});
