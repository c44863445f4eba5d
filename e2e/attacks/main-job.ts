import { waitFor } from '@billing/testing/wait-for';
import { drain } from '../system/drain.ts';
import { Caller, ok } from '../system/http.ts';
import {
  newEmail,
  newMonthlyPrice,
  payOnHostedPage,
  waitForActiveSubscription,
  newCheckout,
  type Tenant,
} from '../system/tenant.ts';

/** What the tenant knows of the customer. */
interface Person {
  readonly email: string;
  readonly name: string;
  readonly externalId: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Who is billed. */
interface Billed {
  readonly taxId: string;
  readonly line1: string;
  readonly purchaseOrder: string;
}

/**
 * Plays what a customer lives through: is created, referred, says who is billed, pays, subscribes, is granted a feature, opens the portal, cancels there and comes back,
 * is updated, and is canceled by the tenant. Returns the token of the portal link when every event of it is handled.
 */
export async function playMainJob(tenant: Tenant, person: Person, { taxId, line1, purchaseOrder }: Billed) {
  const { billing } = tenant;
  const { priceId } = await newMonthlyPrice(tenant);
  const referrer = await billing.customers.create({ email: newEmail(), name: 'Friend' });
  const referee = await billing.customers.create({ ...person, metadata: { ...person.metadata } });
  await billing.referrals.updateConfig({ enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 300 });
  const { code } = await billing.referrals.createCode({ customerId: referrer.id });
  await billing.referrals.apply({ code, refereeCustomerId: referee.id });
  const taxIds = [{ type: 'eu_vat', value: taxId }];
  const address = { line1, country: 'DE' };
  await billing.billingDetails.update(referee.id, { taxIds, address, purchaseOrder });
  const checkout = await newCheckout(tenant, referee.id, priceId);
  await payOnHostedPage(checkout.url);
  const subscription = await waitForActiveSubscription(tenant, referee.id);

  await billing.features.create({ key: 'seats', name: 'Seats', type: 'limit' });
  await billing.grants.set(referee.id, 'seats', { value: 5 });
  const isTold = async () => (await billing.events.list({ types: ['customer.state_changed'] }).page()).items.length > 0;
  await waitFor(isTold, { what: 'the event of what the customer may use' });

  const { token, portalUrl } = await billing.portal.create({ customerId: referee.id });
  const visitor = new Caller();
  await ok(visitor.get(new URL(portalUrl).pathname));
  const path = `/api/portal/${token}/subscriptions/${subscription.id}`;
  await ok(visitor.patch(path, { cancelAtPeriodEnd: true }));
  await ok(visitor.patch(path, { cancelAtPeriodEnd: false }));
  await ok(visitor.post(`/api/portal/${token}/setup-intent`));

  await billing.customers.update(referee.id, { metadata: { ...person.metadata, more: 'yes' } });
  await waitFor(async () => (await billing.referrals.listCredits({ status: 'credited' }).page()).items.length === 2, {
    what: 'both credits',
  });
  await billing.subscriptions.cancelNow(subscription.id);
  await drain(tenant);
  return { token };
}
