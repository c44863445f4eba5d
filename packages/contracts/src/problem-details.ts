/** Why a change of plan is pending, or was refused: the payment needs the customer, or failed. */
export const PENDING_REASONS = ['authentication_required', 'declined'] as const;
export type PendingReason = (typeof PENDING_REASONS)[number];

/** The `details` of the problems that callers act on, by code. Amounts are in the currency's smallest unit. */
export interface ProblemDetails {
  readonly amount_changed: { readonly expected: number; readonly actual: number };
  /** The currency that the price has another amount in. */
  readonly currency_amount_set: { readonly currency: string };
  /** Currencies as ISO 4217 codes in lower case. */
  readonly currency_mismatch: { readonly price: string } & (
    | { readonly subscription: string }
    | { readonly invoice: string }
    | { readonly checkout: string }
  );
  readonly customer_currency_mismatch: { readonly customer: string; readonly wanted: string };
  readonly payment_required: { readonly amountDue: number };
  /** `declineCode` is the bank's, where it gave one. https://docs.stripe.com/declines/codes */
  readonly payment_failed: {
    readonly reason: PendingReason;
    readonly declineCode: string | null;
  };
}
