import { expect, it } from 'vitest';
import { storedPaymentMethod } from '@billing/contracts/resources/payment';
import type { PaymentMethodSnapshot } from '@billing/processor/port';
import { groupByMethod, methodOf } from './methods-in-use.ts';

const method = (id: string): PaymentMethodSnapshot => ({
  ...storedPaymentMethod.parse({ type: 'link', brand: null, last4: null }),
  id,
  expiry: null,
});
const [own, common] = [method('pm_own'), method('pm_common')];
const [a, b, c] = ['a', 'b', 'c'].map(processorSubscriptionId => ({ processorSubscriptionId })) as [Sub, Sub, Sub]; // three of three
interface Sub {
  readonly processorSubscriptionId: string;
}

it('prefers the payment method of the subscription to that of the customer', () => {
  const methods = { customerDefault: common, ofSubscriptions: new Map([['a', own]]), byInvoice: new Set<string>() };
  expect([a, b].map(one => methodOf(methods, one))).toEqual([own, common]);
  expect(methodOf({ ...methods, customerDefault: null }, b)).toBeNull();
});

it('groups subscriptions by payment method', () => {
  const same = method('pm_common');
  const methods = {
    customerDefault: common,
    ofSubscriptions: new Map([
      ['b', own],
      ['c', same],
    ]),
    byInvoice: new Set<string>(),
  };
  expect(groupByMethod(methods, [a, b, c])).toEqual([
    { method: common, subscriptions: [a, c] },
    { method: own, subscriptions: [b] },
  ]);
  expect(groupByMethod(methods, [])).toEqual([{ method: common, subscriptions: [] }]);
  expect(groupByMethod({ customerDefault: null, ofSubscriptions: new Map(), byInvoice: new Set() }, [a, b])).toEqual([
    { method: null, subscriptions: [a, b] },
  ]);
});

it('charges a subscription to nothing whose invoices are sent', () => {
  const methods = { customerDefault: common, ofSubscriptions: new Map([['a', own]]), byInvoice: new Set(['a', 'b']) };
  expect(groupByMethod(methods, [a, b, c])).toEqual([
    { method: 'invoice', subscriptions: [a, b] },
    { method: common, subscriptions: [c] },
  ]);
});
