import { expect, it } from 'vitest';
import { allOperations } from './index.ts';

it('gives every operation a unique id and a unique method and path', () => {
  const ids = allOperations.map(operation => operation.id);
  const routes = allOperations.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ':x')}`);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(routes).size).toBe(routes.length);
});

const projectOperations = allOperations.flatMap(({ id, method, access }) =>
  access.kind === 'project' ? [{ id, method, scope: access.scope }] : [],
);

it.each(projectOperations)(
  '$id requires a write scope unless it reads or applies a referral',
  ({ id, method, scope }) => {
    const required = method === 'GET' || id === 'applyReferral' ? 'read' : 'write';
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
