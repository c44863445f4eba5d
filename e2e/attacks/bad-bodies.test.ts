import type { Operation } from '@billing/contracts/operation';
import { allOperations } from '@billing/contracts/operations/index';
import { beforeAll, expect, inject, it } from 'vitest';
import { Caller, ok } from '../system/http.ts';
import { send } from '../system/hostile/send.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';
import { callerOf, fieldsOf, requestTo } from '../system/operations/requests.ts';
import { newEmail, newTenant } from '../system/tenant.ts';
import { attackedTenant, type Attacked } from './attacked.ts';

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

/** If it shows up in a later response, an object's prototype was changed. */
const MARK = 'polluted-by-test';
/** JSON text of fields that every object has; object literals could not name `__proto__`. */
const OF_EVERY_OBJECT = [
  `"__proto__":{"${MARK}":true}`,
  `"__proto__":{"isActive":false,"status":"active","scopes":["*"]}`,
  `"__proto__":null`,
  `"__proto__":"${MARK}"`,
  `"__proto__":{"__proto__":{"${MARK}":true}}`,
  `"\\u005f\\u005fproto__":{"${MARK}":true}`,
  `"constructor":{"prototype":{"${MARK}":true}}`,
  `"constructor":"${MARK}"`,
  `"prototype":{"${MARK}":true}`,
  `"__defineGetter__":"${MARK}"`,
  `"hasOwnProperty":"${MARK}"`,
  `"toString":"${MARK}"`,
  `"valueOf":{"${MARK}":1}`,
  `"toJSON":"${MARK}"`,
  `"then":"${MARK}"`,
];
/** Operators of query languages, in place of a text. */
const OPERATORS: readonly unknown[] = [
  { $ne: null },
  { $or: [{}] },
  { $raw: '1=1' },
  { [`id' or '1'='1`]: 1 },
  { __raw: true, sql: '1=1', params: [] },
  { toString: 'x' },
  ['a'],
  true,
];

type Body = Readonly<Record<string, unknown>>;
/** The JSON text of a body, and the fields that its error must name. */
interface BadBody {
  readonly text: string;
  readonly named?: readonly string[];
}

/** Some of the items for each place in the list of operations, and each of them in some places. */
const every = <Item>(count: number, items: readonly Item[], at: number): Item[] =>
  items.filter((_item, index) => (index + at) % count === 0);
const asText = (body: Body): BadBody => ({ text: JSON.stringify(body) });
/** Adds the JSON text of a field. */
const withField = (body: Body, field: string): BadBody => ({
  text: JSON.stringify(body).replace(/\}$/, `${Object.keys(body).length > 0 ? ',' : ''}${field}}`),
});
/** Copies of a body, each with another value in place of one of its texts. */
const withTexts = (body: Body, valuesFor: (text: string, at: number) => readonly unknown[]): Body[] =>
  Object.entries(body).flatMap(([name, text], at) =>
    typeof text === 'string' ? valuesFor(text, at).map(value => ({ ...body, [name]: value })) : [],
  );
/** Those of the fields above that an operation does not take. */
const forbiddenOf = ({ body }: Operation): string[] => {
  const taken = new Set(fieldsOf(body));
  return Object.keys(WANTED).filter(field => !taken.has(field));
};

/** What is tried, and the bodies that it makes of a valid one for the operation at a place of the list. */
const ATTEMPTS: Readonly<Record<string, (body: Body, operation: Operation, at: number) => readonly BadBody[]>> = {
  'S18: ids, owners, processor ids, status, role, times, amounts and other fields that an operation does not take are 400 each, by name':
    (body, operation, at) =>
      every(5, forbiddenOf(operation), at).map(field => ({
        ...asText({ ...body, [field]: WANTED[field] }),
        named: [field],
      })),
  'S18: all of them at once are 400 as well, each named': (body, operation) => {
    const named = forbiddenOf(operation);
    return [{ ...asText({ ...body, ...Object.fromEntries(named.map(field => [field, WANTED[field]])) }), named }];
  },
  'S19: __proto__, constructor and other members of every object are 400 as fields': (body, _operation, at) =>
    every(3, OF_EVERY_OBJECT, at).map(field => withField(body, field)),
  'S17: an operator instead of a text, as {"$ne":null}, is 400': (body, _operation, place) =>
    withTexts(body, (_text, at) => every(4, OPERATORS, at + place)).map(asText),
  'S50: a NUL byte in any text, or in the names of metadata, is 400': body => [
    ...withTexts(body, text => ['\0', `${text}\0`, 'a\0b']).map(asText),
    ...('metadata' in body ? [{ 'a\0': 'b' }, { a: 'b\0' }].map(metadata => asText({ ...body, metadata })) : []),
  ],
};

const writes = allOperations.filter(({ body, access }) => body && access.kind !== 'signature');

let attacked: Attacked;
beforeAll(async () => {
  attacked = await attackedTenant();
});

/** Sends JSON text as it is, with the credential of the operation's usual caller. */
function sendText({ access }: Pick<Operation, 'access'>, method: string, path: string, text: string) {
  const { secret, user } = attacked.tenant;
  const credential = access.kind === 'project' ? { authorization: `Bearer ${secret}` } : { cookie: user.cookie };
  const headers = { 'content-type': 'application/json', ...credential };
  return send(inject('gatewayUrl'), { method, path, headers, body: Buffer.from(text) });
}

/** Every record of the project that the API shows, and how many objects its account has. */
async function readAll(): Promise<unknown> {
  const { api, user, P, teamPath, processor } = attacked.tenant;
  const lists = [
    'products',
    'prices',
    'customers',
    'subscriptions?activeOnly=false',
    'referrals/codes',
    'referrals/config',
  ];
  const { objects } = await processor.ledger();
  const { apiKeys } = await ok(user.get(`${P}/api-keys`));
  const bodies = await Promise.all([
    ...[...lists, 'portal/sessions'].map(path => ok(api.get(`${P}/${path}`))),
    ok(user.get(`${teamPath}/projects`)),
    ok(user.get(`${teamPath}/members`)),
  ]);
  return { bodies, keys: apiKeys.map((key: object) => ({ ...key, lastUsedAt: null })), objects: objects.length };
}

it.each(Object.entries(ATTEMPTS))('%s in any body, and nothing changes', async (_what, attempt) => {
  const { tenant, resources } = attacked;
  const before = await readAll();
  const cases = writes.flatMap((operation, at) => {
    const { method, path, body } = requestTo(operation, tenant, resources);
    return attempt(Object(body) as Body, operation, at).map(bad => ({ operation, method, path, ...bad }));
  });
  expect(cases.length).toBeGreaterThan(40);
  await mapConcurrently(cases, async ({ operation, method, path, text, named }) => {
    const response = await sendText(operation, method, path, text);
    const row = { id: operation.id, text };
    expect({ ...row, status: response.status }).toEqual({ ...row, status: 400 });
    if (!named) return;
    const { error } = JSON.parse(response.text) as { error: { details: { fields: { path: string }[] } } }; // its form
    expect(error.details.fields.map(field => field.path).toSorted(), operation.id).toEqual(named.toSorted());
  });
  expect(await readAll()).toEqual(before);
});

it('S19: __proto__ and constructor are 400 inside of metadata too, and other members of objects stay plain text', async () => {
  const { api, P } = attacked.tenant;
  for (const field of OF_EVERY_OBJECT.filter(text => /__proto__|u005f|constructor|prototype/.test(text))) {
    const text = `{"email":"${newEmail()}","metadata":{${field}}}`;
    const { status } = await sendText(
      { access: { kind: 'project', scopes: ['customers:write'] } },
      'POST',
      `${P}/customers`,
      text,
    );
    expect(status, text).toBe(400);
  }
  const other = await newTenant();
  const metadata = { toString: 'a', valueOf: 'b', hasOwnProperty: 'c', toJSON: 'd', length: '-1' };
  const { customer } = await ok(other.api.post(`${other.P}/customers`, { email: newEmail(), metadata }), 201);
  expect((await ok(other.api.get(`${other.P}/customers/${customer.id}`))).customer.metadata).toEqual(metadata);
  await ok(api.get(`${P}/customers`));
});

it('S19: afterwards no object of any service has a field more', async () => {
  const { tenant, resources } = attacked;
  await ok(tenant.api.put(`${tenant.P}/portal-config`, { billingDetails: { enabled: true } }));
  const reads = allOperations.filter(({ method }) => method === 'GET');
  const bodies = await mapConcurrently(reads, async operation => {
    const { status, body } = await callerOf(operation, tenant).get(requestTo(operation, tenant, resources).path);
    expect(status, operation.id).toBe(200);
    return JSON.stringify(body);
  });
  bodies.push(String((await new Caller().get(`/portal/${resources.token}`)).body));
  const other = await newTenant();
  bodies.push(JSON.stringify(await ok(other.api.post(`${other.P}/products`, { name: 'Pro' }), 201)));
  expect(bodies.filter(body => body.includes(MARK))).toEqual([]);
});
