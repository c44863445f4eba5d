import { ofNewest, pick, type Action } from './action.ts';
import type { Buyer } from './history.ts';

interface Charge {
  readonly id: string;
  readonly paid: boolean;
}

interface Dispute {
  readonly id: string;
  readonly charge: string;
  readonly status: string;
}

/** Invoices that are paid late or never, and payments that are refunded or disputed. */
export const PAYMENT_ACTIONS = {
  'pay open invoice': ofNewest(({ tenant }, { id }) => tenant.processor.collect(id)),
  'void open invoices': ofInvoices('open', 'void'),
  'mark open invoices uncollectible': ofInvoices('open', 'mark_uncollectible'),
  'pay open invoices out of band': ofInvoices('open', 'pay', { paid_out_of_band: 'true' }),
  'pay uncollectible invoices': ofInvoices('uncollectible', 'pay'),
  'void uncollectible invoices': ofInvoices('uncollectible', 'void'),
  'finalize draft invoices': ofInvoices('draft', 'finalize'),
  'refund payment': ofPayment(({ tenant }, charge) => tenant.callProcessor('/v1/refunds', { charge })),
  'refund part of payment': ofPayment(({ tenant }, charge, number) =>
    tenant.callProcessor('/v1/refunds', { charge, amount: `${100 + number}` }),
  ),
  'dispute payment': ofPayment(({ tenant }, charge) => tenant.processor.openDispute(charge)),
  'win dispute': closing('won'),
  'lose dispute': closing('lost'),
} as const satisfies Record<string, Action>;

/** Returns an action on all invoices of the buyer in a status. */
function ofInvoices(status: string, change: string, form: Readonly<Record<string, string>> = {}): Action {
  return async ({ tenant, processorCustomerId }) => {
    const { data } = await tenant.callProcessor(`/v1/invoices?customer=${processorCustomerId}&status=${status}`);
    for (const { id } of data) await tenant.callProcessor(`/v1/invoices/${id}/${change}`, form);
  };
}

/** Returns an action on a payment of the buyer that succeeded, by the Stripe id of its charge. */
function ofPayment(act: (buyer: Buyer, charge: string, number: number) => Promise<unknown>): Action {
  return async (buyer, _, number) => {
    const charges = await chargesOf(buyer);
    const chosen = pick(
      charges.filter(({ paid }) => paid),
      number,
    );
    if (chosen) await act(buyer, chosen.id, number);
  };
}

/** Returns an action that decides the buyer's newest open dispute, as the bank does. */
function closing(outcome: 'won' | 'lost'): Action {
  return async buyer => {
    const charges = new Set((await chargesOf(buyer)).map(({ id }) => id));
    const { data } = await buyer.tenant.callProcessor('/v1/disputes?limit=100');
    const open = data.find(({ charge, status }: Dispute) => charges.has(charge) && status === 'needs_response');
    if (open) await buyer.tenant.processor.closeDispute(open.id, outcome);
  };
}

async function chargesOf({ tenant, processorCustomerId }: Buyer): Promise<readonly Charge[]> {
  return (await tenant.callProcessor(`/v1/charges?customer=${processorCustomerId}&limit=100`)).data;
}
