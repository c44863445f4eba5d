import type { InvoicePreview } from './snapshots/invoice-preview.ts';
import type { InvoiceSnapshot } from './snapshots/invoice.ts';
import type { PhaseDiscount, ScheduleSnapshot } from './snapshots/schedule.ts';
import type { PendingPayment, SubscriptionSnapshot } from './snapshots/subscription.ts';

type Metadata = Readonly<Record<string, string>>;

/** A discount to have: one that the subscription has, or a coupon or promotion code to redeem. */
export type WantedDiscount =
  | { readonly discountId: string }
  | { readonly couponId: string }
  | { readonly promotionCodeId: string };

/** How a subscription is to be. What is absent stays as it is. */
export interface PlanChange {
  /**
   * An item with an id is changed, and keeps its price if none is named; one without is added. The processor makes the
   * quantity of a new price 1 where it is absent.
   */
  readonly items?: readonly { readonly id?: string; readonly priceId?: string; readonly quantity?: number }[];
  readonly removedItemIds?: readonly string[];
  readonly proration: 'always_invoice' | 'create_prorations' | 'none';
  /** From when on prorations count. */
  readonly prorationDate?: Date;
  /** Begins a period now. A new interval does that without. */
  readonly resetsAnchor?: boolean;
  readonly endsTrial?: boolean;
  /** All discounts that it is to have; an empty list removes them. */
  readonly discounts?: readonly WantedDiscount[];
}

/** A change that is made, and what happens if it has to be paid and is not. */
export interface PaidPlanChange extends PlanChange {
  readonly paymentBehavior: 'pending_if_incomplete' | 'error_if_incomplete' | 'allow_incomplete';
  /** Merged with that of the subscription once the change applies. */
  readonly metadata?: Metadata;
}

/** What else a subscription or an item has that a phase can name, in the processor's own words. */
export type PhaseSettings = Readonly<Record<string, unknown>>;

export interface NewPhaseItem {
  readonly priceId: string;
  /** Null for a metered price. */
  readonly quantity: number | null;
  readonly settings?: PhaseSettings;
}

/** A phase that a schedule is to have; it follows the one before. What it does not name, the subscription loses. */
export interface NewPhase {
  readonly items: readonly NewPhaseItem[];
  readonly settings?: PhaseSettings;
  /** Until when it is free. */
  readonly trialEnd?: Date;
  readonly discounts: readonly PhaseDiscount[];
  /** Merged with that of the subscription once the phase begins. */
  readonly metadata: Metadata;
  readonly proration: 'always_invoice' | 'create_prorations' | 'none';
  /** Only of the first phase, which is the current one. */
  readonly startsAt?: Date;
  /** One interval of its prices when absent. */
  readonly endsAt?: Date;
}

/** Changes of what subscriptions bill. */
export interface PlanChanges {
  /**
   * Previews the invoice that a change makes now, else the next one; the next one alone without a change. `recurring` is
   * the next period after the change alone. Null when there will be none. https://docs.stripe.com/api/invoices/create_preview
   */
  previewInvoice(
    subscriptionId: string,
    change?: PlanChange,
    mode?: 'next' | 'recurring',
  ): Promise<InvoicePreview | null>;
  /**
   * Previews the next invoice of the subscription of an active schedule as if it had these phases, the first one from now on;
   * `recurring` is the next period alone.
   */
  previewSchedule(
    scheduleId: string,
    phases: readonly NewPhase[],
    options?: { readonly proration?: PlanChange['proration']; readonly mode?: 'next' | 'recurring' },
  ): Promise<InvoicePreview | null>;
  /** Changes a subscription. One that waits for its payment has a `pendingUpdate`. */
  changeSubscription(id: string, change: PaidPlanChange, idempotencyKey: string): Promise<SubscriptionSnapshot>;
  /** Sets all discounts of a subscription, for its future invoices. */
  setDiscounts(id: string, discounts: readonly WantedDiscount[], idempotencyKey: string): Promise<SubscriptionSnapshot>;
  /** Finds what has to be paid for a pending change, and why it is not; null when there is no such invoice. */
  findPendingPayment(invoiceId: string): Promise<PendingPayment | null>;
  /** Tries to pay an open invoice now; the customer is not there. https://docs.stripe.com/api/invoices/pay */
  payInvoice(id: string, idempotencyKey: string): Promise<InvoiceSnapshot>;

  /** Creates a schedule whose only phase is the subscription's current period. */
  createSchedule(subscriptionId: string, idempotencyKey: string): Promise<ScheduleSnapshot>;
  findSchedule(id: string): Promise<ScheduleSnapshot>;
  /** Returns the current period of a subscription as a phase that names all that it has, without metadata and dates. */
  findAsPhase(subscriptionId: string): Promise<NewPhase>;
  /** Replaces the phases of a schedule, which is released after the last one. */
  setPhases(
    id: string,
    phases: readonly NewPhase[],
    metadata: Metadata,
    idempotencyKey: string,
  ): Promise<ScheduleSnapshot>;
  /** Ends a schedule; the subscription goes on as it is. */
  releaseSchedule(id: string, idempotencyKey: string): Promise<ScheduleSnapshot>;
}
