import { expect, it } from 'vitest';
import { z } from 'zod';
import { allOperations } from './index.ts';

it('gives every operation a unique id and a unique method and path', () => {
  const ids = allOperations.map(operation => operation.id);
  const routes = allOperations.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ':x')}`);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(routes).size).toBe(routes.length);
});

const POSTS_THAT_READ = [
  'applyReferral',
  'previewCancellation',
  'previewCheckout',
  'previewInvoice',
  'previewPlanChange',
  'previewPortalConfig',
  'previewResume',
];
const projectOperations = allOperations.flatMap(({ id, method, access }) =>
  access.kind === 'project' ? access.scopes.map(scope => ({ id, method, scope })) : [],
);

it.each(projectOperations)(
  '$id requires a write scope unless it only reads or applies a referral',
  ({ id, method, scope }) => {
    const required = method === 'GET' || POSTS_THAT_READ.includes(id) ? 'read' : 'write';
    expect(scope.endsWith(`:${required}`)).toBe(true);
  },
);

it.each(allOperations.map(operation => [operation.id, operation] as const))(
  '%s declares every parameter of its path',
  (_id, { path, params }) => {
    const named = [...path.matchAll(/:(\w+)/g)].map(match => String(match[1]));
    expect(
      Object.keys('shape' in params ? (params.shape as object) : {}).toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(named.toSorted((a, b) => a.localeCompare(b)));
  },
);

const WITH_NUL = [
  '\u0000',
  'a\u0000b',
  'evt_a\u0000',
  'a\u0000@example.com',
  'https://example.com/\u0000',
  'sk_test_a\u0000',
];

/** The places in a schema that accept a text with a NUL, which PostgreSQL can't store. */
function acceptingNul(schema: unknown, place: string): string[] {
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, field]) => acceptingNul(field, `${place}.${name}`));
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return acceptingNul(schema.unwrap(), place);
  if (schema instanceof z.ZodArray) return acceptingNul(schema.element, `${place}[]`);
  const values: unknown[] = schema instanceof z.ZodRecord ? [{ 'a\u0000': 'b' }, { a: 'b\u0000' }] : WITH_NUL;
  const accepts = schema instanceof z.ZodType && values.some(value => schema.safeParse(value).success);
  return accepts ? [place] : [];
}

it('accepts NUL in no text of any request', () => {
  const accepting = allOperations.flatMap(({ id, params, query, body }) => [
    ...acceptingNul(params, `${id} params`),
    ...acceptingNul(query, `${id} query`),
    ...acceptingNul(body, `${id} body`),
  ]);
  // Every bad token and every team that a webhook names wrongly gets one response; neither reaches the database.
  const constant = /params\.(?:token|invitationToken)$|^receiveWebhook(AtOldPath)? params\.teamId$/;
  expect(accepting.filter(place => !constant.test(place))).toEqual([]);
});

/** The fields of a request that are times or days, except those of which it has one alone. */
const timesOf = (schema: z.ZodType | undefined): string[] => {
  const { properties = {} } = schema ? z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) : {};
  return Object.entries(properties).flatMap(([name, field]) =>
    JSON.stringify(field).match(/"format":"date(-time)?"/) ? [name] : [],
  );
};
const spans = allOperations.flatMap(({ id, query, body, example }) =>
  [
    { schema: query, given: example.query },
    { schema: body, given: example.body },
  ].flatMap(({ schema, given }) => {
    const [start, end, ...others] = timesOf(schema);
    return schema && start && end ? [{ id, schema, given: { ...(given as object) }, start, end, others }] : [];
  }),
);

it('knows all requests with a span of time', () => {
  expect(spans.map(({ id }) => id).toSorted()).toEqual([
    'getPaymentTotals',
    'getUsageSummaries',
    'listAnalyticsSubscriptions',
    'listAuditLog',
    'listCustomers',
    'listDunningCases',
    'listEvents',
    'listInvoices',
    'listPayments',
    'listSubscriptions',
    'listWebhookDeliveries',
    'recoverWebhookEvents',
  ]);
  expect(spans.flatMap(({ others }) => others)).toEqual([]);
});

it.each(spans)('$id refuses `$start` and `$end` that are given backwards', ({ id, schema, given, start, end }) => {
  const isOfDays = id === 'listAnalyticsSubscriptions';
  const filters = isOfDays ? { metric: 'newMrr' } : given;
  const [earlier, later] = ['2026-03-02T09:30:00.000Z', '2026-03-03T09:30:00.000+14:00'].map(time =>
    isOfDays ? time.slice(0, 10) : time,
  );
  const parse = (from: unknown, to: unknown) => schema.safeParse({ ...filters, [start]: from, [end]: to });
  expect(parse(earlier, later).error).toBeUndefined();
  expect(parse(earlier, earlier).error).toBeUndefined();
  expect(parse(later, earlier).error?.issues.map(({ path }) => path)).toEqual([[end]]);
});
