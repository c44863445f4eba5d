import type * as Client from '@billing/client';
import { Badge, type Tone } from './badge.tsx';

export interface StatusText {
  readonly name: string;
  readonly tone: Tone;
}

/** What each status of a record is called. */
type Statuses<Item extends { readonly status: string }> = Readonly<Record<Item['status'], StatusText>>;

export const SUBSCRIPTION_STATUS: Statuses<Client.Subscription> = {
  active: { name: 'Active', tone: 'good' },
  trialing: { name: 'Trial', tone: 'accent' },
  past_due: { name: 'Past due', tone: 'bad' },
  unpaid: { name: 'Unpaid', tone: 'bad' },
  incomplete: { name: 'Incomplete', tone: 'warn' },
  paused: { name: 'Paused', tone: 'warn' },
  canceled: { name: 'Canceled', tone: 'neutral' },
  incomplete_expired: { name: 'Never paid', tone: 'neutral' },
};

export const INVOICE_STATUS: Statuses<Client.Invoice> = {
  paid: { name: 'Paid', tone: 'good' },
  open: { name: 'Open', tone: 'warn' },
  draft: { name: 'Draft', tone: 'neutral' },
  void: { name: 'Void', tone: 'neutral' },
  uncollectible: { name: 'Uncollectible', tone: 'bad' },
};

export const PAYMENT_STATUS: Statuses<Client.Payment> = {
  requires_capture: { name: 'Not captured', tone: 'accent' },
  canceled: { name: 'Canceled', tone: 'neutral' },
  succeeded: { name: 'Succeeded', tone: 'good' },
  failed: { name: 'Failed', tone: 'bad' },
  refunded: { name: 'Refunded', tone: 'neutral' },
  partially_refunded: { name: 'Partly refunded', tone: 'neutral' },
  inquiry: { name: 'Inquiry', tone: 'warn' },
  disputed: { name: 'Disputed', tone: 'warn' },
  dispute_lost: { name: 'Dispute lost', tone: 'bad' },
};

export const DUNNING_STATUS: Statuses<Client.DunningCase> = {
  recovering: { name: 'Recovering', tone: 'warn' },
  recovered: { name: 'Recovered', tone: 'good' },
  lost: { name: 'Lost', tone: 'bad' },
};

export const PAYMENT_STATE: Statuses<Client.CustomerState['payment']> = {
  ok: { name: 'Up to date', tone: 'good' },
  past_due: { name: 'Past due', tone: 'bad' },
  unpaid: { name: 'Unpaid', tone: 'bad' },
};

export const EVENT_STATUS: Statuses<Client.WebhookEvent> = {
  failed: { name: 'Failed', tone: 'bad' },
  received: { name: 'Received', tone: 'accent' },
  processed: { name: 'Processed', tone: 'good' },
  ignored: { name: 'Ignored', tone: 'neutral' },
};

export const ENDPOINT_STATUS: Statuses<Client.WebhookEndpoint> = {
  enabled: { name: 'Enabled', tone: 'good' },
  failing: { name: 'Failing', tone: 'bad' },
  disabled: { name: 'Disabled', tone: 'neutral' },
};

export const DELIVERY_STATUS: Statuses<Client.WebhookDelivery> = {
  succeeded: { name: 'Succeeded', tone: 'good' },
  pending: { name: 'Pending', tone: 'accent' },
  failed: { name: 'Failed', tone: 'bad' },
  canceled: { name: 'Canceled', tone: 'neutral' },
};

export const REFERRAL_STATUS: Statuses<Client.Referral> = {
  pending: { name: 'Pending', tone: 'accent' },
  converted: { name: 'Converted', tone: 'good' },
};

export const CREDIT_STATUS: Statuses<Client.ReferralCredit> = {
  pending: { name: 'Pending', tone: 'accent' },
  credited: { name: 'Credited', tone: 'good' },
  failed: { name: 'Failed', tone: 'bad' },
};

export const HEALTH_STATUS: Statuses<Client.ProcessorHealth> = {
  ok: { name: 'Works', tone: 'good' },
  degraded: { name: 'Needs attention', tone: 'warn' },
  broken: { name: 'Broken', tone: 'bad' },
};

export const CHECK_STATUS: Statuses<Client.ProcessorHealth['checks'][number]> = {
  ok: { name: 'OK', tone: 'good' },
  warning: { name: 'Warning', tone: 'warn' },
  failed: { name: 'Failed', tone: 'bad' },
  unknown: { name: 'Unknown', tone: 'neutral' },
};

export const SYNC_STATUS: Statuses<Client.Sync> = {
  queued: { name: 'Queued', tone: 'accent' },
  running: { name: 'Running', tone: 'accent' },
  completed: { name: 'Completed', tone: 'good' },
  failed: { name: 'Failed', tone: 'bad' },
  canceled: { name: 'Stopped', tone: 'neutral' },
};

export const TEST_CLOCK_STATUS: Statuses<Client.TestClock> = {
  ready: { name: 'Ready', tone: 'good' },
  advancing: { name: 'Advancing', tone: 'accent' },
  failed: { name: 'Failed', tone: 'bad' },
};

export const FINDING_OUTCOME: Readonly<Record<Client.SyncFinding['outcome'], StatusText>> = {
  missing: { name: 'Missing here', tone: 'warn' },
  different: { name: 'Different', tone: 'warn' },
  extra: { name: 'Not at Stripe', tone: 'bad' },
  conflict: { name: 'Conflict', tone: 'warn' },
  skipped: { name: 'Skipped', tone: 'neutral' },
};

export function StatusBadge({ of }: { readonly of: StatusText }) {
  return <Badge tone={of.tone}>{of.name}</Badge>;
}
