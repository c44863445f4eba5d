import { ProjectId } from '@billing/contracts/ids';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readRouteHints } from './route-hints.rules.ts';

const [p1, p2, p3] = [ProjectId.create(), ProjectId.create(), ProjectId.create()];

it('reads every place of an invoice that names a project, the invoice’s own metadata first', () => {
  const invoice = {
    id: 'in_1',
    metadata: { projectId: p1 },
    parent: { subscription_details: { metadata: { projectId: p2 }, subscription: { id: 'sub_1' } } },
    subscription_details: { metadata: { projectId: p3 } },
    customer: 'cus_1',
  };
  expect(readRouteHints('invoice.paid', invoice)).toEqual({
    named: [p1, p2, p3],
    references: [
      { kind: 'subscription', id: 'sub_1' },
      { kind: 'customer', id: 'cus_1' },
    ],
    customerId: 'cus_1',
    payment: null,
    fansOut: false,
  });
});

it('follows a refund or dispute to its payment, the charge first, and the payment of an invoice to that', () => {
  const paymentOf = (type: string, object: object) => readRouteHints(type, { ...object }).payment;
  const both = { charge: 'ch_1', payment_intent: { id: 'pi_1' } };
  expect(paymentOf('charge.dispute.created', both)).toEqual({ kind: 'charge', id: 'ch_1' });
  expect(paymentOf('refund.updated', { ...both, charge: null })).toEqual({ kind: 'payment_intent', id: 'pi_1' });
  expect(paymentOf('refund.updated', {})).toBeNull();
  expect(paymentOf('charge.refund.updated', both)).toEqual({ kind: 'charge', id: 'ch_1' });
  expect(paymentOf('invoice_payment.paid', { invoice: 'in_1' })).toEqual({ kind: 'invoice', id: 'in_1' });
  expect(paymentOf('charge.refunded', both)).toBeNull();
  expect(paymentOf('invoice.paid', { ...both, invoice: 'in_1' })).toBeNull();
});

it('takes an object itself for the thing by which it may be known', () => {
  const named = { id: 'x_1', customer: 'cus_1', product: 'prod_1' };
  const references = (type: string) => readRouteHints(type, named).references.map(({ kind, id }) => `${kind} ${id}`);
  expect(references('customer.subscription.updated')).toEqual(['subscription x_1', 'customer cus_1', 'product prod_1']);
  expect(references('customer.updated')).toEqual(['customer x_1', 'product prod_1']);
  expect(references('price.updated')).toEqual(['customer cus_1', 'price x_1', 'product prod_1']);
  expect(references('product.updated')).toEqual(['customer cus_1', 'product x_1']);
  expect(references('coupon.updated')).toEqual(['coupon x_1', 'customer cus_1', 'product prod_1']);
  expect(references('customer.discount.created')).toEqual(['customer cus_1', 'product prod_1']);
  expect(references('charge.failed')).toEqual(['customer cus_1', 'product prod_1']);
  expect(readRouteHints('customer.deleted', { id: 'cus_1', deleted: true })).toMatchObject({ fansOut: true });
});

it('takes a promotion code for one of its coupon, in the places of every API version', () => {
  const references = (object: object) =>
    readRouteHints('promotion_code.created', { id: 'promo_1', customer: 'cus_1', ...object }).references;
  const found = ['promotion_code', 'coupon', 'customer'].map((kind, at) => ({
    kind,
    id: ['promo_1', 'HALF', 'cus_1'][at],
  }));
  expect(references({ coupon: { id: 'HALF' } })).toEqual(found);
  expect(references({ promotion: { type: 'coupon', coupon: 'HALF' } })).toEqual(found);
});

it.each([
  [{}],
  [{ metadata: null, customer: null, subscription: null, parent: null }],
  [{ metadata: { projectId: 'another shape' }, customer: 7, parent: 'x', subscription_details: [] }],
  [{ parent: { subscription_details: null } }],
])('finds nothing in %j', object => {
  expect(readRouteHints('invoice.paid', object)).toEqual({
    named: [],
    references: [],
    customerId: null,
    payment: null,
    fansOut: false,
  });
});

it('reads any object whatever, and finds only what has the shape of an id', () => {
  const fields = ['id', 'metadata', 'customer', 'subscription', 'product', 'parent', 'subscription_details', 'items'];
  const object = fc.dictionary(fc.constantFrom(...fields), fc.jsonValue());
  const type = fc.constantFrom('customer.subscription.updated', 'customer.deleted', 'invoice.paid', 'price.created');
  fc.assert(
    fc.property(type, object, (of, raw) => {
      const { named, references, customerId } = readRouteHints(of, raw);
      expect(named.every(id => ProjectId.schema.safeParse(id).success)).toBe(true);
      expect(references.every(({ id }) => typeof id === 'string' && id !== '')).toBe(true);
      expect(customerId === null || references.some(({ id }) => id === customerId)).toBe(true);
    }),
  );
});
