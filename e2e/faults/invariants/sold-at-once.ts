import { expect } from 'vitest';
import { listFromProcessor, newCustomer, type Tenant } from '../../system/tenant.ts';

/** A sale without a page, to a customer of its own. */
export interface WantedSale {
  readonly customerId: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What its one first invoice comes to, and is; null for a trial, which bills nothing. */
  readonly invoice: { readonly status: 'paid' | 'open'; readonly total: number } | null;
}

interface Sold {
  /** A monthly price of 29.99. */
  readonly monthly: string;
  /** A price of 49.00, paid once. */
  readonly once: string;
}

interface ProcessorSubscription {
  readonly id: string;
  readonly status: string;
  readonly items: { readonly data: readonly unknown[] };
}

interface ProcessorInvoice {
  readonly id: string;
  readonly status: string;
  readonly total: number;
}

/** Creates customers with a card, one for each sale: to the saved card, by invoice, or a trial with nothing to collect; half of several items. */
export function newWantedSales(tenant: Tenant, count: number, { monthly, once }: Sold) {
  const several = { items: [{ priceId: monthly, quantity: 2 }, { priceId: once }] };
  const kinds = [
    { body: { collect: 'saved', priceId: monthly }, invoice: { status: 'paid', total: 2_999 } },
    { body: { collect: 'invoice', ...several }, invoice: { status: 'open', total: 10_898 } },
    { body: { collect: 'nothing', priceId: monthly, trialDays: 14 }, invoice: null },
    { body: { collect: 'saved', ...several }, invoice: { status: 'paid', total: 10_898 } },
  ] as const;
  return Promise.all(
    Array.from({ length: count }, async (_, index): Promise<WantedSale> => {
      const customerId = await newCustomer(tenant);
      await saveCard(tenant, (await tenant.billing.customers.get(customerId)).processorCustomerId);
      const { body, invoice } = kinds[index % kinds.length] ?? kinds[0];
      return { customerId, body: { customerId, oncePerCustomer: index % 2 === 0, ...body }, invoice };
    }),
  );
}

/** Saves a card that the customer is charged to by default, as the customer's portal does. */
export async function saveCard({ callProcessor }: Tenant, customer: string): Promise<void> {
  const { id } = await callProcessor('/v1/payment_methods/pm_card_visa/attach', { customer });
  await callProcessor(`/v1/customers/${customer}`, { 'invoice_settings[default_payment_method]': id });
}

/** Expects of each sale that it was made once: one subscription here and at the processor, and one invoice, collected once. */
export async function expectSoldOnce(tenant: Tenant, sales: readonly WantedSale[]): Promise<void> {
  const { billing } = tenant;
  for (const { customerId, body, invoice } of sales) {
    const { processorCustomerId: customer } = await billing.customers.get(customerId);
    const recorded = await Array.fromAsync(billing.subscriptions.list({ customerId, activeOnly: false }));
    const there = await listFromProcessor<ProcessorSubscription>(tenant, '/v1/subscriptions', {
      customer,
      status: 'all',
    });
    const bills = await listFromProcessor<ProcessorInvoice>(tenant, '/v1/invoices', { customer });
    const invoices = await Array.fromAsync(billing.invoices.list({ customerId }));
    const payments = await Array.fromAsync(billing.payments.list({ customerId, status: 'succeeded' }));
    const status = body['collect'] === 'nothing' ? 'trialing' : 'active';
    const billed = bills.filter(({ total }) => total > 0).map(one => ({ status: one.status, total: one.total }));
    expect(
      {
        recorded: recorded.map(one => [one.processorSubscriptionId, one.status]),
        there: there.map(one => [one.id, one.status]),
        items: there.map(({ items }) => items.data.length),
        billed,
        invoices: invoices.length,
        payments: payments.length,
      },
      JSON.stringify(body),
    ).toEqual({
      recorded: there.map(({ id }) => [id, status]),
      there: [[expect.any(String), status]],
      items: [1],
      billed: invoice ? [invoice] : [],
      invoices: bills.length,
      payments: invoice?.status === 'paid' ? 1 : 0,
    });
  }
}
