import { expect } from 'vitest';
import { type ApiAccount, idOf } from './account.ts';
import { apiCase } from './case.ts';
import { APRIL, changing, NOW } from './plan-changes.ts';

const HOUR = 3_600;
const SITUATION = { ...APRIL, amount: 3_000 };
const PENDING = { ...NOW, payment_behavior: 'pending_if_incomplete' } as const;

/** Makes a test card the customer's default from now on. */
export async function useCard({ stripe, once }: ApiAccount, card: string, customer: string): Promise<void> {
  const { id } = await stripe.paymentMethods.attach(card, { customer }, once());
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } }, once());
}

export const paymentBehaviorCases = [
  apiCase('waits for its payment when the card declines, and applies once it is paid', async account => {
    const { stripe, once, record, findEvent } = account;
    await changing(account, SITUATION, async ({ subscription, to, change }) => {
      const customer = idOf(subscription.customer);
      await useCard(account, 'pm_card_chargeCustomerFail', customer);
      const held = await change({ ...to({ quantity: 3 }), ...PENDING, metadata: { change: '1' } });
      expect(record('held', held.subscription)).toMatchObject({
        status: 'active',
        metadata: {},
        items: { data: [{ quantity: 1 }] },
        pending_update: { expires_at: APRIL.at + 23 * HOUR, subscription_items: [{ quantity: 3 }] },
      });
      expect(record('invoice', held.invoice)).toMatchObject({ status: 'open', billing_reason: 'subscription_update' });
      await useCard(account, 'pm_card_visa', customer);
      expect(await stripe.invoices.pay(idOf(held.invoice.id), {}, once())).toMatchObject({ status: 'paid' });
      const applied = record('applied', await stripe.subscriptions.retrieve(subscription.id));
      expect(applied).toMatchObject({
        pending_update: null,
        metadata: { change: '1' },
        items: { data: [{ quantity: 3 }] },
      });
      await findEvent('customer.subscription.pending_update_applied', subscription.id);
    });
  }),

  apiCase('is dropped with its invoice after 23 hours', async account => {
    await changing(account, SITUATION, async ({ subscription, to, change, advance }) => {
      await useCard(account, 'pm_card_chargeCustomerFail', idOf(subscription.customer));
      const { invoice } = await change({ ...to({ quantity: 3 }), ...PENDING });
      await advance(APRIL.at - APRIL.start + 24 * HOUR);
      const after = await account.stripe.subscriptions.retrieve(subscription.id);
      expect(account.record('dropped', after)).toMatchObject({
        pending_update: null,
        items: { data: [{ quantity: 1 }] },
      });
      expect((await account.stripe.invoices.retrieve(idOf(invoice.id))).status).toBe('void');
      await account.findEvent('customer.subscription.pending_update_expired', subscription.id);
    });
  }),

  apiCase('is dropped when its invoice is voided', async account => {
    await changing(account, SITUATION, async ({ subscription, to, change }) => {
      await useCard(account, 'pm_card_chargeCustomerFail', idOf(subscription.customer));
      const { invoice } = await change({ ...to({ quantity: 3 }), ...PENDING });
      await account.stripe.invoices.voidInvoice(idOf(invoice.id), {}, account.once());
      expect((await account.stripe.subscriptions.retrieve(subscription.id)).pending_update).toBeNull();
    });
  }),

  apiCase('does nothing when its payment is declined and it may not be incomplete', async account => {
    await changing(account, SITUATION, async ({ subscription, to, change }) => {
      const customer = idOf(subscription.customer);
      await useCard(account, 'pm_card_chargeCustomerFail', customer);
      const attempt = change({ ...to({ quantity: 3 }), ...NOW, payment_behavior: 'error_if_incomplete' });
      expect(await account.refusalOf('declined', attempt)).toMatchObject({ status: 402, code: 'card_declined' });
      const after = await account.stripe.subscriptions.retrieve(subscription.id);
      expect(after.items.data[0]?.quantity).toBe(1);
      expect((await account.stripe.invoices.list({ customer })).data).toHaveLength(1);
    });
  }),

  apiCase('waits for the customer when the card wants authentication', async account => {
    await changing(account, SITUATION, async ({ subscription, to, change }) => {
      await useCard(account, 'pm_card_authenticationRequired', idOf(subscription.customer));
      const attempt = change({ ...to({ quantity: 3 }), ...NOW, payment_behavior: 'error_if_incomplete' });
      expect(await account.refusalOf('error', attempt)).toMatchObject({
        status: 402,
        code: 'subscription_payment_intent_requires_action',
      });
      const { subscription: held, invoice } = await change({ ...to({ quantity: 3 }), ...PENDING });
      expect(held.pending_update).not.toBeNull();
      const pay = account.stripe.invoices.pay(idOf(invoice.id), {}, account.once());
      expect(await account.refusalOf('pay', pay)).toMatchObject({
        status: 402,
        code: 'invoice_payment_intent_requires_action',
      });
      await account.findEvent('invoice.payment_action_required', idOf(invoice.id));
    });
  }),

  apiCase('is past due when its payment fails and nothing else is asked for', async account => {
    await changing(account, SITUATION, async ({ subscription, to, change }) => {
      await useCard(account, 'pm_card_chargeCustomerFail', idOf(subscription.customer));
      const { subscription: changed } = await change({ ...to({ quantity: 3 }), ...NOW });
      expect(changed).toMatchObject({ status: 'past_due', items: { data: [{ quantity: 3 }] } });
    });
  }),

  apiCase('refuses what cannot wait', async account => {
    await changing(account, SITUATION, async ({ to, change }) => {
      const attempt = change({ ...to({ quantity: 3 }), ...PENDING, description: 'Ours' });
      expect(await account.refusalOf('description', attempt)).toMatchObject({ status: 400 });
    });
  }),
];
