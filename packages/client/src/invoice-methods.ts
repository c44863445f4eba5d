import type { CallOptions, WriteOptions } from './options.ts';
import type { Page } from './pages.ts';
import { segment, type Requests } from './requests.ts';
import type * as wire from './wire.ts';

/** The methods of `billing.invoices`. */
export function invoiceMethods(requests: Requests) {
  const change = async (id: string, verb: string, options?: WriteOptions): Promise<wire.Invoice> =>
    (await requests.post<{ invoice: wire.Invoice }>(`/invoices/${segment(id)}/${verb}`, undefined, options)).invoice;
  return {
    list: (filters?: wire.InvoiceFilters, options?: CallOptions) =>
      requests.list<wire.Invoice>('/invoices', 'invoices', filters, options),
    get: async (id: string, options?: CallOptions): Promise<wire.Invoice> =>
      (await requests.get<{ invoice: wire.Invoice }>(`/invoices/${segment(id)}`, undefined, options)).invoice,
    /** Tries to collect an open invoice now; `payment_failed` has the reason when the bank declines. */
    retry: (id: string, options?: WriteOptions) => change(id, 'retry', options),
    /** Voids an open or uncollectible invoice: nobody can pay it any more. This cannot be undone. */
    void: (id: string, options?: WriteOptions) => change(id, 'void', options),
    /** Gives up an open invoice as a bad debt. It can still be paid or voided. */
    markUncollectible: (id: string, options?: WriteOptions) => change(id, 'mark-uncollectible', options),
  };
}

/** The methods of `billing.dunning`. */
export function dunningMethods(requests: Requests) {
  const list = (filters?: wire.DunningFilters, options?: CallOptions) =>
    requests.list<wire.DunningCase, DunningPage>('/dunning', 'cases', filters, options);
  return {
    /** Lists invoices of subscriptions whose payment failed, the newest failure first; each page has the totals of all. */
    list,
    /** Returns what is recovering, was recovered and is lost, in each currency. */
    totals: async (filters?: wire.DunningFilters, options?: CallOptions): Promise<wire.DunningTotals> =>
      (await list({ ...filters, limit: 1 }, options).page()).totals,
  };
}

/** A page of failed payments, with what is recovering, was recovered and is lost of all that the filters leave. */
export interface DunningPage extends Page<wire.DunningCase> {
  readonly totals: wire.DunningTotals;
}
