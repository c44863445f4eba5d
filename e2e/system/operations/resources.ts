import { randomBytes, randomUUID } from 'node:crypto';
import type { ReferralCode } from '@billing/client';
import {
  ApiKeyId,
  CouponId,
  CustomerId,
  EventId,
  InvitationId,
  InvoiceId,
  PaymentId,
  PortalSessionId,
  PriceId,
  PriceMigrationId,
  ProductId,
  PromotionCodeId,
  ReferralId,
  SubscriptionId,
  SyncId,
  TestClockId,
  WebhookDeliveryId,
  WebhookEndpointId,
} from '@billing/contracts/ids';
import { deadLetterIdOf } from '@billing/contracts/resources/dead-letter';
import { creditIdOf } from '@billing/contracts/resources/referral';
import { waitFor } from '@billing/testing/wait-for';
import {
  canceledSync,
  newFailedCredit,
  newGivenFeature,
  newInvoiceItem,
  newPriceMigration,
  newPromotionCode,
  newUsage,
} from '../billing-records.ts';
import { ok } from '../http.ts';
import { newDeadLetter } from '../failed-events.ts';
import { newDelivery } from '../webhook-records.ts';
import { newCustomer, newEmail, newMonthlyPrice, newSubscription, type Tenant } from '../tenant.ts';

/** The id of one resource of each kind, under the names that paths, queries and bodies use. */
export type Resources = Readonly<Record<(typeof ID_NAMES)[number], string>>;

/** The names under which requests carry ids of resources; ids of teams and projects come from the tenant. */
export const ID_NAMES = [
  'productId',
  'priceId',
  'customerId',
  'refereeCustomerId',
  'referrerCustomerId',
  'subscriptionId',
  'invoiceId',
  'itemId',
  'paymentId',
  'processorCustomerId',
  'processorSubscriptionId',
  'processorInvoiceId',
  'processorPaymentIntentId',
  'code',
  'keyId',
  'sessionId',
  'eventId',
  'deadLetterId',
  'userId',
  'invitationId',
  'syncId',
  'priceMigrationId',
  'testClockId',
  'creditId',
  'webhookEndpointId',
  'webhookDeliveryId',
  'publicEventId',
  'featureKey',
  'externalCustomerId',
  'couponId',
  'promotionCodeId',
  'promotionCodeText',
] as const;

/**
 * Creates one resource of each kind in the tenant's project; `token` opens the portal of its customer. The customer has
 * referred another, and the credit for that failed; the referee is not referred yet.
 */
export async function newResources(tenant: Tenant): Promise<Resources & { readonly token: string }> {
  const { billing, user, P, teamPath } = tenant;
  const [{ productId, priceId }, refereeCustomerId, key, { members }, { invitation }] = await Promise.all([
    newMonthlyPrice(tenant),
    newCustomer(tenant),
    ok(user.post(`${P}/api-keys`, { name: 'x', scopes: ['products:read'] }), 201),
    ok(user.get(`${teamPath}/members`)),
    ok(user.post(`${teamPath}/members`, { email: newEmail(), role: 'member' }), 202),
  ]);
  const { id: subscriptionId, customerId, processorSubscriptionId } = await newSubscription(tenant, priceId);
  const creditId = await newFailedCredit(tenant, { customerId, priceId });
  await billing.referrals.updateConfig({ enabled: true, referrerCreditAmount: 0, refereeCreditAmount: 0 });
  const [
    { code },
    { sessionId, token },
    billed,
    { processorCustomerId },
    deadLetterId,
    syncId,
    sent,
    given,
    discount,
    priceMigrationId,
    itemId,
    testClock,
  ] = await Promise.all([
    codeOf(tenant, customerId),
    billing.portal.create({ customerId }),
    findBilled(tenant, customerId),
    billing.customers.get(customerId),
    newDeadLetter(tenant),
    canceledSync(tenant),
    newDelivery(tenant, customerId),
    newGivenFeature(tenant, { productId, priceId, customerId }),
    newPromotionCode(tenant),
    newPriceMigration(tenant, priceId),
    newInvoiceItem(tenant, subscriptionId),
    billing.testClocks.create({ name: 'A year' }),
    newUsage(tenant, customerId),
  ]);
  const ids = { productId, priceId, customerId, refereeCustomerId, subscriptionId, code, sessionId };
  return {
    ...ids,
    ...billed,
    ...sent,
    ...given,
    couponId: discount.couponId,
    promotionCodeId: discount.id,
    promotionCodeText: discount.code,
    processorCustomerId,
    processorSubscriptionId,
    referrerCustomerId: customerId,
    deadLetterId,
    syncId,
    priceMigrationId,
    testClockId: testClock.id,
    itemId,
    creditId,
    keyId: key.apiKey.id,
    userId: members[0].userId,
    invitationId: invitation.id,
    token,
  };
}

async function codeOf({ billing }: Tenant, customerId: string): Promise<ReferralCode> {
  const [code] = (await billing.referrals.listCodes({ customerId }).page()).items;
  if (!code) throw new Error('The customer has a code.');
  return code;
}

/** Waits until the customer's invoice and payment are recorded, and returns their ids and that of a processed event of the project. */
function findBilled({ api, P }: Tenant, customerId: string) {
  return waitFor(
    async () => {
      const [{ invoices }, { payments }, { webhookEvents }] = await Promise.all([
        ok(api.get(`${P}/invoices?customerId=${customerId}`)),
        ok(api.get(`${P}/payments?customerId=${customerId}`)),
        ok(api.get(`${P}/webhook-events?status=processed&type=invoice.paid`)),
      ]);
      const [invoice, payment, event] = [invoices[0], payments[0], webhookEvents[0]];
      if (!invoice || !payment?.invoiceId || !event) return undefined;
      return {
        invoiceId: String(invoice.id),
        processorInvoiceId: String(invoice.processorInvoiceId),
        processorPaymentIntentId: String(payment.processorPaymentIntentId),
        paymentId: String(payment.id),
        eventId: String(event.id),
      };
    },
    { what: 'the invoice of the subscription', intervalMs: 50 },
  );
}

const processorId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;

/** Returns ids of the right form, which name nothing. */
export function unknownIds(): Resources {
  return {
    productId: ProductId.create(),
    priceId: PriceId.create(),
    customerId: CustomerId.create(),
    refereeCustomerId: CustomerId.create(),
    referrerCustomerId: CustomerId.create(),
    subscriptionId: SubscriptionId.create(),
    invoiceId: InvoiceId.create(),
    itemId: processorId('ii'),
    paymentId: PaymentId.create(),
    processorCustomerId: processorId('cus'),
    processorSubscriptionId: processorId('sub'),
    processorInvoiceId: processorId('in'),
    processorPaymentIntentId: processorId('pi'),
    code: randomBytes(4).toString('hex').toUpperCase(),
    keyId: ApiKeyId.create(),
    sessionId: PortalSessionId.create(),
    eventId: `evt_${randomBytes(12).toString('hex')}`,
    deadLetterId: deadLetterIdOf('subscriptions', randomUUID()),
    userId: randomBytes(16).toString('hex'),
    invitationId: InvitationId.create(),
    syncId: SyncId.create(),
    priceMigrationId: PriceMigrationId.create(),
    testClockId: TestClockId.create(),
    creditId: creditIdOf({ referralId: ReferralId.create(), side: 'referrer' }),
    webhookEndpointId: WebhookEndpointId.create(),
    webhookDeliveryId: WebhookDeliveryId.create(),
    publicEventId: EventId.create(),
    featureKey: `f${randomBytes(8).toString('hex')}`,
    externalCustomerId: `user-${randomBytes(8).toString('hex')}`,
    couponId: CouponId.create(),
    promotionCodeId: PromotionCodeId.create(),
    promotionCodeText: randomBytes(8).toString('hex').toUpperCase(),
  };
}
