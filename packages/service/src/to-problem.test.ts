import { expect, it } from 'vitest';
import { z } from 'zod';
import { fieldErrors, toProblem } from './to-problem.ts';

const schema = z.strictObject({
  key: z.string().min(1).startsWith('sk_', { error: 'Expected a key.' }),
  search: z.string().max(256).optional(),
  code: z.string().min(4).optional(),
  amount: z.number().min(0).max(1e15).optional(),
  share: z.number().gt(0).lt(1).optional(),
  ids: z.array(z.string()).max(1).optional(),
  label: z.string().max(3, { error: 'Short, please.' }).optional(),
});

it.each([
  [{ key: '' }, { key: 'Must not be empty.' }],
  [{ key: 'x' }, { key: 'Expected a key.' }],
  [{ key: 'sk_', search: 'x'.repeat(257) }, { search: 'At most 256 characters.' }],
  [{ key: 'sk_', code: 'abc' }, { code: 'At least 4 characters.' }],
  [{ key: 'sk_', amount: -1 }, { amount: 'At least 0.' }],
  [{ key: 'sk_', share: 0 }, { share: 'More than 0.' }],
  [{ key: 'sk_', share: 1 }, { share: 'Less than 1.' }],
  [{ key: 'sk_', ids: ['a', 'b'] }, { ids: 'At most 1 item.' }],
  [{ key: 'sk_', label: 'long' }, { label: 'Short, please.' }],
  [{ key: 'sk_', more: 1 }, { more: 'Unknown field.' }],
])('says what a field may be: %o', (input, problems) => {
  const { error } = schema.safeParse(input);
  const found = error ? fieldErrors(error) : [];
  expect(Object.fromEntries(found.map(({ path, message }) => [path, message]))).toEqual(problems);
});

it('is 503 with a time to wait when a statement takes longer than it may', () => {
  const canceled = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
  expect(toProblem(canceled)).toMatchObject({ status: 503, code: 'unavailable', retryAfterSeconds: 5 });
});
