import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Service } from './service.ts';
import { APRIL_13, MAY, subscribeOnClock } from './subscribe-on-clock.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('the preview of a change of what is scheduled', () => {
  /** Five seats in April, of which three of a cheaper plan are left in May. */
  async function startScheduled() {
    const started = await subscribeOnClock(service);
    const cheap = await started.createPrice({ unitAmount: 500 });
    const { status } = await started.change({ priceId: cheap.id, quantity: 3, when: 'period_end' });
    expect(status).toBe(200);
    await started.advance(APRIL_13);
    return { ...started, cheap };
  }

  const PRORATIONS = ['none', 'create_prorations', 'always_invoice'] as const;

  it('shows what another quantity makes of the plan that stays scheduled', async () => {
    const { preview, change, processorId } = await startScheduled();
    for (const [index, proration] of PRORATIONS.entries()) {
      const quantity = 8 + index;
      const { body } = await preview({ quantity, proration });
      expect((await change({ quantity, proration })).status).toBe(200);
      const next = await service.processor.previewInvoice(processorId);
      expect(body.preview.nextInvoice).toEqual({ at: MAY, total: next?.total });
      expect(next?.lines.filter(({ isProration }) => !isProration)).toMatchObject([{ amount: quantity * 500 }]);
    }
  });

  it('shows the plan that replaces it now', async () => {
    const { preview, change, createPrice, processorId, cheap } = await startScheduled();
    for (const [index, proration] of PRORATIONS.entries()) {
      const { id: priceId } = await createPrice({ unitAmount: 2_400 + index });
      const { body } = await preview({ priceId, proration });
      expect((await change({ priceId, proration })).status).toBe(200);
      const next = await service.processor.previewInvoice(processorId);
      expect(body.preview.nextInvoice).toEqual({ at: MAY, total: next?.total });
      expect((await change({ priceId: cheap.id, when: 'period_end' })).status).toBe(200);
    }
  });

  it('shows the plan that replaces it now, with the period that begins', async () => {
    const { preview, change, createPrice, processorId } = await startScheduled();
    const { id: priceId } = await createPrice({ unitAmount: 9_000, interval: 'year' });
    const { body } = await preview({ priceId });
    const nextInvoice = { at: '2027-04-13T09:17:31.000Z', total: 45_000 };
    expect(body.preview).toMatchObject({ lines: [{ proration: true }, { amount: 45_000 }], nextInvoice });
    expect((await change({ priceId })).status).toBe(200);
    expect(await service.processor.previewInvoice(processorId)).toMatchObject({
      at: new Date(nextInvoice.at),
      total: nextInvoice.total,
    });
  });

  it('shows the plan that replaces it at the end of the period', async () => {
    const { preview, change, createPrice, processorId } = await startScheduled();
    const yearly = await createPrice({ unitAmount: 9_000, interval: 'year' });
    const { body } = await preview({ priceId: yearly.id, when: 'period_end' });
    expect(body.preview).toMatchObject({ amountDue: 0, total: 45_000, nextInvoice: { at: MAY, total: 45_000 } });
    expect((await change({ priceId: yearly.id, when: 'period_end' })).status).toBe(200);
    expect(await service.processor.previewInvoice(processorId)).toMatchObject({ total: 45_000, at: new Date(MAY) });
  });

  it('is due today from free to paid, also without the discounts that the schedule keeps', async () => {
    const coupon = await service.account.dashboard.coupons.create({ percent_off: 50, duration: 'forever' });
    const started = await subscribeOnClock(service, {
      items: [{ unitAmount: 0 }],
      more: { discounts: [{ coupon: coupon.id }] },
    });
    const { preview, change, createPrice, processorId } = started;
    const [cheap, dear] = [await createPrice({ unitAmount: 500 }), await createPrice({ unitAmount: 2_000 })];
    await change({ priceId: cheap.id, when: 'period_end' });
    await started.advance(APRIL_13);
    const wanted = { priceId: dear.id, promotionCode: null, proration: 'none' };
    const { body } = await preview(wanted);
    const nextInvoice = { at: '2026-05-13T09:17:31.000Z', total: 2_000 };
    expect(body.preview).toMatchObject({ amountDue: 2_000, total: 2_000, nextInvoice });
    expect((await change({ ...wanted, expectedAmountDue: 0 })).body.error.details).toMatchObject({ actual: 2_000 });
    const made = await change({ ...wanted, expectedAmountDue: 2_000 });
    expect(made.body).toMatchObject({ change: { status: 'applied' }, invoice: { amountPaid: 2_000 } });
    expect(await service.processor.previewInvoice(processorId)).toMatchObject({ total: 2_000 });
  });
});
