import type { Stripe } from 'stripe';
import { PAGE_SIZE } from '../page-size.ts';
import type { Processor } from '../port.ts';
import { readInvoice, readInvoicePayment, type InvoiceSnapshot } from '../snapshots/invoice.ts';
import { readCharge } from '../snapshots/payments.ts';
import { given, listAll, write, type Calls } from './calls.ts';
import { completeEach, completeLists } from './nested-lists.ts';

type Invoices = Pick<
  Processor,
  | 'findInvoice'
  | 'voidInvoice'
  | 'markInvoiceUncollectible'
  | 'listInvoicePayments'
  | 'listUnfinishedInvoices'
  | 'listInvoices'
  | 'listCharges'
>;

export const WITH_PAYMENTS = { expand: ['payments'] };

/** Returns what calls for an invoice, and reads it with all of its lines. */
export const wholeInvoices =
  ({ stripe, call }: Calls) =>
  (request: () => Promise<Stripe.Invoice>): Promise<InvoiceSnapshot> =>
    call(async () => readInvoice(await completeLists(stripe, await request())));

/** Invoices, with their payments. */
export function invoiceCalls(calls: Calls): Invoices {
  const { stripe, call } = calls;
  const invoiceFrom = wholeInvoices(calls);

  return {
    findInvoice: id => invoiceFrom(() => stripe.invoices.retrieve(id, WITH_PAYMENTS)),
    voidInvoice: (id, key) => invoiceFrom(() => stripe.invoices.voidInvoice(id, WITH_PAYMENTS, write(key))),
    markInvoiceUncollectible: (id, key) =>
      invoiceFrom(() => stripe.invoices.markUncollectible(id, WITH_PAYMENTS, write(key))),
    listInvoicePayments: invoice =>
      call(async () => {
        const wanted = { invoice, limit: PAGE_SIZE, expand: ['data.payment.payment_intent'] };
        return (await listAll(stripe.invoicePayments.list(wanted))).map(readInvoicePayment);
      }),
    listUnfinishedInvoices: subscription =>
      call(async () => {
        const listed = (['draft', 'open'] as const).map(status =>
          listAll(stripe.invoices.list({ subscription, status, limit: PAGE_SIZE })),
        );
        return (await Promise.all(listed)).flat().map(({ id }) => id);
      }),
    listInvoices: (customer, after) =>
      call(async () => {
        const page = { limit: PAGE_SIZE, ...given({ starting_after: after }) };
        const { data } = await stripe.invoices.list({ customer, ...page, expand: ['data.payments'] });
        return (await completeEach(stripe, data)).map(readInvoice);
      }),
    listCharges: (customer, after) =>
      call(async () => {
        const page = { limit: PAGE_SIZE, ...given({ starting_after: after }) };
        return (await stripe.charges.list({ customer, ...page })).data.map(readCharge);
      }),
  };
}
