import type { WebhookEvent } from '@billing/client';

const ROUTED: Readonly<Record<NonNullable<WebhookEvent['routedBy']>, string>> = {
  'object-metadata': 'The object’s metadata names the project.',
  'known-id': 'The object or its customer was known in the project already.',
  'customer-metadata': 'The metadata of the customer in Stripe names the project.',
};

const ERRORS: Readonly<Record<string, string>> = {
  foreign: 'It belongs to nobody here: the Stripe account also serves something else. Its payload is kept for 7 days.',
  livemode_mismatch: 'It is of the other mode (live or test) than the connected account.',
  unroutable: 'No project could be found for it.',
};

/** Says why an event is where it is. */
export function explainRoute({ routedBy, error, projectId, status }: WebhookEvent): string {
  if (routedBy) return ROUTED[routedBy];
  if (error && ERRORS[error]) return ERRORS[error];
  if (projectId === null)
    return status === 'received' ? 'Its project is being looked for.' : 'Its type concerns no project.';
  return 'The event names the project.';
}

/** Says what went wrong with an event; undefined when nothing did. */
export const explainError = ({ error }: WebhookEvent): string | undefined =>
  error === null ? undefined : (ERRORS[error] ?? error);

/** Whether an event can be handled once more. */
export const mayReplay = ({ status, error }: WebhookEvent): boolean =>
  status === 'failed' || error === 'foreign' || error === 'livemode_mismatch';
