import type { ProblemKind } from './problem.ts';

/** What each `error.code` that a caller can receive means, by its kind. */
const MEANINGS = {
  validation: {
    validation_error: 'The request does not match its schema; `details.fields` lists every invalid field.',
    invalid_signature: 'The signature does not match the body and the team, or is too old.',
    invalid_event: 'The body is signed but is not JSON.',
    processor_credentials_invalid:
      'The payment processor rejected the key, or one key is for test mode and the other for live mode.',
    password_too_short: 'The password has fewer than 10 characters.',
    password_too_long: 'The password has more than 128 characters.',
    password_too_common:
      'The password is in lists of common passwords, or follows from the name or the e-mail address.',
    invalid_password: 'The password is wrong.',
    invalid_token: 'The link is unknown, expired or used; request another.',
    reset_password_disabled: 'This installation sends no e-mail; its operator can print a link.',
    totp_already_enabled: 'The user has a second factor already.',
    totp_not_enabled: 'The user has no second factor.',
    two_factor_not_enabled: 'The user has no second factor.',
    backup_codes_not_enabled: 'The user has no backup codes.',
    too_many_attempts_request_new_code: 'Too many wrong codes; sign in again.',
  },
  unauthorized: {
    unauthorized: 'No credential, or one that is unknown, revoked or expired.',
  },
  forbidden: {
    forbidden: 'The credential gives no access to this team, project or scope.',
    reauthentication_required:
      'The password was last checked in this session more than 15 minutes ago; verify it, or sign in again.',
    sign_up_closed: 'This installation is closed to new users, or this address has no invitation.',
    email_not_verified: 'The address is not confirmed yet; the link in the mail that was sent to it does that.',
    test_key_on_live_account:
      'A key that starts with bil_test_, of a team whose processor account is live; create a new key, or rotate this one.',
  },
  not_found: {
    billing_details_not_offered: 'The portal of the project does not show billing details.',
    project_not_found: 'The project does not exist in this team.',
    product_not_found: 'The product does not exist in this project.',
    price_not_found: 'The price does not exist in this project.',
    feature_not_found:
      'The feature does not exist in this project; or the product or price does not give it, or the customer was not given it.',
    coupon_not_found: 'The coupon does not exist in this project.',
    promotion_code_not_found: 'The promotion code does not exist in this project.',
    change_not_found: 'The subscription has no change that is scheduled or pending.',
    customer_not_found: 'The customer does not exist in this project.',
    checkout_session_not_found: 'The customer has no such hosted checkout.',
    subscription_not_found: 'The subscription does not exist in this project, or belongs to another customer.',
    invoice_not_found: 'The invoice does not exist in this project.',
    invoice_item_not_found: 'The subscription has no such invoice item.',
    payment_not_found: 'The payment does not exist in this project.',
    referral_code_not_found: 'The referral code does not exist in this project.',
    referral_credit_not_found: 'The credit does not exist in this project.',
    price_migration_not_found: 'The price migration does not exist in this project.',
    test_clock_not_found: 'The test clock does not exist in this project; it is deleted after 30 days.',
    sync_not_found: 'The sync does not exist in this project.',
    meter_not_found: 'The payment processor has no active meter of this name.',
    webhook_event_not_found: 'The project received no webhook event with this id.',
    webhook_endpoint_not_found: 'The endpoint does not exist in this project.',
    webhook_delivery_not_found: 'The delivery does not exist in this project; its endpoint may have been deleted.',
    event_not_found: 'The event does not exist in this project; events are kept for 30 days.',
    dead_letter_not_found: 'The team has no such dead letter; it may have been handled or dropped meanwhile.',
    api_key_not_found: 'The API key does not exist in this project, or is revoked.',
    member_not_found: 'The user is not a member of the team.',
    invitation_not_found:
      'The invitation does not exist, has expired, was used or withdrawn, or is for another e-mail address.',
    portal_session_not_found: 'The portal session does not exist in this project.',
    portal_link_expired: 'The token is unknown, expired or revoked.',
  },
  conflict: {
    catalog_changed: 'The catalog has changed since the report; `details.keys` says what. Nothing was done.',
    report_expired: 'The report is older than 24 hours; make another one.',
    conflict: 'The record was changed by another request meanwhile; try again.',
    catalog_key_taken: 'Another active record of this kind in the project has this key.',
    feature_key_taken: 'Another feature of the project has this key.',
    promotion_code_taken: 'Another active promotion code has this text.',
    preview_expired:
      'The `prorationDate` is older than 15 minutes, in the future, or outside the current period; preview the change again.',
    amount_changed:
      'It costs another amount than `expectedAmountDue`; `details` has the `expected` and the `actual` one. Preview it again.',
    customer_email_taken: 'Another customer of the project has this email address.',
    customer_external_id_taken: 'Another customer of the project has this external id.',
    price_migration_running: 'A price migration of the project is queued or running; wait for it, or cancel it.',
    test_clock_advancing: 'The test clock advances; wait until it is `ready`.',
    sync_running: 'A sync of the team is queued or running; wait for it, or cancel it.',
    processor_not_connected: 'The team is not connected to the payment processor.',
    processor_purge_running:
      'The records of the last account are still being deleted; connect again after Retry-After seconds.',
    processor_mismatch:
      'The key belongs to another account or mode than the records of the team; `details` names both, and counts the records.',
    referral_code_exists: 'The customer already has an active referral code.',
    referral_self: 'Customers cannot refer themselves.',
    referral_already_applied: 'A referral code was already applied to this customer.',
    referral_already_subscribed: 'The customer has or had a subscription.',
    referral_credit_not_failed: 'Only a credit that failed can be retried.',
    already_subscribed: 'The customer has a subscription to this product, and `oncePerCustomer` was set.',
    usage_id_taken: 'Another event was recorded under the id. `details.events` names every wrong event.',
    webhook_event_not_failed: 'Only a webhook event that failed, is foreign, or was of the other mode can be replayed.',
    webhook_event_payload_deleted: 'The webhook event is so old that only its record is left; it cannot be replayed.',
    webhook_endpoint_disabled: 'The endpoint is disabled; enable it first.',
    delivery_in_progress: 'The delivery is being sent, or is about to be.',
    recovery_running: 'A recovery of the endpoint is running.',
    dead_letter_retrying: 'The dead letter is being retried, and cannot be dropped now.',
    member_exists: 'The user is already a member of the team.',
    last_owner: 'A team must have at least one owner.',
    secret_not_repeatable:
      'The key or invitation was issued, but its secret can no longer be returned; rotate the key, or invite again.',
    idempotency_key_in_use: 'The first request with this Idempotency-Key is still running.',
  },
  request_timeout: {
    request_timeout: 'The request did not arrive within 15 seconds.',
  },
  payload_too_large: {
    payload_too_large: 'The body is larger than 1 MiB.',
  },
  unsupported_media_type: {
    unsupported_media_type: 'The content type is not application/json.',
  },
  unprocessable: {
    report_mismatch: 'The report is not one of this document, or has not completed.',
    report_required: 'The account is live: apply a report, by its `reportId`.',
    live_mode: 'The account of the team is live; this is for test mode.',
    time_not_ahead: 'The test clock has reached that time already.',
    nothing_ahead: 'No subscription on the test clock is to come to that.',
    quota_exceeded: 'A quota is used up; `details` names the `quota` and its `limit`.',
    feature_value_invalid:
      'The value is not one that the feature may have: true or false, a limit or `unlimited`, or one of its values.',
    product_inactive: 'The product is archived.',
    price_inactive: 'The price is not active.',
    tax_code_invalid: 'The payment processor has no such tax code; nothing was changed.',
    catalog_key_set: 'It has another key already, and keeps it.',
    currency_amount_set:
      'The price has another amount in a currency already, and it never changes; create another price. `details.currency` names it; nothing was changed.',
    tax_behavior_set:
      'The tax behavior of the price is set already, and never changes; create another price. Nothing was changed.',
    price_type_mismatch:
      'The type of the price does not fit: a subscription needs recurring prices, a payment a one-time one.',
    coupon_not_valid: 'The coupon can no longer be redeemed.',
    promotion_code_inactive: 'The promotion code is not active.',
    promotion_code_expired: 'The promotion code has expired.',
    promotion_code_exhausted: 'The promotion code was redeemed as often as it can be.',
    promotion_code_not_applicable:
      'The promotion code is for another customer, product, currency or amount, or for first payments only.',
    price_not_offered: 'The portal of the project does not offer this price or quantity.',
    save_offer_not_available: 'The project makes no offer for the subscription, or it was made before.',
    tax_id_invalid: 'The tax id is not one of its kind; `details.index` says which of them. Nothing was changed.',
    tax_location_invalid:
      'Tax cannot be computed for the address: it lacks the country, or a postal code where that is needed. Nothing was changed.',
    invoice_fields_full:
      'The invoices of the customer have fields from the payment processor’s dashboard, and no room for so many more; `details.left` says for how many.',
    no_change: 'The subscription is already as it is to become.',
    currency_mismatch:
      'The price has no amount in the currency of the subscription, the checkout or the invoice; `details` names both.',
    customer_currency_mismatch:
      'The customer has a subscription in another currency; `details` names that of the `customer`, and the `wanted` one.',
    payment_required: 'Something is due now; `details.amountDue` says how much. Collect it.',
    interval_mismatch: 'All items of a subscription need prices of one interval.',
    subscription_has_several_items: 'The subscription has several items: send all that it is to have in `items`.',
    payment_failed:
      'The payment failed, and nothing was changed; an invoice that was made for it is void. `details` has the `reason` and the bank’s `declineCode`.',
    payment_method_missing: 'The customer has no saved payment method that could be charged.',
    total_negative: 'The lines take off more than they bill.',
    subscription_incomplete: 'The first payment of the subscription is not made yet.',
    subscription_paused: 'The subscription is paused; resume it first.',
    pause_not_offered: 'The portal does not offer to pause the subscription, or not for so long, or to resume it.',
    already_paused: 'The subscription is paused already.',
    not_in_trial: 'The subscription is in no trial that could be ended.',
    not_paused: 'The subscription is not paused.',
    subscription_past_due: 'An invoice of the subscription is not paid; it has to be paid first.',
    subscription_set_to_cancel:
      'The subscription is set to end, so that nothing can change at the end of its period; resume it first, or change it now.',
    trial_already_used: 'The customer already had a trial of this product, and `trialOncePerCustomer` was set.',
    confirmation_required:
      'To delete everything that mirrors the account, `confirm` must be the exact name of the team.',
    webhook_endpoint_not_permitted:
      'The secret key may not create a webhook endpoint; `details.permission` names what it lacks.',
    webhook_url_not_allowed:
      'Events cannot be posted there; `details.reason` says why: the protocol, the port, a user name, or the address.',
    secret_rotation_limit:
      'Two older secrets are still valid; wait until one of them expires, or rotate without an overlap, which ends both.',
    recovery_too_old: 'Events are not kept for so long; choose a later time.',
    event_deleted: 'The personal data of the event were deleted with its customer; it is not sent again.',
    subscription_ended: 'The subscription has ended; start a new checkout.',
    subscription_has_schedule:
      'A schedule at the payment processor manages the subscription: change or release it there, or cancel now.',
    payment_not_refundable:
      'Nothing of the payment can be refunded: it failed, is not captured, is refunded already, or is disputed.',
    refund_too_large:
      'The amount is larger than what is left of the payment; `details.refundable` says how much that is.',
    invoice_not_open:
      'The invoice is not open, so that it cannot be voided, marked, sent or paid; its `status` says why.',
    invoice_not_draft:
      'The invoice is no draft any more; or it is that of a subscription, which the payment processor does not delete.',
    invoice_not_sendable: 'The invoice is charged, and not sent: only one with a due date can be sent.',
    invoice_item_billed: 'The invoice item is on an invoice already.',
    usage_in_future: 'The event is more than 5 minutes ahead. `details.events` names every wrong event.',
    usage_too_old: 'The event is older than 34 days. `details.events` names every wrong event.',
    referral_code_inactive: 'The referral code is no longer active.',
    referral_program_disabled: 'The referral program of the project is not enabled.',
    user_already_exists_use_another_email: 'A user with this email address already exists.',
    idempotency_key_reused: 'The Idempotency-Key was used for a different request; use a new key.',
  },
  rate_limited: {
    rate_limited: 'Too many requests; retry after Retry-After seconds.',
  },
  internal: {
    internal: 'An unexpected error on our side; look up the request id in the logs.',
  },
  processor_failed: {
    processor_error: 'The payment processor rejected the request, or failed.',
  },
  unavailable: {
    unavailable: 'A dependency is unavailable; retry after Retry-After seconds.',
  },
} as const satisfies Partial<Record<ProblemKind, Readonly<Record<string, string>>>>;

type CodesOf<Group> = Group extends unknown ? keyof Group & string : never;
export type ProblemCode = CodesOf<(typeof MEANINGS)[keyof typeof MEANINGS]>;

interface ProblemMeaning {
  readonly kind: ProblemKind;
  readonly means: string;
}

/** Every `error.code` that a caller can receive. */
export const PROBLEM_CODES = Object.fromEntries(
  Object.entries(MEANINGS).flatMap(([kind, codes]) =>
    Object.entries(codes).map(([code, means]) => [code, { kind, means }]),
  ),
) as Readonly<Record<ProblemCode, ProblemMeaning>>; // has every code of every kind
