import { expect, it } from 'vitest';
import { changesOf } from './audit.ts';

it('lists the fields that differ, with both values', () => {
  const at = new Date('2026-03-02T09:30:00Z');
  expect(changesOf({ name: 'a', isActive: true, at }, { name: 'b', isActive: true, at: new Date(at) })).toEqual([
    { field: 'name', from: 'a', to: 'b' },
  ]);
});

it('leaves out what a created object does not have', () => {
  expect(changesOf(null, { name: 'a', scopes: ['x'], expiresAt: null, note: undefined })).toEqual([
    { field: 'name', from: null, to: 'a' },
    { field: 'scopes', from: null, to: ['x'] },
  ]);
});

it('names hidden fields without their values', () => {
  const changes = changesOf({ email: 'a@b.co', metadata: {} }, { email: 'c@b.co', metadata: {} }, [
    'email',
    'metadata',
  ]);
  expect(changes).toEqual([{ field: 'email', from: null, to: null }]);
});

it('cuts long texts off, also between the halves of a character', () => {
  const [change] = changesOf(null, { description: `${'x'.repeat(198)}😀😀` });
  expect(change?.to).toBe(`${'x'.repeat(198)}\ufffd…`);
});
