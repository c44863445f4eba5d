import type { ProblemKind } from '../problem.ts';

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
  password_too_short: { kind: 'validation', means: 'The password has fewer than 8 characters.' },
  password_too_long: { kind: 'validation', means: 'The password has more than 128 characters.' },
  unauthorized: { kind: 'unauthorized', means: 'No credential, or one that is unknown, revoked or expired.' },
  forbidden: { kind: 'forbidden', means: 'The credential gives no access to this team, project or scope.' },
  project_not_found: { kind: 'not_found', means: 'The project does not exist in this team.' },
  product_not_found: { kind: 'not_found', means: 'The product does not exist in this project.' },
  price_not_found: { kind: 'not_found', means: 'The price does not exist in this project.' },
  customer_not_found: { kind: 'not_found', means: 'The customer does not exist in this project.' },
  subscription_not_found: {
    kind: 'not_found',
    means: 'The subscription does not exist in this project, or belongs to another customer.',
  },
  referral_code_not_found: { kind: 'not_found', means: 'The referral code does not exist in this project.' },
  webhook_event_not_found: { kind: 'not_found', means: 'The project received no webhook event with this id.' },
  api_key_not_found: { kind: 'not_found', means: 'The API key does not exist in this project, or is revoked.' },
  member_not_found: { kind: 'not_found', means: 'The user is not a member of the team.' },
  user_not_found: { kind: 'not_found', means: 'No user has signed up with this email address.' },
  portal_session_not_found: { kind: 'not_found', means: 'The portal session does not exist in this project.' },
  portal_link_expired: { kind: 'not_found', means: 'The token is unknown, expired or revoked.' },
  customer_email_taken: { kind: 'conflict', means: 'Another customer of the project has this email address.' },
  processor_not_connected: { kind: 'conflict', means: 'The team has not connected the payment processor yet.' },
  referral_code_exists: { kind: 'conflict', means: 'The customer already has an active referral code.' },
  referral_self: { kind: 'conflict', means: 'Customers cannot refer themselves.' },
  referral_already_applied: { kind: 'conflict', means: 'A referral code was already applied to this customer.' },
  referral_already_subscribed: { kind: 'conflict', means: 'The customer has or had a subscription.' },
  webhook_event_not_failed: { kind: 'conflict', means: 'Only a failed webhook event can be replayed.' },
  member_exists: { kind: 'conflict', means: 'The user is already a member of the team.' },
  last_owner: { kind: 'conflict', means: 'A team must have at least one owner.' },
  secret_not_repeatable: {
    kind: 'conflict',
    means: 'The key was issued, but its secret can no longer be returned; rotate the key.',
  },
  idempotency_key_in_use: { kind: 'conflict', means: 'The first request with this Idempotency-Key is still running.' },
  request_timeout: { kind: 'request_timeout', means: 'The request did not arrive within 15 seconds.' },
  payload_too_large: { kind: 'payload_too_large', means: 'The body is larger than 1 MiB.' },
  unsupported_media_type: { kind: 'unsupported_media_type', means: 'The content type is not application/json.' },
  product_inactive: { kind: 'unprocessable', means: 'The product is archived.' },
  price_inactive: { kind: 'unprocessable', means: 'The price is not active.' },
  price_type_mismatch: {
    kind: 'unprocessable',
    means: 'The type of the price does not match the mode of the checkout.',
  },
  subscription_ended: { kind: 'unprocessable', means: 'The subscription has ended; start a new checkout.' },
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
