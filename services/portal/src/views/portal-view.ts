import type { PortalConfig } from '@billing/contracts/resources/portal-config';
import type { PortalLinks, Notice, Tab } from '#domain/portal-links.ts';
import type { BillingDescription } from '#operations/describe-billing.ts';
import type { CustomerBilling } from '#operations/find-customer-billing.ts';
import type { Texts } from './texts.ts';

export type ShownSubscription = CustomerBilling['subscriptions'][number];
export type ShownInvoice = CustomerBilling['invoices'][number];

/** Everything that the page is rendered from. */
export interface PortalView extends BillingDescription {
  readonly links: PortalLinks;
  readonly config: Pick<PortalConfig, 'planSwitch' | 'quantity' | 'cancellation' | 'pause' | 'billingDetails'>;
  readonly tab: Tab;
  /** Page of invoices, from 1. */
  readonly invoicePage: number;
  readonly notice: Notice | undefined;
  readonly customer: { readonly name: string | null; readonly email: string | null };
  /** The tenant's page that the portal links back to. */
  readonly returnUrl: string | null;
  /** Names one replacement of the payment method: two clicks open one page of the processor. */
  readonly setupKey: string;
  readonly now: Date;
  readonly texts: Texts;
  /** The address of the local processor; undefined for Stripe. */
  readonly processorBaseUrl: string | undefined;
}
