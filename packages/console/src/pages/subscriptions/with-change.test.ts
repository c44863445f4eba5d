import { expect, it } from 'vitest';
import { withChange } from './with-change.ts';

it('changes a record wherever a query has it, and nothing else', () => {
  const [one, other] = [
    { id: 'a', status: 'active' },
    { id: 'b', status: 'active' },
  ];
  const changed = { id: 'a', status: 'canceled' };
  const change = (data: unknown) => withChange(data, 'a', { status: 'canceled' });
  expect(change(one)).toEqual(changed);
  expect(change({ items: [one, other], total: 2 })).toEqual({ items: [changed, other], total: 2 });
  expect(change({ pages: [{ items: [other] }, { items: [one] }] })).toEqual({
    pages: [{ items: [other] }, { items: [changed] }],
  });
  expect([change(undefined), change(other), change({ total: 0 })]).toEqual([undefined, other, { total: 0 }]);
});
