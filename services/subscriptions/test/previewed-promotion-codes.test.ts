import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Service } from './service.ts';
import { APRIL_13, MAY, subscribeOnClock } from './subscribe-on-clock.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('the promotion code of a change', () => {
  it('is named by its text in any case or by its id, and takes something off', async () => {
    const { advance, preview, scope } = await subscribeOnClock(service);
    const { promotionCode } = await service.createPromotionCode({ code: 'SPRING50' }, scope);
    await advance(APRIL_13);
    for (const named of ['spring50', promotionCode.id]) {
      const { body } = await preview({ quantity: 8, promotionCode: named });
      expect(body.preview).toMatchObject({ total: -3_523 + 2_818, nextInvoice: { total: 4_800, at: MAY } });
    }
  });

  it('alone makes no invoice, and shows the next one', async () => {
    const { preview, scope } = await subscribeOnClock(service);
    await service.createPromotionCode({ code: 'ONCE', coupon: { duration: 'once' } }, scope);
    const { body } = await preview({ promotionCode: 'once' });
    expect(body.preview).toMatchObject({ direction: 'same', amountDue: 0, discount: 3_000, total: 3_000 });
  });

  it('that counts once counts on the invoice of the change only', async () => {
    const { advance, preview, scope } = await subscribeOnClock(service);
    await service.createPromotionCode({ code: 'ONLY1', coupon: { duration: 'once' } }, scope);
    await advance(APRIL_13);
    const { body } = await preview({ quantity: 8, promotionCode: 'only1' });
    expect(body.preview).toMatchObject({ total: -3_523 + 2_818, nextInvoice: { total: 9_600, at: MAY } });
  });

  it('is refused by its state, unless the subscription has it already', async () => {
    const found = await service.createPromotionCode();
    const { id, processorPromotionCodeId } = found.promotionCode;
    const { scope, preview, processorId } = await subscribeOnClock(service);
    const refusals = ['promotion_code_inactive', 'promotion_code_expired', 'promotion_code_exhausted'] as const;
    for (const refusal of refusals) {
      const promotionCode = { ...found.promotionCode, projectId: scope.projectId };
      service.promotionCodes.set(id, { ...found, promotionCode, refusal });
      const refused = await preview({ promotionCode: id });
      expect([refused.status, refused.body.error.code]).toEqual([422, refusal]);
    }
    await service.processor.setDiscounts(processorId, [{ promotionCodeId: processorPromotionCodeId }], processorId);
    const kept = await preview({ quantity: 8, promotionCode: id });
    expect(kept.body.preview).toMatchObject({ nextInvoice: { total: 4_800 } });
  });

  it('is refused when only the processor knows that it is not for this payment', async () => {
    const { preview, scope } = await subscribeOnClock(service);
    const { promotionCode } = await service.createPromotionCode({ firstTimeOnly: true }, scope);
    const { status, body } = await preview({ promotionCode: promotionCode.id });
    expect([status, body.error.code]).toEqual([422, 'promotion_code_not_applicable']);
  });

  it('is not found when the project has no such code', async () => {
    const { preview } = await subscribeOnClock(service);
    const { status, body } = await preview({ promotionCode: 'none' });
    expect([status, body.error.code]).toEqual([404, 'promotion_code_not_found']);
  });

  it('is taken away with all discounts by null', async () => {
    const { promotionCode } = await service.createPromotionCode();
    const discounts = [{ promotion_code: promotionCode.processorPromotionCodeId }];
    const { preview } = await subscribeOnClock(service, { more: { discounts } });
    expect((await preview({ quantity: 8 })).body.preview.nextInvoice.total).toBe(4_800);
    expect((await preview({ promotionCode: null })).body.preview.nextInvoice.total).toBe(6_000);
    const none = await (await subscribeOnClock(service)).preview({ promotionCode: null });
    expect([none.status, none.body.error.code]).toEqual([422, 'no_change']);
  });
});
