import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FeatureSaved, ProductFeatureSaved } from '@billing/contracts/events/features';
import { PriceId, SubscriptionId } from '@billing/contracts/ids';
import type { Processor } from '@billing/processor/port';
import { newEvent } from '@billing/testing/events';
import { previewChange } from '../src/plan-changes/preview.ts';
import { startService, type Service } from './service.ts';
import { APRIL_13, MAY, subscribeOnClock } from './subscribe-on-clock.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('the preview of a change', () => {
  it('of more seats has the lines and the amount of the invoice, and the next one', async () => {
    const { advance, preview, price } = await subscribeOnClock(service);
    await advance(APRIL_13);
    const { status, body } = await preview({ quantity: 8 });
    expect(status).toBe(200);
    const priceId = price.id;
    const rest = { priceId, periodStart: APRIL_13, periodEnd: MAY, proration: true };
    expect(body.preview).toEqual({
      direction: 'up',
      effectiveAt: APRIL_13,
      currency: 'usd',
      amountDue: 2_113,
      subtotal: 2_113,
      discount: 0,
      tax: 0,
      creditApplied: 0,
      creditGranted: 0,
      debitApplied: 0,
      carriedOver: 0,
      total: 2_113,
      lines: [
        { ...rest, description: expect.any(String), amount: -3_523, quantity: 5 },
        { ...rest, description: expect.any(String), amount: 5_636, quantity: 8 },
      ],
      nextInvoice: { at: MAY, total: 9_600 },
      prorationDate: APRIL_13,
      exact: true,
      expiresAt: '2026-04-13T09:32:31.000Z',
      entitlementChanges: [],
    });
  });

  it('counts from the date of an earlier preview, until that is 15 minutes old by the clock of the customer', async () => {
    const { advance, preview } = await subscribeOnClock(service);
    await advance(APRIL_13);
    await advance('2026-04-13T09:32:31Z');
    const again = await preview({ quantity: 8, prorationDate: APRIL_13 });
    expect(again.body.preview).toMatchObject({ amountDue: 2_113, prorationDate: APRIL_13 });
    await advance('2026-04-13T09:32:32Z');
    const late = await preview({ quantity: 8, prorationDate: APRIL_13 });
    expect([late.status, late.body.error.code]).toEqual([409, 'preview_expired']);
  });

  it('of fewer seats grants credit, and charges nothing', async () => {
    const { advance, preview } = await subscribeOnClock(service);
    await advance(APRIL_13);
    const { body } = await preview({ quantity: 3 });
    expect(body.preview).toMatchObject({ direction: 'down', amountDue: 0, total: -1_409, creditGranted: 1_409 });
    expect(body.preview.nextInvoice).toEqual({ at: MAY, total: 3_600 });
  });

  it('is 0 today when it is billed with the next period, whose total has it', async () => {
    const { advance, preview } = await subscribeOnClock(service);
    await advance(APRIL_13);
    const { body } = await preview({ quantity: 8, proration: 'create_prorations' });
    expect(body.preview).toMatchObject({ amountDue: 0, total: 11_713, nextInvoice: { at: MAY, total: 11_713 } });
    expect(body.preview.lines).toHaveLength(3);
  });

  it.each([
    ['the credit of the customer', -500, { amountDue: 1_613, creditApplied: 500, debitApplied: 0 }],
    ['what the customer owes from before', 700, { amountDue: 2_813, creditApplied: 0, debitApplied: 700 }],
  ])('takes %s into account', async (_what, amount, amounts) => {
    const { advance, preview, payer } = await subscribeOnClock(service);
    const transaction = { amount, currency: 'usd', description: 'Sorry', metadata: {} };
    await service.processor.createBalanceTransaction(payer.id, transaction, payer.id);
    await advance(APRIL_13);
    expect((await preview({ quantity: 8 })).body.preview).toMatchObject({ ...amounts, total: 2_113, creditGranted: 0 });
  });

  it('is 0 below the least charge of the processor', async () => {
    const { advance, preview } = await subscribeOnClock(service, { items: [{ unitAmount: 10, quantity: 5 }] });
    await advance(APRIL_13);
    const { body } = await preview({ quantity: 8 });
    expect(body.preview).toMatchObject({ amountDue: 0, total: 18, creditGranted: 0, carriedOver: 18 });
  });

  it('of another interval is not exact, and begins a period now', async () => {
    const { advance, preview, createPrice } = await subscribeOnClock(service, {
      start: '2026-03-01T00:00:00Z',
      items: [{ unitAmount: 2_999 }],
    });
    const yearly = await createPrice({ unitAmount: 29_900, interval: 'year' });
    await advance('2026-03-21T00:00:00Z');
    const { body } = await preview({ priceId: yearly.id });
    expect(body.preview).toMatchObject({
      direction: 'down',
      amountDue: 28_836,
      exact: false,
      prorationDate: null,
      nextInvoice: { at: '2027-03-21T00:00:00.000Z', total: 29_900 },
    });
    expect(body.preview.lines).toMatchObject([{ amount: -1_064 }, { amount: 29_900, priceId: yearly.id }]);
  });

  it('from free to paid is not exact, and begins a period now', async () => {
    const { advance, preview, change, createPrice } = await subscribeOnClock(service, { items: [{ unitAmount: 0 }] });
    const paid = await createPrice({ unitAmount: 2_000 });
    await advance(APRIL_13);
    for (const proration of ['always_invoice', 'create_prorations', 'none'] as const) {
      const { body } = await preview({ priceId: paid.id, proration });
      expect(body.preview).toMatchObject({
        amountDue: 2_000,
        exact: false,
        prorationDate: null,
        nextInvoice: { at: '2026-05-13T09:17:31.000Z', total: 2_000 },
      });
    }
    const later = await preview({ priceId: paid.id, when: 'period_end' });
    expect(later.body.preview).toMatchObject({
      amountDue: 0,
      total: 2_000,
      lines: [{ amount: 2_000, periodStart: MAY, periodEnd: '2026-06-01T00:00:00.000Z' }],
    });
    await advance('2026-04-13T09:20:00Z');
    const made = await change({ priceId: paid.id, expectedAmountDue: 2_000 });
    expect(made.body).toMatchObject({ change: { status: 'applied' }, invoice: { amountPaid: 2_000 } });
  });

  it('at the end of the period charges nothing today, and shows the next invoice', async () => {
    const { preview, createPrice } = await subscribeOnClock(service);
    const cheap = await createPrice({ unitAmount: 500 });
    const { body } = await preview({ priceId: cheap.id, when: 'auto' });
    expect(body.preview).toMatchObject({
      direction: 'down',
      effectiveAt: MAY,
      amountDue: 0,
      total: 2_500,
      nextInvoice: { at: MAY, total: 2_500 },
    });
    expect(body.preview.lines).toMatchObject([{ amount: 2_500, periodStart: MAY }]);
  });

  it('at the end of the period has the new interval from then on', async () => {
    const { preview, createPrice } = await subscribeOnClock(service);
    const yearly = await createPrice({ unitAmount: 9_000, interval: 'year' });
    const { body } = await preview({ priceId: yearly.id, when: 'period_end' });
    expect(body.preview).toMatchObject({ amountDue: 0, total: 45_000, nextInvoice: { at: MAY, total: 45_000 } });
    expect(body.preview.lines).toMatchObject([{ periodStart: MAY, periodEnd: '2027-05-01T00:00:00.000Z' }]);
  });

  it('in a trial charges nothing, and that which ends the trial a whole period today', async () => {
    const trial_end = Date.parse('2026-04-15T00:00:00Z') / 1_000;
    const { advance, preview, change, atProcessor } = await subscribeOnClock(service, { more: { trial_end } });
    await advance(APRIL_13);
    const kept = await preview({ quantity: 8 });
    const nextInvoice = { at: '2026-04-15T00:00:00.000Z', total: 9_600 };
    expect(kept.body.preview).toMatchObject({ amountDue: 0, total: 9_600, exact: true, nextInvoice });
    const ended = await preview({ quantity: 8, trial: 'end' });
    expect(ended.body.preview).toMatchObject({
      amountDue: 9_600,
      exact: true,
      nextInvoice: { at: '2026-05-13T09:17:31.000Z', total: 9_600 },
    });
    const { prorationDate } = ended.body.preview;
    const made = await change({ quantity: 8, trial: 'end', prorationDate, expectedAmountDue: 9_600 });
    expect(made.body).toMatchObject({ change: { status: 'applied' }, invoice: { status: 'paid', amountPaid: 9_600 } });
    expect(await atProcessor()).toMatchObject({ status: 'active' });
  });

  it('has no next invoice when the subscription ends', async () => {
    const { advance, preview, processorId } = await subscribeOnClock(service);
    await service.processor.setCancelAtPeriodEnd(processorId, true, processorId);
    await advance(APRIL_13);
    const now = await preview({ quantity: 8 });
    expect(now.body.preview).toMatchObject({ amountDue: 2_113, nextInvoice: null });
    const unbilled = await preview({ quantity: 8, proration: 'none' });
    expect(unbilled.body.preview).toMatchObject({ amountDue: 0, total: 0, lines: [], nextInvoice: null });
  });

  it('tells what the customer gains and loses', async () => {
    const { preview, createPrice, price, scope } = await subscribeOnClock(service);
    const { teamId, projectId } = scope;
    const other = await createPrice({ unitAmount: 3_000 });
    const given = { projectId, per: 'subscription', version: 1 } as const;
    const feature = { projectId, values: null, merge: null, isActive: true, version: 1 };
    for (const event of [
      newEvent(FeatureSaved, teamId, { ...feature, key: 'seats', type: 'limit', merge: 'sum' }),
      newEvent(FeatureSaved, teamId, { ...feature, key: 'sso', type: 'boolean' }),
      newEvent(FeatureSaved, teamId, { ...feature, key: 'old', type: 'boolean' }),
      newEvent(ProductFeatureSaved, teamId, {
        ...given,
        ownerId: price.productId,
        key: 'seats',
        value: 2,
        per: 'quantity',
      }),
      newEvent(ProductFeatureSaved, teamId, { ...given, ownerId: price.productId, key: 'old', value: true }),
      newEvent(ProductFeatureSaved, teamId, {
        ...given,
        ownerId: other.productId,
        key: 'seats',
        value: 3,
        per: 'quantity',
      }),
      newEvent(ProductFeatureSaved, teamId, { ...given, ownerId: other.productId, key: 'sso', value: true }),
    ])
      await service.deliver(event);
    const { body } = await preview({ priceId: other.id, quantity: 6 });
    expect(body.preview.entitlementChanges).toEqual([
      { feature: 'old', from: true, to: null },
      { feature: 'seats', from: 10, to: 18 },
      { feature: 'sso', from: null, to: true },
    ]);
  });

  it('has the figures of the processor, even if they do not add up', async () => {
    const { id, scope, price } = await subscribeOnClock(service);
    const period = { periodStart: new Date('2026-04-02T00:00:00Z'), periodEnd: new Date('2026-04-03T00:00:00Z') };
    const figures = { subtotal: 11, discount: 5, tax: 3, total: 1_017, amountDue: 1_019 };
    const shown = { ...period, description: null, amount: 23, quantity: 29 };
    const previewInvoice: Processor['previewInvoice'] = async (_subscription, _change, mode) => ({
      ...figures,
      id: 'upcoming_in_1',
      currency: 'usd',
      lacksTaxLocation: false,
      startingBalance: 0,
      endingBalance: 0,
      prorationDate: null,
      at: mode === 'recurring' ? new Date(MAY) : period.periodStart,
      lines: [{ ...shown, priceId: price.processorPriceId, isProration: true }],
    });
    const processors = { of: async () => ({ ...service.processor, previewInvoice }) };
    const preview = previewChange({ ...service, processors });
    const wanted = { quantity: 8, when: 'now', trial: 'keep', billingCycle: 'keep' } as const;
    expect(await preview(scope, { id }, wanted)).toMatchObject({
      ...figures,
      lines: [{ ...shown, priceId: price.id, proration: true }],
      nextInvoice: { at: new Date(MAY), total: figures.total },
    });
  });

  it('changes nothing', async () => {
    const { preview, atProcessor, get, invoicesAtProcessor } = await subscribeOnClock(service);
    const before = [await atProcessor(), await get(), await invoicesAtProcessor()];
    expect((await preview({ quantity: 8 })).status).toBe(200);
    expect([await atProcessor(), await get(), await invoicesAtProcessor()]).toEqual(before);
  });
});

describe('a preview is refused', () => {
  it('for what does not exist', async () => {
    const { preview, scope } = await subscribeOnClock(service);
    const unknown = await preview({ priceId: PriceId.create() });
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'price_not_found']);
    const path = `/subscriptions/${SubscriptionId.create()}/change/preview`;
    const missing = await service.call('POST', path, { of: scope, body: { quantity: 2 } });
    expect([missing.status, missing.body.error.code]).toEqual([404, 'subscription_not_found']);
  });

  it('for a price that is archived, unless the subscription has it', async () => {
    const { preview, price, createPrice, advance } = await subscribeOnClock(service);
    const archived = await createPrice();
    for (const { id, processorPriceId } of [price, archived]) {
      await service.processor.updatePrice(processorPriceId, { isActive: false }, `archive-${id}`);
      const owned = service.prices.get(id);
      if (owned) service.prices.set(id, { ...owned, price: { ...owned.price, isActive: false, version: 2 } });
    }
    await advance(APRIL_13);
    const archivedThere = await createPrice();
    await service.processor.updatePrice(
      archivedThere.processorPriceId,
      { isActive: false },
      `archive-${archivedThere.id}`,
    );
    for (const { id: priceId } of [archived, archivedThere]) {
      const other = await preview({ priceId });
      expect([other.status, other.body.error.code]).toEqual([422, 'price_inactive']);
    }
    expect((await preview({ quantity: 8 })).body.preview).toMatchObject({ amountDue: 2_113 });
    expect((await preview({ items: [{ priceId: price.id, quantity: 8 }] })).body.preview.amountDue).toBe(2_113);
  });

  it('when someone else has scheduled changes of the subscription', async () => {
    const { preview, processorId } = await subscribeOnClock(service);
    await service.processor.createSchedule(processorId, processorId);
    const { status, body } = await preview({ quantity: 8 });
    expect([status, body.error.code]).toEqual([422, 'subscription_has_schedule']);
  });

  it('by the state at the processor, which events have not told yet', async () => {
    const { preview, processorId } = await subscribeOnClock(service);
    await service.account.dashboard.subscriptions.cancel(processorId);
    const { status, body } = await preview({ quantity: 8 });
    expect([status, body.error.code]).toEqual([422, 'subscription_ended']);
  });

  it('of a subscription that ends while the processor is asked', async () => {
    const { id, scope, processorId } = await subscribeOnClock(service);
    const previewInvoice: Processor['previewInvoice'] = async (...asked) => {
      await service.account.dashboard.subscriptions.cancel(processorId);
      return service.processor.previewInvoice(...asked);
    };
    const processors = { of: async () => ({ ...service.processor, previewInvoice }) };
    const wanted = { quantity: 8, when: 'now', trial: 'keep', billingCycle: 'keep' } as const;
    const previewed = previewChange({ ...service, processors })(scope, { id }, wanted);
    await expect(previewed).rejects.toMatchObject({ code: 'subscription_ended' });
  });
});
