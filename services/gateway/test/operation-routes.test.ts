import type { Operation } from '@billing/contracts/operation';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { operationRoutes } from '#routes/operations.ts';

const declared = {
  service: 'catalog',
  method: 'GET',
  summary: 'x',
  params: z.object({}),
  status: 200,
  response: z.object({}),
  problems: [],
  example: { response: {} },
} as const;

/** Routing calls none of the dependencies. */
const route = (...operations: Operation[]) =>
  operationRoutes({
    operations,
    authorizeRequest: notCalled,
    admitToPortal: notCalled,
    proxy: { forward: notCalled },
    webhooks: { forward: notCalled },
    ownOperations: {} as never, // no operation is implemented
    recordRefusal: notCalled,
    respondOnce: notCalled,
    isOverloaded: notCalled,
    isTeamOverloaded: notCalled,
    places: {} as never, // nothing is called
    readEm: {} as never, // nor read
  });

it('rejects an operation without a known access', () => {
  const open = { ...declared, id: 'open', path: '/x' } as unknown as Operation; // the types forbid it
  expect(() => route(open)).toThrow(TypeError);
  expect(() => route({ ...open, access: { kind: 'everyone' } } as never)).toThrow('open has no known access');
});

it('rejects two operations at the same path', () => {
  const one: Operation = { ...declared, id: 'one', path: '/x/:a', access: { kind: 'session' } };
  expect(() => route(one, { ...one, id: 'two', path: '/x/:b' })).toThrow('already declared');
});

it('rejects an operation of the gateway without an implementation', () => {
  const own: Operation = { ...declared, service: 'gateway', id: 'own', path: '/x', access: { kind: 'session' } };
  expect(() => route(own)).toThrow('own is not implemented');
});

function notCalled(): never {
  throw new Error('Routing called a dependency.');
}
