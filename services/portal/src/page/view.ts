import type { Notice, PortalLinks, Tab } from '#domain/links.ts';
import type { BillingDescription, CustomerBilling } from '#operations/describe-billing.ts';

export type ShownSubscription = CustomerBilling['subscriptions'][number];
export type ShownInvoice = CustomerBilling['invoices'][number];

/** What the page is made from. */
export interface PortalView extends BillingDescription {
  readonly links: PortalLinks;
  readonly tab: Tab;
  /** Page of invoices, from 1. */
  readonly invoicePage: number;
  readonly notice: Notice | undefined;
  readonly customer: { readonly name: string | null; readonly email: string };
  readonly returnUrl: string | null;
  readonly now: Date;
  /** How amounts and dates are written. */
  readonly locale: string;
  /** Where the processor is, when it is not the real Stripe. */
  readonly processorBaseUrl: string | undefined;
}
