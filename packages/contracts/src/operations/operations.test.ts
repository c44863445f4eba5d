import { expect, it } from 'vitest';
import { z } from 'zod';
import { allOperations } from './index.ts';

it('gives every operation a unique id and a unique method and path', () => {
  const ids = allOperations.map(operation => operation.id);
  const routes = allOperations.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ':x')}`);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(routes).size).toBe(routes.length);
});

const POSTS_THAT_READ = ['applyReferral', 'previewPlanChange', 'previewPortalConfig'];
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
