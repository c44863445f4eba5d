import type { WebhookEvent } from '@billing/client';

const ROUTED: Readonly<Record<NonNullable<WebhookEvent['routedBy']>, string>> = {
  'object-metadata': 'The object’s metadata names the project.',
  'known-id': 'The object or its customer was known in the project already.',
  'customer-metadata': 'The metadata of the customer in Stripe names the project.',
};

const ERRORS: Readonly<Record<string, string>> = {
  foreign: 'It belongs to nobody here: the Stripe account also serves something else. Its payload is kept for 7 days.',
  livemode_mismatch: 'It is of the other mode (live or test) than the connected account.',
  other_account: 'It is about another Stripe account than the connected one.',
  no_snapshot:
    'It shows no state of an object, as a thin notification does not. The events with an object have their effect.',
};

/** Says why an event is where it is. */
export function explainRoute({ routedBy, error, projectId, status }: WebhookEvent): string {
  if (routedBy) return ROUTED[routedBy];
  const reason = reasonOf(error);
  if (reason !== undefined) return reason;
  if (projectId === null)
    return status === 'received' ? 'Its project is being looked for.' : 'Its type concerns no project.';
  return 'The event names the project.';
}

/** Says what went wrong with an event; undefined when nothing did. */
export const explainError = ({ error }: WebhookEvent): string | undefined =>
  error === null ? undefined : (reasonOf(error) ?? error);

/** An error may go on after a colon. */
const reasonOf = (error: string | null) => ERRORS[error?.split(':', 1)[0] ?? ''];

/** Whether an event can be handled once more. */
export const mayReplay = ({ status, error }: WebhookEvent): boolean =>
  status === 'failed' || error === 'foreign' || error === 'livemode_mismatch';
