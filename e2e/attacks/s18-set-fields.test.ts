import type { Operation } from '@billing/contracts/operation';
import { allOperations } from '@billing/contracts/operations/index';
import { beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../system/http.ts';
import { newTenant, type Tenant } from '../system/tenant.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';
import { callerOf, fieldsOf, requestTo } from './requests.ts';
import { newResources, type Resources } from './resources.ts';

let tenant: Tenant;
let resources: Resources & { readonly token: string };
beforeAll(async () => {
  tenant = await newTenant();
  resources = await newResources(tenant);
});

/** Fields that belong to the service, with values that an attacker would like. */
const WANTED: Readonly<Record<string, unknown>> = {
  id: 'pc_00000000000000000000',
  teamId: 'team_00000000000000000000',
  projectId: 'proj_00000000000000000000',
  customerId: 'pc_00000000000000000000',
  productId: 'pp_00000000000000000000',
  userId: 'someone',
  ownerId: 'someone',
  processorCustomerId: 'cus_other',
  processorProductId: 'prod_other',
  processorPriceId: 'price_other',
  processorSubscriptionId: 'sub_other',
  accountId: 'acct_other',
  isActive: false,
  status: 'active',
  role: 'owner',
  unitAmount: 0,
  unitAmountDecimal: '0',
  amount: 0,
  currency: 'jpy',
  type: 'one_time',
  interval: 'year',
  intervalCount: 3,
  quantity: 999_999,
  trialEnd: '2099-01-01T00:00:00.000Z',
  currentPeriodEnd: '2099-01-01T00:00:00.000Z',
  cancelAt: null,
  createdAt: '2000-01-01T00:00:00.000Z',
  updatedAt: '2000-01-01T00:00:00.000Z',
  deletedAt: null,
  convertedAt: '2000-01-01T00:00:00.000Z',
  version: 999_999,
  secret: 'bil_test_x',
  prefix: 'bil_live_',
  last4: '0000',
  token: 'A'.repeat(43),
  code: 'AAAAAAAA',
  livemode: true,
  connected: true,
  isAdmin: true,
  scopes: ['products:read'],
};

const writes = allOperations.filter(({ body, access }) => body && access.kind !== 'signature');

/** Returns the fields that a caller may not set: those above which the operation does not take. */
const forbiddenOf = ({ body }: Operation): string[] => {
  const taken = new Set(fieldsOf(body));
  return Object.keys(WANTED).filter(field => !taken.has(field));
};

/** Every record of the project that the API shows. */
async function readAll(): Promise<unknown> {
  const { api, user, P, teamPath } = tenant;
  const paths = [
    'products',
    'prices',
    'customers',
    'subscriptions?activeOnly=false',
    'referrals/codes',
    'referrals/config',
  ];
  return Promise.all([
    ...paths.map(path => ok(api.get(`${P}/${path}`))),
    ok(api.get(`${P}/portal/sessions`)),
    ok(user.get(`${teamPath}/projects`)),
    ok(user.get(`${teamPath}/members`)),
    ok(user.get(`${P}/api-keys`)).then(({ apiKeys }) => apiKeys.map((key: object) => ({ ...key, lastUsedAt: null }))),
  ]);
}

describe('a field that is not the caller’s to set', () => {
  it('S18: ids, owners, processor ids, status, role, times, amounts and other fields that an operation does not take are 400 each, by name, and nothing changes', async () => {
    const before = await readAll();
    const { objects } = await tenant.processor.ledger();
    // Each field in some operations alone; below all of them in every operation at once.
    const cases = writes.flatMap((operation, at) =>
      forbiddenOf(operation)
        .filter((_field, index) => (index + at) % 5 === 0)
        .map(field => ({ operation, field })),
    );
    expect(new Set(cases.map(({ field }) => field)).size).toBeGreaterThan(30);
    await mapConcurrently(cases, async ({ operation, field }) => {
      const { method, path, body } = requestTo(operation, tenant, resources);
      const more = { ...(body as object), [field]: WANTED[field] };
      const { status, body: seen } = await callerOf(operation, tenant).send(method, withToken(path), more);
      const paths = (seen.error?.details?.fields as { path: string }[] | undefined)?.map(({ path: at }) => at);
      expect({ status, paths }, `${operation.id} with ${field}`).toEqual({ status: 400, paths: [field] });
    });
    expect(await readAll()).toEqual(before);
    expect((await tenant.processor.ledger()).objects).toHaveLength(objects.length);
  });

  it('S18: all of them at once are 400 as well, each named', async () => {
    await mapConcurrently(writes, async operation => {
      const { method, path, body } = requestTo(operation, tenant, resources);
      const forbidden = forbiddenOf(operation);
      const all = Object.fromEntries(forbidden.map(field => [field, WANTED[field]]));
      const { status, body: seen } = await callerOf(operation, tenant).send(method, withToken(path), {
        ...(body as object),
        ...all,
      });
      expect(status, operation.id).toBe(400);
      const named = (seen.error.details.fields as { path: string }[]).map(({ path: at }) => at);
      expect(named.toSorted(), operation.id).toEqual(forbidden.toSorted());
    });
  });

  it('S18: the metadata keys that route events can’t be set by a caller', async () => {
    const { api, P } = tenant;
    const { productId, priceId, customerId } = resources;
    for (const key of ['teamId', 'projectId', 'customerId', 'priceId', 'operationId', 'externalId']) {
      const metadata = { [key]: 'other' };
      for (const path of [`products/${productId}`, `prices/${priceId}`, `customers/${customerId}`])
        expect((await api.patch(`${P}/${path}`, { metadata })).status, `${path} with ${key}`).toBe(400);
    }
  });
});

const withToken = (path: string): string => path.replace('/portal/none/', `/portal/${resources.token}/`);
