import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';
import { ROUTING_KEYS } from '@billing/contracts/metadata';
import { namedProject, replacement, sameMetadata, withoutEmpty, withoutRouting, writableMarks } from './metadata.ts';

const key = fc.constantFrom('a', 'b', 'c', 'd', 'toString');
const metadata = fc.dictionary(key, fc.string({ minLength: 1, maxLength: 3 }), { noNullPrototype: true });
const routing = fc.dictionary(fc.constantFrom(...ROUTING_KEYS), fc.string({ minLength: 1 }), { noNullPrototype: true });

/** The processor merges metadata, and an empty value removes its key. */
const merge = (stored: Record<string, string>, sent: Record<string, string>) => withoutEmpty({ ...stored, ...sent });

it('replaces metadata by a merge and leaves the routing keys', () => {
  fc.assert(
    fc.property(metadata, metadata, routing, (current, next, routes) => {
      const after = merge({ ...current, ...routes }, replacement(current, next));
      expect(after).toEqual({ ...next, ...routes });
      expect(withoutRouting(after)).toEqual(next);
    }),
  );
});

it('writes no mark over what a tenant has under its key', () => {
  const marks = { teamId: TeamId.create(), projectId: ProjectId.create(), customerId: CustomerId.create() };
  expect(writableMarks(marks, {})).toEqual(marks);
  expect(writableMarks(marks, { customerId: CustomerId.create(), plan: 'pro' })).toEqual(marks);
  const { teamId, customerId } = marks;
  expect(writableMarks(marks, { projectId: 'acme' })).toEqual({ teamId, customerId });
  expect(namedProject({ projectId: 'acme' })).toBeUndefined();
});

it('compares metadata in any order of keys', () => {
  fc.assert(
    fc.property(metadata, metadata, (one, other) => {
      expect(sameMetadata(one, Object.fromEntries(Object.entries(one).toReversed()))).toBe(true);
      expect(sameMetadata(one, other)).toBe(sameMetadata(other, one));
    }),
  );
  expect(sameMetadata({ a: '1' }, { b: '1' })).toBe(false);
  expect(sameMetadata({}, { a: '1' })).toBe(false);
});
