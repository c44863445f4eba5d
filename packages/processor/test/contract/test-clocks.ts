import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { isMissing, isRefused } from '../../src/errors.ts';
import type { Cases } from './cases.ts';

const DAY_MS = 86_400_000;
/** The events of a clock have its time, and those that come are expected to be of the past. */
const START = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 70 * DAY_MS);
/** Stripe takes some seconds to advance a clock. */
const LONG_MS = 120_000;

/** Tests clocks of test mode, and cards that behave as wanted. */
export function testClockCases({ processor, key, createPrice, monthly }: Cases): void {
  const refusal = (call: Promise<unknown>) => call.catch((err: unknown) => err);

  it('advances a clock with its customers, in whose lists they are alone', async () => {
    const created = await processor().createTestClock({ name: 'Contract', now: START }, key());
    expect(created).toMatchObject({ name: 'Contract', status: 'ready' });
    try {
      const { id } = await processor().createCustomer(
        { email: 'clock@example.com', metadata: {}, testClockId: created.id },
        key(),
      );
      expect(await processor().findCustomer(id)).toMatchObject({ testClockId: created.id });
      expect((await processor().listCustomersByEmail('clock@example.com')).map(one => one.id)).not.toContain(id);
      expect((await processor().listCustomersOnTestClock(created.id)).map(one => one.id)).toEqual([id]);

      const { paymentMethodId } = await processor().attachTestCard(id, 'pm_card_visa', key());
      await processor().updateCustomer(id, { defaultPaymentMethodId: paymentMethodId }, key());
      const price = await createPrice(monthly);
      const subscription = await processor().createSubscription(
        {
          customerId: id,
          items: [{ priceId: price.id, quantity: 1 }],
          addedOnce: [],
          currency: 'usd',
          automaticTax: false,
          metadata: {},
        },
        key(),
      );
      const [listed] = await processor().listSubscriptionsOnTestClock(created.id);
      expect(listed).toMatchObject({ id: subscription.id, testClockId: created.id });

      const to = subscription.currentPeriodEnd;
      const tooFar = new Date(to.getTime() + 90 * DAY_MS);
      expect(await refusal(processor().advanceTestClock(created.id, tooFar, key()))).toSatisfy(isRefused);
      const reached = async (time: Date) => {
        await processor().advanceTestClock(created.id, time, key());
        const isReady = async () => (await processor().findTestClock(created.id)).status === 'ready';
        await waitFor(isReady, { what: 'the clock to be ready', timeoutMs: LONG_MS });
        expect((await processor().findTestClock(created.id)).now).toEqual(time);
        return processor().listInvoices(id);
      };
      const [draft] = await reached(to);
      expect(draft).toMatchObject({ status: 'draft', testClockId: created.id, finalizesAt: expect.any(Date) });
      const [paid] = await reached(draft?.finalizesAt ?? to);
      expect(paid).toMatchObject({ id: draft?.id, status: 'paid' });
      expect((await processor().listCharges(id)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    } finally {
      await processor().deleteTestClock(created.id);
    }
    expect(await refusal(processor().findTestClock(created.id))).toSatisfy(isMissing);
    await processor().deleteTestClock(created.id);
  });

  it('puts a customer who exists on a clock', async () => {
    const { id } = await processor().createCustomer({ email: 'later@example.com', metadata: {} }, key());
    const clock = await processor().createTestClock({ name: 'Later', now: START, customerId: id }, key());
    expect(await processor().findCustomer(id)).toMatchObject({ testClockId: clock.id });
    await processor().deleteTestClock(clock.id);
  });
}
