import type { ProblemKind } from './problem.ts';

interface ProblemMeaning {
  readonly kind: ProblemKind;
  readonly means: string;
}

/** Every `error.code` that a caller can receive, and what it means. */
export const PROBLEM_CODES = {
  validation_error: {
    kind: 'validation',
    means: 'The request does not match its schema; `details.fields` lists every invalid field.',
  },
  invalid_signature: {
    kind: 'validation',
    means: 'The signature does not match the body and the team, or is too old.',
  },
  invalid_event: { kind: 'validation', means: 'The body is signed but is not an event.' },
  processor_credentials_invalid: {
    kind: 'validation',
    means: 'The payment processor rejected the key, or one key is for test mode and the other for live mode.',
  },
  password_too_short: { kind: 'validation', means: 'The password has fewer than 10 characters.' },
  password_too_long: { kind: 'validation', means: 'The password has more than 128 characters.' },
  password_too_common: {
    kind: 'validation',
    means: 'The password is in lists of common passwords, or follows from the name or the e-mail address.',
  },
  invalid_password: { kind: 'validation', means: 'The password is wrong.' },
  invalid_token: { kind: 'validation', means: 'The link is unknown, expired or used; request another.' },
  reset_password_disabled: {
    kind: 'validation',
    means: 'This installation sends no e-mail; its operator can print a link.',
  },
  totp_already_enabled: { kind: 'validation', means: 'The user has a second factor already.' },
  totp_not_enabled: { kind: 'validation', means: 'The user has no second factor.' },
  two_factor_not_enabled: { kind: 'validation', means: 'The user has no second factor.' },
  backup_codes_not_enabled: { kind: 'validation', means: 'The user has no backup codes.' },
  too_many_attempts_request_new_code: { kind: 'validation', means: 'Too many wrong codes; sign in again.' },
  unauthorized: { kind: 'unauthorized', means: 'No credential, or one that is unknown, revoked or expired.' },
  forbidden: { kind: 'forbidden', means: 'The credential gives no access to this team, project or scope.' },
  reauthentication_required: {
    kind: 'forbidden',
    means: 'The password was last checked in this session more than 15 minutes ago; verify it, or sign in again.',
  },
  test_key_on_live_account: {
    kind: 'forbidden',
    means:
      'A key that starts with bil_test_, of a team whose processor account is live; create a new key, or rotate this one.',
  },
  project_not_found: { kind: 'not_found', means: 'The project does not exist in this team.' },
  product_not_found: { kind: 'not_found', means: 'The product does not exist in this project.' },
  price_not_found: { kind: 'not_found', means: 'The price does not exist in this project.' },
  customer_not_found: { kind: 'not_found', means: 'The customer does not exist in this project.' },
  subscription_not_found: {
    kind: 'not_found',
    means: 'The subscription does not exist in this project, or belongs to another customer.',
  },
  referral_code_not_found: { kind: 'not_found', means: 'The referral code does not exist in this project.' },
  referral_credit_not_found: { kind: 'not_found', means: 'The credit does not exist in this project.' },
  sync_not_found: { kind: 'not_found', means: 'The sync does not exist in this project.' },
  webhook_event_not_found: { kind: 'not_found', means: 'The project received no webhook event with this id.' },
  dead_letter_not_found: {
    kind: 'not_found',
    means: 'The team has no such dead letter; it may have been handled or dropped meanwhile.',
  },
  api_key_not_found: { kind: 'not_found', means: 'The API key does not exist in this project, or is revoked.' },
  member_not_found: { kind: 'not_found', means: 'The user is not a member of the team.' },
  invitation_not_found: {
    kind: 'not_found',
    means: 'The invitation does not exist, has expired, was used or withdrawn, or is for another e-mail address.',
  },
  portal_session_not_found: { kind: 'not_found', means: 'The portal session does not exist in this project.' },
  portal_link_expired: { kind: 'not_found', means: 'The token is unknown, expired or revoked.' },
  conflict: { kind: 'conflict', means: 'The record was changed by another request meanwhile; try again.' },
  customer_email_taken: { kind: 'conflict', means: 'Another customer of the project has this email address.' },
  customer_external_id_taken: { kind: 'conflict', means: 'Another customer of the project has this external id.' },
  sync_running: { kind: 'conflict', means: 'A sync of the team is queued or running; wait for it, or cancel it.' },
  processor_not_connected: { kind: 'conflict', means: 'The team is not connected to the payment processor.' },
  processor_purge_running: {
    kind: 'conflict',
    means: 'The records of the last account are still being deleted; connect again after Retry-After seconds.',
  },
  processor_mismatch: {
    kind: 'conflict',
    means:
      'The key belongs to another account or mode than the records of the team; `details` names both, and counts the records.',
  },
  referral_code_exists: { kind: 'conflict', means: 'The customer already has an active referral code.' },
  referral_self: { kind: 'conflict', means: 'Customers cannot refer themselves.' },
  referral_already_applied: { kind: 'conflict', means: 'A referral code was already applied to this customer.' },
  referral_already_subscribed: { kind: 'conflict', means: 'The customer has or had a subscription.' },
  referral_credit_not_failed: { kind: 'conflict', means: 'Only a credit that failed can be retried.' },
  already_subscribed: {
    kind: 'conflict',
    means: 'The customer has a subscription to this product, and `oncePerCustomer` was set.',
  },
  webhook_event_not_failed: {
    kind: 'conflict',
    means: 'Only a webhook event that failed, is foreign, or was of the other mode can be replayed.',
  },
  webhook_event_payload_deleted: {
    kind: 'conflict',
    means: 'The webhook event is so old that only its record is left; it cannot be replayed.',
  },
  dead_letter_retrying: {
    kind: 'conflict',
    means: 'The dead letter is being retried, and cannot be dropped now.',
  },
  member_exists: { kind: 'conflict', means: 'The user is already a member of the team.' },
  last_owner: { kind: 'conflict', means: 'A team must have at least one owner.' },
  secret_not_repeatable: {
    kind: 'conflict',
    means:
      'The key or invitation was issued, but its secret can no longer be returned; rotate the key, or invite again.',
  },
  idempotency_key_in_use: { kind: 'conflict', means: 'The first request with this Idempotency-Key is still running.' },
  request_timeout: { kind: 'request_timeout', means: 'The request did not arrive within 15 seconds.' },
  payload_too_large: { kind: 'payload_too_large', means: 'The body is larger than 1 MiB.' },
  unsupported_media_type: { kind: 'unsupported_media_type', means: 'The content type is not application/json.' },
  quota_exceeded: {
    kind: 'unprocessable',
    means: 'A quota is used up; `details` names the `quota` and its `limit`.',
  },
  product_inactive: { kind: 'unprocessable', means: 'The product is archived.' },
  price_inactive: { kind: 'unprocessable', means: 'The price is not active.' },
  price_type_mismatch: {
    kind: 'unprocessable',
    means: 'The type of the price does not match the mode of the checkout.',
  },
  trial_already_used: {
    kind: 'unprocessable',
    means: 'The customer already had a trial of this product, and `trialOncePerCustomer` was set.',
  },
  confirmation_required: {
    kind: 'unprocessable',
    means: 'To delete everything that mirrors the account, `confirm` must be the exact name of the team.',
  },
  webhook_endpoint_not_permitted: {
    kind: 'unprocessable',
    means: 'The secret key may not create a webhook endpoint; `details.permission` names what it lacks.',
  },
  subscription_ended: { kind: 'unprocessable', means: 'The subscription has ended; start a new checkout.' },
  subscription_has_schedule: {
    kind: 'unprocessable',
    means: 'A schedule at the payment processor manages the subscription: change or release it there, or cancel now.',
  },
  referral_code_inactive: { kind: 'unprocessable', means: 'The referral code is no longer active.' },
  referral_program_disabled: { kind: 'unprocessable', means: 'The referral program of the project is not enabled.' },
  user_already_exists_use_another_email: {
    kind: 'unprocessable',
    means: 'A user with this email address already exists.',
  },
  idempotency_key_reused: {
    kind: 'unprocessable',
    means: 'The Idempotency-Key was used for a different request; use a new key.',
  },
  rate_limited: { kind: 'rate_limited', means: 'Too many requests; retry after Retry-After seconds.' },
  internal: { kind: 'internal', means: 'An unexpected error on our side; look up the request id in the logs.' },
  processor_error: { kind: 'processor_failed', means: 'The payment processor rejected the request, or failed.' },
  unavailable: {
    kind: 'unavailable',
    means: 'A dependency is unavailable; retry after Retry-After seconds.',
  },
} as const satisfies Readonly<Record<string, ProblemMeaning>>;
export type ProblemCode = keyof typeof PROBLEM_CODES;
