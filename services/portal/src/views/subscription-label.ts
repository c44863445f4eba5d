import { html } from 'hono/html';
import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import type { Html } from './html.ts';
import type { MessageKey } from './messages/messages.ts';
import type { ShownSubscription } from './portal-view.ts';
import type { Texts } from './texts.ts';

/** A status in the customer's words, and the color it is shown in. */
export interface StatusLabel {
  readonly text: MessageKey;
  readonly tone: 'good' | 'notable' | 'urgent' | 'neutral';
}

const LABELS: Readonly<Record<SubscriptionStatus, StatusLabel>> = {
  active: { text: 'active', tone: 'good' },
  trialing: { text: 'trialing', tone: 'good' },
  past_due: { text: 'pastDue', tone: 'urgent' },
  unpaid: { text: 'unpaid', tone: 'urgent' },
  incomplete: { text: 'incomplete', tone: 'urgent' },
  paused: { text: 'paused', tone: 'neutral' },
  canceled: { text: 'ended', tone: 'neutral' },
  incomplete_expired: { text: 'ended', tone: 'neutral' },
};

/** Returns the label of a subscription. A scheduled cancellation, or a pause of its payments, replaces only `active` and `trialing`. */
export function statusLabel({
  status,
  cancelAtPeriodEnd,
  pauseCollection,
}: Pick<SubscriptionState, 'status' | 'cancelAtPeriodEnd' | 'pauseCollection'>): StatusLabel {
  if (status !== 'active' && status !== 'trialing') return LABELS[status];
  if (cancelAtPeriodEnd) return { text: 'endingSoon', tone: 'notable' };
  return LABELS[pauseCollection ? 'paused' : status];
}

/** Returns a subscription's name in `bdi`, so that its text direction does not affect the words around it. */
export const productName = ({ productName: name }: ShownSubscription, texts: Texts): Html =>
  html`<bdi>${name ?? texts.text('subscription')}</bdi>`;
