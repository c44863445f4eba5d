import { SubscriptionChangeId } from '@billing/contracts/ids';
import { CANCELLATION_REASONS } from '@billing/contracts/resources/cancellation';
import { expect, it } from 'vitest';
import { aPromotionCode } from './catalog-samples.ts';
import { aSubscription } from './billing-samples.ts';
import { fieldsOf } from './start-plans.ts';
import { startService, type Service } from './start-service.ts';

const HALF = { percentOff: 50, amountOff: null, currency: null, duration: 'repeating', durationInMonths: 3 } as const;

/** A customer with a subscription in a project that asks why it is canceled, and may make an offer. */
async function startCanceling(service: Service, { offers = false } = {}) {
  const code = aPromotionCode(service);
  service.otherServices.promotionCodes.push(code);
  const saveOffer = offers ? { promotionCodeId: code.promotionCode.id } : null;
  await service.configure({ cancellation: { askReason: true, saveOffer } });
  if (offers) service.otherServices.saveOffer = HALF;
  const subscription = aSubscription(service);
  service.otherServices.subscriptions.push(subscription);
  const { token } = await service.createLink();
  return { token, subscription, path: `/subscriptions/${subscription.id}` };
}

it('asks without script why a customer cancels, and sends the reason and the comment', async () => {
  await using service = await startService();
  const { token, path } = await startCanceling(service);
  const page = (await service.visit(token, `${path}/cancel`)).body;
  for (const reason of CANCELLATION_REASONS) expect(page).toContain(`value="${reason}"`);
  expect(page).not.toContain('save-offer');
  expect((await service.visit(token)).body).toContain('name="reason"');
  const fields = { reason: 'unused', comment: 'No time.\r\nSorry.' };
  const { statusCode, headers } = await service.submit(token, `${path}/cancel`, fields);
  expect([statusCode, headers.location]).toEqual([303, expect.stringContaining('notice=cancel-scheduled')]);
  expect(service.otherServices.cancellations).toMatchObject([
    { cancellation: { reason: 'unused', comment: 'No time.\nSorry.' }, declinesOffer: false },
  ]);
});

it('shows that a scheduled change is canceled too, unless a migration has scheduled it', async () => {
  await using service = await startService();
  const { token, path, subscription } = await startCanceling(service);
  const isShown = async () =>
    (await service.visit(token, `${path}/cancel`)).body.includes('Your scheduled change is canceled.');
  expect(await isShown()).toBe(false);
  subscription.scheduledChange = { id: SubscriptionChangeId.create(), items: [], effectiveAt: new Date() };
  expect(await isShown()).toBe(true);
  subscription.isMigrating = true;
  expect(await isShown()).toBe(false);
});

it('cancels whatever the fields of the form are', async () => {
  await using service = await startService();
  const { token, path } = await startCanceling(service);
  const long = `\0${'\ud83d\ude00'.repeat(300)}`;
  for (const fields of [{}, { reason: 'x', comment: '', offer: 'x', cancelAtPeriodEnd: 'no' }, { comment: long }])
    expect((await service.submit(token, `${path}/cancel`, fields)).statusCode).toBe(303);
  expect(service.otherServices.cancellations).toMatchObject([
    { cancelAtPeriodEnd: true, cancellation: null },
    { cancelAtPeriodEnd: true, cancellation: null },
    { cancelAtPeriodEnd: true, cancellation: { reason: null, comment: '\ud83d\ude00'.repeat(250) } },
  ]);
});

it('makes an offer once before the customer cancels, which is accepted once by two clicks', async () => {
  await using service = await startService();
  const { token, path, subscription } = await startCanceling(service, { offers: true });
  // Only the page finds out whether the offer can be made.
  expect((await service.visit(token)).body).not.toContain('data-dialog="cancel');
  expect((await service.visit(token, `${path}/cancel`)).body).toContain('Stay, and get 50% off for 3 months.');
  for (let times = 0; times < 2; times += 1)
    expect((await service.submit(token, `${path}/save-offer`)).headers.location).toContain('notice=offer-accepted');
  expect(subscription.saveOffer).toBe('accepted');
  expect((await service.visit(token, `${path}/cancel`)).body).not.toContain('save-offer');
  expect((await service.visit(token)).body).toContain('data-dialog="cancel');
});

it('does not give another discount than the page has offered', async () => {
  await using service = await startService();
  const { token, path, subscription } = await startCanceling(service, { offers: true });
  const fields = fieldsOf((await service.visit(token, `${path}/cancel`)).body);
  const other = aPromotionCode(service);
  service.otherServices.promotionCodes.push(other);
  const saveOffer = { promotionCodeId: other.promotionCode.id };
  await service.configure({ cancellation: { askReason: true, saveOffer } });
  expect((await service.submit(token, `${path}/save-offer`, fields)).headers.location).toContain('notice=offer-gone');
  expect(subscription.saveOffer).toBeNull();
  const next = fieldsOf((await service.visit(token, `${path}/cancel`)).body);
  expect(next).toMatchObject(saveOffer);
  expect((await service.submit(token, `${path}/save-offer`, next)).headers.location).toContain('notice=offer-accepted');
});

it('makes no offer again to a customer who has canceled in spite of it', async () => {
  await using service = await startService();
  const { token, path } = await startCanceling(service, { offers: true });
  expect((await service.visit(token, `${path}/cancel`)).body).toContain('name="offer" value="declined"');
  await service.submit(token, `${path}/cancel`, { offer: 'declined' });
  await service.submit(token, `${path}/resume`);
  expect((await service.visit(token, `${path}/cancel`)).body).not.toContain('save-offer');
  expect((await service.submit(token, `${path}/save-offer`)).headers.location).toContain('notice=offer-gone');
});

it('shows the page without an offer where none can be made', async () => {
  await using service = await startService();
  const { token, path } = await startCanceling(service, { offers: true });
  service.otherServices.saveOffer = null;
  const page = await service.visit(token, `${path}/cancel`);
  expect(page.statusCode).toBe(200);
  expect(page.body).not.toContain('save-offer');
});
