import type { Stripe } from 'stripe';
import type { NewPhase, NewPhaseItem } from '../plan-changes.ts';
import { idOf } from './calls.ts';

type Params = Stripe.SubscriptionScheduleUpdateParams.Phase;

/**
 * Returns a subscription as a phase that names all that it has: what a phase leaves out comes from the schedule's defaults, or
 * from the account's. https://docs.stripe.com/billing/subscriptions/subscription-schedules#phase-attribute-inheritance
 */
export function phaseOf(subscription: Stripe.Subscription): NewPhase {
  const { trial_end: trialEnd, status } = subscription;
  return {
    items: subscription.items.data.map(phaseItemOf),
    discounts: subscription.discounts.map(discount => ({
      discountId: idOf(discount),
      couponId: null,
      promotionCodeId: null,
    })),
    ...(status === 'trialing' && trialEnd !== null && { trialEnd: new Date(trialEnd * 1_000) }),
    settings: present(settingsOf(subscription)),
    metadata: {},
    proration: 'none',
  };
}

function settingsOf(subscription: Stripe.Subscription): Nullable<Params> {
  const { automatic_tax: tax, transfer_data: transfer } = subscription;
  const thresholds = subscription.billing_thresholds;
  return {
    application_fee_percent: subscription.application_fee_percent,
    automatic_tax: { enabled: tax.enabled, ...liabilityOf(tax.liability) },
    billing_thresholds: thresholds && {
      ...present({ amount_gte: thresholds.amount_gte }),
      ...present({ reset_billing_cycle_anchor: thresholds.reset_billing_cycle_anchor }),
    },
    collection_method: subscription.collection_method,
    default_payment_method: idOf(subscription.default_payment_method),
    default_tax_rates: listOf(subscription.default_tax_rates),
    description: subscription.description,
    invoice_settings: invoiceSettingsOf(subscription),
    on_behalf_of: idOf(subscription.on_behalf_of),
    transfer_data: transfer && {
      destination: idOf(transfer.destination) ?? '',
      ...present({ amount_percent: transfer.amount_percent }),
    },
  };
}

function invoiceSettingsOf({ invoice_settings: settings, days_until_due: days }: Stripe.Subscription) {
  const { account_tax_ids: taxIds, issuer } = settings;
  const account = issuer.type === 'account' ? idOf(issuer.account ?? null) : null;
  const named = {
    ...present({ days_until_due: days, account_tax_ids: listOf(taxIds) }),
    ...(account !== null && { issuer: { type: 'account' as const, account } }),
  };
  return Object.keys(named).length === 0 ? null : named;
}

const liabilityOf = (liability: Stripe.Subscription.AutomaticTax['liability']) =>
  liability?.type === 'account' && {
    liability: { type: 'account' as const, account: idOf(liability.account ?? null) ?? '' },
  };

function phaseItemOf(item: Stripe.SubscriptionItem): NewPhaseItem {
  const { price, quantity, tax_rates: rates, discounts, billing_thresholds: thresholds } = item;
  const settings: Nullable<Params['items'][number]> = {
    tax_rates: listOf(rates),
    discounts: discounts.length === 0 ? null : discounts.map(it => ({ discount: idOf(it) ?? '' })),
    billing_thresholds: thresholds?.usage_gte ? { usage_gte: thresholds.usage_gte } : null,
  };
  return { priceId: price.id, quantity: quantity ?? null, settings: present(settings) };
}

type Nullable<Value> = { [Key in keyof Value]?: Value[Key] | null };

/** Returns the fields that have a value. */
function present<Value extends object>(fields: Value): { [Key in keyof Value]?: NonNullable<Value[Key]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Value]?: NonNullable<Value[Key]> }; // what is left of the fields
}

/** The ids of a list; null for an empty one. */
const listOf = (all: readonly (string | { readonly id: string })[] | null | undefined): string[] | null =>
  all?.length ? all.map(it => idOf(it) ?? '') : null;
