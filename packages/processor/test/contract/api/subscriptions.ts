import { expect } from 'vitest';
import { idOf } from './account.ts';
import { apiCase, standInCase } from './case.ts';

const DAY = 86_400;

export const subscriptionCases = [
  apiCase('is active when its customer’s default card pays', async ({ record, subscribe, findEvent }) => {
    const subscription = record('subscription', await subscribe({ metadata: { a: '1' } }));
    expect(subscription).toMatchObject({
      status: 'active',
      metadata: { a: '1' },
      default_payment_method: null,
      collection_method: 'charge_automatically',
      latest_invoice: { status: 'paid', amount_paid: 2_999, billing_reason: 'subscription_create' },
      items: { data: [{ quantity: 1 }] },
    });
    await findEvent('customer.subscription.created', subscription.id);
    await findEvent('invoice.paid', idOf(subscription.latest_invoice));
  }),

  apiCase('starts a trial without payment', async ({ record, subscribe, createCustomer }) => {
    const { id: customer } = await createCustomer();
    const trial = record('subscription', await subscribe({ customer, trial_period_days: 7 }));
    expect(trial).toMatchObject({ status: 'trialing', latest_invoice: { status: 'paid', total: 0 } });
    expect(trial.trial_end).toBe((trial.trial_start ?? 0) + 7 * DAY);
  }),

  apiCase('is incomplete when its card declines', async ({ record, subscribe, createPayer }) => {
    const { id: customer } = await createPayer('pm_card_chargeCustomerFail');
    const incomplete = record('subscription', await subscribe({ customer }));
    expect(incomplete).toMatchObject({ status: 'incomplete', latest_invoice: { status: 'open', attempt_count: 1 } });
  }),

  apiCase(
    'is not created when its card declines and it may not be incomplete',
    async ({ refusalOf, subscribe, createPayer, stripe }) => {
      const { id: customer } = await createPayer('pm_card_chargeCustomerFail');
      const attempt = subscribe({ customer, payment_behavior: 'error_if_incomplete' });
      expect(await refusalOf('refusal', attempt)).toMatchObject({ status: 402, code: 'card_declined' });
      expect((await stripe.subscriptions.list({ customer, status: 'all' })).data).toEqual([]);
    },
  ),

  apiCase('needs a payment method when an amount is due', async ({ refusalOf, subscribe, createCustomer }) => {
    const { id: customer } = await createCustomer();
    expect(await refusalOf('refusal', subscribe({ customer }))).toMatchObject({
      status: 400,
      code: 'resource_missing',
    });
  }),

  apiCase('becomes active when its first invoice is paid', async ({ stripe, subscribe, createPayer, once }) => {
    const customer = await createPayer();
    const subscription = await subscribe({ customer: customer.id, payment_behavior: 'default_incomplete' });
    expect(subscription).toMatchObject({ status: 'incomplete', latest_invoice: { status: 'open' } });
    await stripe.invoices.pay(idOf(subscription.latest_invoice), {}, once());
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('active');
  }),

  apiCase('refuses wrong parameters', async ({ refusalOf, subscribe, createPrice, createPayer }) => {
    const { id: customer } = await createPayer();
    const price = await createPrice();
    const items = [{ price: price.id }];
    const end = Math.floor(Date.now() / 1_000) + 30 * DAY;
    const wrong = {
      'an unknown customer': { customer: 'cus_none', items },
      'an unknown price': { customer, items: [{ price: 'price_none' }] },
      'a foreign card': { customer, items, default_payment_method: 'pm_none' },
      'two trials': { customer, items, trial_end: end, trial_period_days: 7 },
      'another currency': { customer, items, currency: 'eur' },
      'an unknown parameter': { customer, items, colour: 'red' },
    };
    for (const [name, given] of Object.entries(wrong))
      expect(await refusalOf(name, subscribe(given))).toMatchObject({ status: 400 });
  }),

  apiCase('is billed in its own currency', async ({ record, subscribe, createPrice }) => {
    const price = await createPrice({ currency_options: { eur: { unit_amount: 2_500 } } });
    const items = [{ price: price.id, quantity: 2 }];
    const subscription = record('subscription', await subscribe({ items, currency: 'eur' }));
    expect(subscription).toMatchObject({ currency: 'eur', latest_invoice: { currency: 'eur', total: 5_000 } });
    expect(subscription.items.data[0]?.price).toMatchObject({ currency: 'usd', unit_amount: 2_999 });
  }),

  apiCase('is billed by graduated and volume tiers', async ({ subscribe, createPrice }) => {
    const tiers = [
      { up_to: 10, unit_amount: 100 },
      { up_to: 'inf' as const, unit_amount: 50, flat_amount: 300 },
    ];
    const totalOf = async (tiers_mode: 'graduated' | 'volume') => {
      const price = await createPrice({ billing_scheme: 'tiered', tiers_mode, tiers });
      const { latest_invoice } = await subscribe({ items: [{ price: price.id, quantity: 15 }] });
      return latest_invoice;
    };
    expect(await totalOf('graduated')).toMatchObject({ total: 10 * 100 + 5 * 50 + 300 });
    expect(await totalOf('volume')).toMatchObject({ total: 15 * 50 + 300 });
  }),

  apiCase('is billed by packages', async ({ subscribe, createPrice }) => {
    const price = await createPrice({ transform_quantity: { divide_by: 10, round: 'up' } });
    const { latest_invoice } = await subscribe({ items: [{ price: price.id, quantity: 11 }] });
    expect(latest_invoice).toMatchObject({ total: 2 * 2_999 });
  }),

  apiCase('stays active while its collection is paused', async ({ record, stripe, subscribe, once }) => {
    const { id } = await subscribe();
    const paused = await stripe.subscriptions.update(id, { pause_collection: { behavior: 'void' } }, once());
    expect(record('paused', paused)).toMatchObject({
      status: 'active',
      pause_collection: { behavior: 'void', resumes_at: null },
    });
    const resumed = await stripe.subscriptions.update(id, { pause_collection: '' }, once());
    expect(resumed.pause_collection).toBeNull();
  }),

  apiCase(
    'renews when its test clock is advanced',
    async ({ record, stripe, createPayer, subscribe, withTestClock }) => {
      await withTestClock(async (test_clock, advance) => {
        const { id: customer } = await createPayer('pm_card_visa', { test_clock });
        const { id, items } = await subscribe({ customer });
        await advance(32 * DAY);
        const renewed = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] });
        expect(record('renewed', renewed)).toMatchObject({
          status: 'active',
          test_clock,
          latest_invoice: { billing_reason: 'subscription_cycle', status: 'paid', amount_paid: 2_999 },
        });
        expect(renewed.items.data[0]?.current_period_start).toBe(items.data[0]?.current_period_end);
      });
    },
  ),

  apiCase(
    'is past due when its renewal is declined',
    async ({ stripe, createPayer, subscribe, withTestClock, once }) => {
      await withTestClock(async (test_clock, advance) => {
        const { id: customer } = await createPayer('pm_card_visa', { test_clock });
        const { id } = await subscribe({ customer });
        const failing = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer }, once());
        await stripe.subscriptions.update(id, { default_payment_method: failing.id }, once());
        await advance(32 * DAY);
        const renewed = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] });
        expect(renewed).toMatchObject({ status: 'past_due', latest_invoice: { status: 'open', attempted: true } });
      });
    },
  ),

  ...(['void', 'mark_uncollectible', 'keep_as_draft'] as const).map(behavior =>
    apiCase(`collects nothing while its collection is paused with ${behavior}`, async account => {
      const { stripe, createPayer, subscribe, withTestClock, once } = account;
      const status = { void: 'void', mark_uncollectible: 'uncollectible', keep_as_draft: 'draft' }[behavior];
      await withTestClock(async (test_clock, advance) => {
        const { id: customer } = await createPayer('pm_card_visa', { test_clock });
        const { id } = await subscribe({ customer });
        await stripe.subscriptions.update(id, { pause_collection: { behavior } }, once());
        await advance(32 * DAY);
        const renewed = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] });
        expect(renewed).toMatchObject({ status: 'active', latest_invoice: { status, amount_paid: 0 } });
      });
    }),
  ),

  apiCase('expires when it stays incomplete for a day', async ({ stripe, createPayer, subscribe, withTestClock }) => {
    await withTestClock(async (test_clock, advance) => {
      const { id: customer } = await createPayer('pm_card_chargeCustomerFail', { test_clock });
      const { id } = await subscribe({ customer });
      await advance(DAY);
      const expired = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] });
      expect(expired).toMatchObject({ status: 'incomplete_expired', latest_invoice: { status: 'void' } });
    });
  }),

  apiCase('has its own card, and gives it up for an empty value', async ({ stripe, subscribe, once }) => {
    const { id, customer } = await subscribe();
    const attached = await stripe.paymentMethods.attach('pm_card_mastercard', { customer: idOf(customer) }, once());
    const own = await stripe.subscriptions.update(id, { default_payment_method: attached.id }, once());
    expect(own.default_payment_method).toBe(attached.id);
    const cleared = await stripe.subscriptions.update(id, { default_payment_method: '' }, once());
    expect(cleared.default_payment_method).toBeNull();
  }),

  apiCase(
    'is set to end with its period, and canceled for good',
    async ({ record, refusalOf, stripe, subscribe, once }) => {
      const { id, items } = await subscribe();
      const ending = await stripe.subscriptions.update(id, { cancel_at_period_end: true }, once());
      const cancel_at = items.data[0]?.current_period_end;
      expect(record('ending', ending)).toMatchObject({ status: 'active', cancel_at_period_end: true, cancel_at });
      expect(record('canceled', await stripe.subscriptions.cancel(id))).toMatchObject({ status: 'canceled' });
      expect(await refusalOf('canceled again', stripe.subscriptions.cancel(id))).toMatchObject({ status: 404 });
      const late = stripe.subscriptions.update(id, { cancel_at_period_end: true }, once());
      expect(await refusalOf('changed', late)).toMatchObject({ status: 400 });
    },
  ),

  ...(['now', 'unchanged'] as const).map(type =>
    standInCase(`is charged as previewed when it is resumed with the anchor ${type}`, async (account, control) => {
      const { stripe, createPayer, subscribe, withTestClock, findEvent, once } = account;
      await withTestClock(async (test_clock, advance) => {
        const { id: customer } = await createPayer('pm_card_visa', { test_clock });
        const { id } = await subscribe({ customer });
        await control.pause(id);
        await advance(12 * DAY);
        const how = {
          billing_cycle_anchor: { type },
          ...(type === 'unchanged' && { proration_behavior: 'always_invoice' as const }),
        };
        const subscription_details = { resume_at: 'now' as const, ...how };
        const preview = await stripe.invoices.createPreview({ subscription: id, subscription_details });
        const wanted = { ...how, payment_behavior: 'resume_on_payment_success', expand: ['latest_invoice'] };
        expect(await stripe.subscriptions.resume(id, wanted, once())).toMatchObject({
          status: 'active',
          latest_invoice: { status: 'paid', total: preview.total, amount_paid: preview.amount_due },
        });
        await findEvent('customer.subscription.resumed', id);
      });
    }),
  ),

  apiCase(
    'credits what is left of its period when it is canceled',
    async ({ record, stripe, createPayer, subscribe, withTestClock }) => {
      await withTestClock(async (test_clock, advance) => {
        const { id: customer } = await createPayer('pm_card_visa', { test_clock });
        const { id } = await subscribe({ customer });
        await advance(10 * DAY);
        const subscription_details = { cancel_now: true, proration_behavior: 'always_invoice' } as const;
        const preview = await stripe.invoices.createPreview({ subscription: id, subscription_details });
        const how = { prorate: true, invoice_now: true, expand: ['latest_invoice'] };
        const canceled = record('canceled', await stripe.subscriptions.cancel(id, how));
        expect(canceled).toMatchObject({ status: 'canceled', latest_invoice: { total: preview.total, amount_due: 0 } });
        expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: preview.total });
      });
    },
  ),

  apiCase(
    'leaves the credit to another invoice when it makes none at its end',
    async ({ stripe, createPayer, subscribe, withTestClock }) => {
      await withTestClock(async (test_clock, advance) => {
        const { id: customer } = await createPayer('pm_card_visa', { test_clock });
        const { id } = await subscribe({ customer });
        await advance(10 * DAY);
        await stripe.subscriptions.cancel(id, { prorate: true });
        const { data } = await stripe.invoiceItems.list({ customer, pending: true });
        expect(data.map(({ proration }) => proration)).toEqual([true]);
        expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: 0 });
      });
    },
  ),

  apiCase('gives back what a voided invoice has used of the balance', async ({ stripe, createCustomer, once }) => {
    const { id: customer } = await createCustomer();
    await stripe.customers.createBalanceTransaction(customer, { amount: -200, currency: 'usd' }, once());
    const { id } = await stripe.invoices.create({ customer, currency: 'usd', auto_advance: false }, once());
    await stripe.invoices.addLines(id, { lines: [{ amount: 900, description: 'Setup' }] }, once());
    expect(await stripe.invoices.finalizeInvoice(id, {}, once())).toMatchObject({ amount_due: 700 });
    await stripe.invoices.voidInvoice(id, {}, once());
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: -200 });
  }),

  apiCase(
    'is managed by a schedule until that is released',
    async ({ record, refusalOf, stripe, subscribe, once, findEvent }) => {
      const { id } = await subscribe();
      const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id }, once());
      expect(record('schedule', schedule)).toMatchObject({
        status: 'active',
        subscription: id,
        end_behavior: 'release',
      });
      expect((await stripe.subscriptions.retrieve(id)).schedule).toBe(schedule.id);
      for (const change of [{ cancel_at_period_end: true }, { cancel_at: Math.floor(Date.now() / 1_000) + DAY }]) {
        const refusal = await refusalOf(Object.keys(change).join(), stripe.subscriptions.update(id, change, once()));
        expect(refusal.status).toBe(400);
        expect(refusal.message).toContain(`managed by the subscription schedule \`${schedule.id}\``);
      }
      const released = await stripe.subscriptionSchedules.release(schedule.id);
      expect(record('released', released)).toMatchObject({ status: 'released', released_subscription: id });
      expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active', schedule: null });
      for (const type of ['subscription_schedule.created', 'subscription_schedule.released'])
        await findEvent(type, schedule.id);
    },
  ),

  apiCase('ends with its schedule', async ({ record, refusalOf, stripe, subscribe, once }) => {
    const { id } = await subscribe();
    const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id }, once());
    const second = stripe.subscriptionSchedules.create({ from_subscription: id }, once());
    expect(await refusalOf('a second schedule', second)).toMatchObject({ status: 400 });
    const canceled = await stripe.subscriptionSchedules.cancel(schedule.id);
    expect(record('canceled', canceled)).toMatchObject({ status: 'canceled' });
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('canceled');
  }),
];
