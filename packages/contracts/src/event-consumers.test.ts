import { expect, it } from 'vitest';
import { consumersOf } from './event-consumers.ts';

const of = (publisher: Parameters<typeof consumersOf>[0], consumer: string) =>
  consumersOf(publisher).find(({ name }) => name === consumer)?.types;

it('finds the types that reach a consumer through its filter', () => {
  expect(of('customers', 'portal-customers')).toEqual(['record.customer.deleted.v1']);
  expect(of('customers', 'analytics-customers')).toEqual([
    'record.customer.created.v1',
    'record.customer.updated.v1',
    'record.customer.deleted.v1',
  ]);
  // `*` stands for one token, `>` for any number.
  expect(of('webhooks', 'customers')).toEqual([
    'processor.customer.created.v1',
    'processor.customer.updated.v1',
    'processor.customer.deleted.v1',
  ]);
  expect(of('webhooks', 'subscriptions-charges')).toContain('processor.charge.dispute.created.v1');
});

it('leaves out the consumers of other publishers', () => {
  expect(of('portal', 'analytics-customers')).toBeUndefined();
  expect(consumersOf('portal').map(({ name }) => name)).toContain('gateway-audit-log');
});
