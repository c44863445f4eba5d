import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storedPaymentMethod } from '@billing/contracts/resources/payment';
import {
  observedCancellation,
  observedCharge,
  observedDispute,
  observedIntent,
  observedInvoice,
  observedRefund,
} from './payment-observations.rules.ts';
import { mergeObservations, termsOf, type PaymentObservations } from './payment.rules.ts';
import {
  AMOUNT,
  charge,
  declined,
  intent,
  refund,
  dispute,
  at,
  fold,
  play,
  HELD,
  AT_ONCE,
  history,
} from '../../test/payment-histories.ts';

describe('the events of a payment', () => {
  it('lead to what happened, in every order and repeatedly', () => {
    const deliveries = history.chain(({ events, expected }) =>
      fc.tuple(fc.constant(expected), fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 })),
    );
    fc.assert(
      fc.property(deliveries, ([expected, delivered]) => {
        expect(termsOf(fold(delivered))).toMatchObject({ currency: 'usd', ...expected });
      }),
      { numRuns: runs(500) },
    );
  });

  it('lead to one record in every order also when their times and contents contradict each other', () => {
    const time = fc.nat(2).map(at);
    const id = fc.constantFrom('a', 'b');
    const observation = fc.oneof(
      fc
        .tuple(time, fc.constantFrom('failed', 'authorized', 'succeeded'))
        .map(([when, state]) => observedIntent(intent(declined), when, state)),
      fc.constant(observedCancellation(intent())),
      fc
        .record({
          amountRefunded: fc.nat(3),
          amountCaptured: fc.constantFrom(AMOUNT, AMOUNT - 1, null),
          isCaptured: fc.boolean(),
          isRefunded: fc.boolean(),
          status: fc.constantFrom('succeeded', 'failed', 'pending'),
          customerId: fc.constantFrom('cus_1', 'cus_2', null),
        })
        .chain(changes => fc.tuple(id, time).map(([one, when]) => observedCharge(charge(one, changes), when))),
      fc
        .tuple(id, time, fc.nat(3), fc.constantFrom('failed', 'pending'), fc.option(time))
        .map(([one, when, amount, status, made]) => observedRefund(refund(one, amount, status, made), when)),
      fc
        .tuple(id, time, fc.constantFrom('won', 'lost', 'under_review', 'warning_under_review'), fc.boolean())
        .map(([one, when, status, isClosed]) => observedDispute(dispute(one, status), when, isClosed)),
      fc.constantFrom('in_1', 'in_2').map(observedInvoice),
    );
    const orders = fc
      .array(observation, { minLength: 1, maxLength: 10 })
      .chain(all => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 })));
    fc.assert(
      fc.property(orders, ([all, shuffled]) => {
        expect(fold(shuffled)).toEqual(fold(all));
      }),
      { numRuns: runs(500) },
    );
  });

  it('are the same observations when the database returns their fields in another order', () => {
    const observations = play(1, true, AT_ONCE, [{ kind: 'refund', amount: 5 }, { kind: 'dispute' }]).events;
    const stored = JSON.parse(
      JSON.stringify(fold(observations), (_key, value: unknown) =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).toReversed())
          : value,
      ),
    ) as PaymentObservations; // the same observations, as jsonb returns them
    for (const observation of observations) expect(mergeObservations(stored, observation)).toEqual(fold(observations));
  });
});

it('knows no payment of which it has only a refund, a dispute or an invoice', () => {
  const others = [
    observedRefund(refund('re_1', 5, 'succeeded'), at(1)),
    observedDispute(dispute('du_1', 'lost'), at(2), true),
    observedInvoice('in_1'),
  ];
  expect(termsOf(fold(others))).toBeNull();
  expect(termsOf(fold([...others, observedCharge(charge('ch_1'), at(1))]))).toMatchObject({
    status: 'dispute_lost',
    amountRefunded: 5,
  });
});

describe('an authorization', () => {
  const held = [observedCharge(charge('ch_1', HELD), at(1)), observedIntent(intent(), at(1), 'authorized')];
  const released = observedCharge(charge('ch_1', { ...HELD, amountRefunded: AMOUNT, isRefunded: true }), at(5));
  const ends = {
    'is canceled': [observedCancellation(intent())],
    'is released by its charge': [released],
    expires: [observedCharge(charge('ch_1', HELD), at(5), 'released'), observedCancellation(intent())],
    'is released by a refund': [observedRefund(refund('re_1', AMOUNT, 'succeeded', at(5)), at(5))],
  } as const;

  it('is no payment yet, whatever of it is known', () => {
    for (const known of [held, held.slice(0, 1), held.slice(1)])
      expect(termsOf(fold(known))).toMatchObject({ status: 'requires_capture', amount: AMOUNT, amountRefunded: 0 });
  });

  it.each(Object.entries(ends))('that %s is no refund, in every order', (_end, events) => {
    const all = [...held, ...events];
    fc.assert(
      fc.property(fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 }), delivered => {
        expect(termsOf(fold(delivered))).toMatchObject({ status: 'canceled', amount: AMOUNT, amountRefunded: 0 });
      }),
    );
  });

  it('is no refund where only its end is known', () => {
    const expired = observedCharge(charge('ch_1', HELD), at(5), 'released');
    for (const end of [released, expired])
      expect(termsOf(end)).toMatchObject({ status: 'canceled', amountRefunded: 0 });
  });

  it('that was captured in part counts what was captured, and its refunds of that', () => {
    const captured = { amountCaptured: 600, amountRefunded: 400 };
    const events = [...held, observedCharge(charge('ch_1', captured), at(3))];
    expect(termsOf(fold(events))).toMatchObject({ status: 'succeeded', amount: 600, amountRefunded: 0 });
    events.push(observedCharge(charge('ch_1', { ...captured, amountRefunded: 500 }), at(4)));
    expect(termsOf(fold(events))).toMatchObject({ status: 'partially_refunded', amount: 600, amountRefunded: 100 });
  });

  it('is not shown where nothing was attempted', () => {
    expect(termsOf(observedCancellation(intent()))).toBeNull();
    expect(termsOf(observedCharge(charge('ch_1', { status: 'pending' }), at(1)))).toBeNull();
  });
});

it('shows the method of the attempt that counts, whatever is known first', () => {
  const [visa, amex] = ['visa', 'amex'].map(brand => storedPaymentMethod.parse({ type: 'card', brand, last4: '4242' }));
  if (!visa || !amex) throw new Error('There are two cards.');
  const failure = { status: 'failed', paymentMethod: amex } as const;
  const refused = [
    observedIntent(intent({ ...declined, refusedMethod: amex }), at(1), 'failed'),
    observedCharge(charge('ch_0', failure), at(1)),
  ];
  const paid = [
    observedIntent(intent({ refusedMethod: amex }), at(2), 'succeeded'),
    observedCharge(charge('ch_1', { paymentMethod: visa, createdAt: at(2) }), at(2)),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(refused, { minLength: 1 }), delivered => {
      expect(termsOf(fold(delivered))?.paymentMethod).toEqual(amex);
    }),
  );
  fc.assert(
    fc.property(fc.shuffledSubarray([...refused, ...paid], { minLength: 4 }), delivered => {
      // The database returns fields in another order.
      const stored = delivered.map(one => JSON.parse(JSON.stringify(one), reversedFields) as PaymentObservations);
      expect(termsOf(fold([...delivered, ...stored]))?.paymentMethod).toEqual(visa);
    }),
  );
  const old = observedIntent(intent({ paymentMethod: visa, refusedMethod: amex }), at(2), 'succeeded');
  expect(termsOf(old)?.paymentMethod).toEqual(visa);
});

it('shows in full the method that an earlier version observed, and what is read of it later', () => {
  const stored = { type: 'sepa_debit', brand: null, last4: '3000' };
  const read = { ...storedPaymentMethod.parse(stored), country: 'DE' };
  const [before, later] = [at(1), at(2)].map(time => observedCharge(charge('ch_1', { paymentMethod: read }), time));
  const earlier = JSON.parse(JSON.stringify(before), (name, value: unknown) =>
    name === 'paymentMethod' ? stored : value,
  ) as PaymentObservations; // the same with one field as it was
  expect(termsOf(earlier)?.paymentMethod).toEqual({ ...read, country: null });
  for (const order of [
    [earlier, later],
    [later, earlier],
  ])
    expect(termsOf(fold(order.flatMap(one => one ?? [])))?.paymentMethod).toEqual(read);
});

function reversedFields(_name: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toReversed())
    : value;
}

it('adds a refund that the charge has not counted, and takes off what failed since', () => {
  const events = [observedCharge(charge('ch_1', { amountRefunded: 300 }), at(2))];
  events.push(observedRefund(refund('re_2', 200, 'succeeded', at(3)), at(3)));
  expect(termsOf(fold(events))).toMatchObject({ amountRefunded: 500 });
  events.push(observedRefund(refund('re_2', 200, 'failed', at(3)), at(4)));
  expect(termsOf(fold(events))).toMatchObject({ amountRefunded: 300 });
  events.push(observedRefund(refund('re_1', 300, 'failed', at(2)), at(5)));
  expect(termsOf(fold(events))).toMatchObject({ status: 'succeeded', amountRefunded: 0 });
});

it.each([
  ['warning_needs_response', false, 'inquiry'],
  ['warning_closed', true, 'succeeded'],
  ['prevented', false, 'succeeded'],
  ['won', true, 'succeeded'],
  ['lost', false, 'dispute_lost'],
  ['something_new', true, 'succeeded'],
  ['something_new', false, 'disputed'],
] as const)('shows a dispute that is %s (closed: %s) as %s', (status, isClosed, expected) => {
  const observations = [
    observedCharge(charge('ch_1'), at(1)),
    observedDispute(dispute('du_1', status), at(2), isClosed),
  ];
  expect(termsOf(fold(observations))?.status).toBe(expected);
});
