import type { Stripe } from 'stripe';
import { expect } from 'vitest';
import { type ApiAccount, idOf } from './account.ts';
import { apiCase } from './case.ts';
import { amountsOf } from './plan-changes.ts';

const FEE = { amount: 5_000, description: 'Setup' };

/** Creates a draft with a line of 50.00 usd. */
async function draft({ stripe, once, createPayer }: ApiAccount, more: Stripe.InvoiceCreateParams = {}) {
  const customer = more.customer ?? (await createPayer()).id;
  const invoice = await stripe.invoices.create({ currency: 'usd', ...more, customer }, once());
  return { customer, id: invoice.id, invoice: await stripe.invoices.addLines(invoice.id, { lines: [FEE] }, once()) };
}

export const invoicingCases = [
  apiCase('is a draft until it is finalized, and is then paid with the saved card', async account => {
    const { stripe, once, record, findEvent, createPayer } = account;
    const { id: customer } = await createPayer();
    const params = { customer, currency: 'usd', description: 'Thank you', footer: 'A footer', metadata: { a: 'b' } };
    const created = record('created', await stripe.invoices.create(params, once()));
    expect(created).toMatchObject({
      ...params,
      status: 'draft',
      auto_advance: false,
      automatically_finalizes_at: null,
      billing_reason: 'manual',
      collection_method: 'charge_automatically',
      due_date: null,
      hosted_invoice_url: null,
      number: null,
      parent: null,
    });
    const added = record('added', await stripe.invoices.addLines(created.id, { lines: [FEE] }, once()));
    expect(added.lines.data).toMatchObject([{ ...FEE, parent: { type: 'invoice_item_details' }, quantity: 1 }]);
    const finalized = record('open', await stripe.invoices.finalizeInvoice(created.id, {}, once()));
    expect(finalized).toMatchObject({ status: 'open', attempted: false, next_payment_attempt: null });
    const paid = record('paid', await stripe.invoices.pay(created.id, { off_session: true }, once()));
    expect(paid).toMatchObject({ status: 'paid', amount_paid: 5_000, attempt_count: 1, auto_advance: false });
    for (const type of ['invoice.created', 'invoice.updated', 'invoice.finalized', 'invoice.paid'])
      await findEvent(type, created.id);
    const item = added.lines.data[0]?.parent?.invoice_item_details?.invoice_item ?? '';
    expect(record('item', await stripe.invoiceItems.retrieve(item))).toMatchObject({
      invoice: created.id,
      parent: null,
    });
    await findEvent('invoiceitem.created', item);
  }),

  apiCase('stays open when the card declines, without another attempt unless it advances', async account => {
    const { stripe, once, record, refusalOf, createPayer, findEvent } = account;
    const { id: customer } = await createPayer('pm_card_chargeCustomerFail');
    for (const advances of [false, true]) {
      const { id } = await draft(account, { customer });
      await stripe.invoices.finalizeInvoice(id, { auto_advance: advances }, once());
      const refused = stripe.invoices.pay(id, { off_session: true }, once());
      expect(await refusalOf('declined', refused)).toMatchObject({ status: 402, code: 'card_declined' });
      const open = record('open', await stripe.invoices.retrieve(id));
      expect(open).toMatchObject({ status: 'open', attempted: true, attempt_count: 1, auto_advance: advances });
      expect(open.next_payment_attempt !== null).toBe(advances);
      await findEvent('invoice.payment_failed', id);
      expect((await stripe.invoices.voidInvoice(id, {}, once())).status).toBe('void');
    }
  }),

  apiCase('is mailed when it is sent, also from a draft', async account => {
    const { stripe, once, record, refusalOf, findEvent } = account;
    const { id } = await draft(account, { collection_method: 'send_invoice', days_until_due: 7 });
    const sent = record('sent', await stripe.invoices.sendInvoice(id, {}, once()));
    expect(sent).toMatchObject({ status: 'open', collection_method: 'send_invoice', next_payment_attempt: null });
    await findEvent('invoice.sent', id);
    const charged = await draft(account);
    expect(await refusalOf('charged', stripe.invoices.sendInvoice(charged.id, {}, once()))).toMatchObject({
      status: 400,
    });
  }),

  apiCase('needs days until it is due exactly when it is sent', async ({ stripe, once, refusalOf, createCustomer }) => {
    const { id: customer } = await createCustomer();
    const without = stripe.invoices.create({ customer, collection_method: 'send_invoice' }, once());
    expect(await refusalOf('without', without)).toMatchObject({ status: 400 });
    const useless = stripe.invoices.create({ customer, days_until_due: 7 }, once());
    expect(await refusalOf('useless', useless)).toMatchObject({ status: 400 });
  }),

  apiCase('takes what is one-time, active and of its currency, with one amount', async account => {
    const { stripe, once, refusalOf, createPrice } = account;
    const { id } = await draft(account);
    const recurring = await createPrice();
    const product = idOf(recurring.product);
    const createOnce = (more: Partial<Stripe.PriceCreateParams>) =>
      stripe.prices.create({ product, currency: 'usd', unit_amount: 2_999, ...more }, once());
    const euros = await createOnce({ currency: 'eur' });
    const archived = await createOnce({ active: false });
    const priced = (price: string) => ({ pricing: { price } });
    const wrong: Record<string, Stripe.InvoiceAddLinesParams.Line> = {
      'a recurring price': priced(recurring.id),
      'another currency': priced(euros.id),
      'an archived price': priced(archived.id),
      'no price': priced('price_none'),
      'an amount and a quantity': { ...FEE, quantity: 2 },
      neither: { description: 'Nothing' },
    };
    for (const [name, line] of Object.entries(wrong)) {
      const refused = stripe.invoices.addLines(id, { lines: [FEE, line] }, once());
      expect(await refusalOf(name, refused), name).toMatchObject({ status: 400 });
    }
    expect(amountsOf(await stripe.invoices.retrieve(id))).toEqual([5_000]);
    const lines = [{ price_data: { currency: 'usd', product, unit_amount: 250 }, quantity: 4 }];
    expect((await stripe.invoices.addLines(id, { lines }, once())).total).toBe(6_000);
  }),

  apiCase('is deleted as a draft, with its items', async account => {
    const { stripe, once, record, refusalOf, findEvent } = account;
    const { id, customer } = await draft(account);
    expect(record('deleted', await stripe.invoices.del(id))).toMatchObject({ id, deleted: true });
    expect((await stripe.invoiceItems.list({ customer, pending: true })).data).toEqual([]);
    await findEvent('invoice.deleted', id);
    const open = await draft(account);
    await stripe.invoices.finalizeInvoice(open.id, {}, once());
    expect(await refusalOf('open', stripe.invoices.del(open.id))).toMatchObject({ status: 400 });
  }),

  apiCase('takes what waits for the customer only when it is to', async ({ stripe, once, record, createCustomer }) => {
    const { id: customer } = await createCustomer();
    const item = record('item', await stripe.invoiceItems.create({ customer, currency: 'usd', ...FEE }, once()));
    expect(item).toMatchObject({ invoice: null, parent: null, proration: false, discountable: true });
    const without = await stripe.invoices.create({ customer, currency: 'usd' }, once());
    expect(amountsOf(without)).toEqual([]);
    const taking = { customer, currency: 'usd', pending_invoice_items_behavior: 'include' } as const;
    const { id, lines } = await stripe.invoices.create(taking, once());
    expect(lines.data).toMatchObject([FEE]);
    const taken = (await stripe.invoiceItems.list({ customer, invoice: id })).data;
    expect(taken).toMatchObject([{ id: item.id, invoice: id }]);
  }),

  apiCase(
    'is previewed with what waits, whose amount can be another',
    async ({ stripe, once, record, createCustomer }) => {
      const { id: customer } = await createCustomer();
      const item = await stripe.invoiceItems.create({ customer, currency: 'usd', amount: 700 }, once());
      const invoice_items = [{ ...FEE, currency: 'usd' }];
      const preview = await stripe.invoices.createPreview({ customer, currency: 'usd', invoice_items });
      expect(record('preview', preview)).toMatchObject({ total: 5_700, amount_due: 5_700 });
      const overridden = [...invoice_items, { invoiceitem: item.id, amount: 0 }];
      const without = await stripe.invoices.createPreview({ customer, currency: 'usd', invoice_items: overridden });
      expect(without.total).toBe(5_000);
      expect(new Set(amountsOf(without))).toEqual(new Set([0, 5_000]));
    },
  ),

  apiCase('is previewed of something only', async ({ stripe, refusalOf, createCustomer }) => {
    const { id: customer } = await createCustomer();
    expect(await refusalOf('nothing', stripe.invoices.createPreview({ customer }))).toMatchObject({ status: 400 });
  }),

  apiCase('has items that are deleted while they wait or are on a draft', async account => {
    const { stripe, once, record, refusalOf, findEvent } = account;
    const { id, customer, invoice } = await draft(account);
    const waiting = await stripe.invoiceItems.create({ customer, currency: 'usd', ...FEE }, once());
    expect(record('deleted', await stripe.invoiceItems.del(waiting.id))).toMatchObject({ deleted: true });
    await findEvent('invoiceitem.deleted', waiting.id);
    const gone = stripe.invoiceItems.retrieve(waiting.id);
    expect(await refusalOf('gone', gone)).toMatchObject({ status: 404, code: 'resource_missing' });
    const added = await stripe.invoiceItems.create({ customer, invoice: id, currency: 'usd', amount: 900 }, once());
    expect((await stripe.invoices.retrieve(id)).total).toBe(5_900);
    await stripe.invoiceItems.del(added.id);
    expect((await stripe.invoices.retrieve(id)).total).toBe(5_000);
    await stripe.invoices.finalizeInvoice(id, {}, once());
    const item = invoice.lines.data[0]?.parent?.invoice_item_details?.invoice_item ?? '';
    expect(await refusalOf('billed', stripe.invoiceItems.del(item))).toMatchObject({ status: 400 });
  }),
];
