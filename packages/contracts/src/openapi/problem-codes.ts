import type { ProblemKind } from '../problem.ts';

interface ProblemMeaning {
  readonly kind: ProblemKind;
  readonly means: string;
}

/** Every `error.code` callers may meet, and what it means. */
export const PROBLEM_CODES = {
  validation_error: { kind: 'validation', means: 'Something in the request breaks its schema; every field is named.' },
  invalid_signature: { kind: 'validation', means: 'The signature does not fit the body and the team, or is too old.' },
  invalid_event: { kind: 'validation', means: 'The body is signed but is no event.' },
  processor_credentials_invalid: {
    kind: 'validation',
    means: 'The payment processor refused the key, or the two keys are of different modes.',
  },
  password_too_short: { kind: 'validation', means: 'The password has fewer than 8 characters.' },
  password_too_long: { kind: 'validation', means: 'The password has more than 128 characters.' },
  unauthorized: { kind: 'unauthorized', means: 'No credential, or one that is unknown, revoked or expired.' },
  forbidden: { kind: 'forbidden', means: 'The credential does not cover the team, the project or the scope.' },
  project_not_found: { kind: 'not_found', means: 'The team has no such project.' },
  product_not_found: { kind: 'not_found', means: 'The project has no such product.' },
  price_not_found: { kind: 'not_found', means: 'The project has no such price.' },
  customer_not_found: { kind: 'not_found', means: 'The project has no such customer.' },
  subscription_not_found: { kind: 'not_found', means: 'The project, or the customer, has no such subscription.' },
  referral_code_not_found: { kind: 'not_found', means: 'The project has no such referral code.' },
  webhook_event_not_found: { kind: 'not_found', means: 'No such event was received for the project.' },
  api_key_not_found: { kind: 'not_found', means: 'The project has no such API key, or it is revoked.' },
  member_not_found: { kind: 'not_found', means: 'The user is no member of the team.' },
  user_not_found: { kind: 'not_found', means: 'Nobody signed up with this e-mail.' },
  portal_session_not_found: { kind: 'not_found', means: 'The project has no such portal session.' },
  portal_link_expired: { kind: 'not_found', means: 'The token is unknown, expired or revoked.' },
  customer_email_taken: { kind: 'conflict', means: 'Another customer of the project has this e-mail.' },
  processor_not_connected: { kind: 'conflict', means: 'The team has not connected the payment processor yet.' },
  referral_code_exists: { kind: 'conflict', means: 'The customer has an active referral code already.' },
  referral_self: { kind: 'conflict', means: 'Customers cannot refer themselves.' },
  referral_already_applied: { kind: 'conflict', means: 'A code has been applied to this customer already.' },
  referral_already_subscribed: { kind: 'conflict', means: 'The customer has or had a subscription.' },
  webhook_event_not_failed: { kind: 'conflict', means: 'Only a failed event can be handled once more.' },
  member_exists: { kind: 'conflict', means: 'The user is a member of the team already.' },
  last_owner: { kind: 'conflict', means: 'A team keeps at least one owner.' },
  secret_not_repeatable: {
    kind: 'conflict',
    means: 'The key was issued, but its secret can no longer be told again; rotate it.',
  },
  idempotency_key_in_use: { kind: 'conflict', means: 'The first request with this Idempotency-Key is still running.' },
  request_timeout: { kind: 'request_timeout', means: 'The request did not arrive within 15 seconds.' },
  payload_too_large: { kind: 'payload_too_large', means: 'The body is larger than 1 MiB.' },
  unsupported_media_type: { kind: 'unsupported_media_type', means: 'The body is not plain application/json.' },
  product_inactive: { kind: 'unprocessable', means: 'The product is archived.' },
  price_inactive: { kind: 'unprocessable', means: 'The price is not active.' },
  price_type_mismatch: { kind: 'unprocessable', means: 'The type of the price does not fit the mode of the checkout.' },
  subscription_ended: { kind: 'unprocessable', means: 'The subscription has ended; start a new checkout.' },
  referral_code_inactive: { kind: 'unprocessable', means: 'The referral code is no longer active.' },
  referral_program_disabled: { kind: 'unprocessable', means: 'The project has no referral program that is enabled.' },
  user_already_exists_use_another_email: {
    kind: 'unprocessable',
    means: 'Somebody signed up with this e-mail already.',
  },
  idempotency_key_reused: {
    kind: 'unprocessable',
    means: 'The Idempotency-Key was used for another request; take a new one.',
  },
  rate_limited: { kind: 'rate_limited', means: 'Too many requests; wait for Retry-After seconds.' },
  internal: { kind: 'internal', means: 'Our fault; the request id leads to the reason.' },
  processor_error: { kind: 'processor_failed', means: 'The payment processor refused, or failed.' },
  unavailable: {
    kind: 'unavailable',
    means: 'Something this depends on is down; try again after Retry-After seconds.',
  },
} as const satisfies Readonly<Record<string, ProblemMeaning>>;
export type ProblemCode = keyof typeof PROBLEM_CODES;
