import { nameSome, type Finding, type Limits } from '../finding.ts';

/** A subscription that has not ended, as it stands in our table. */
export interface SubscriptionName {
  readonly id: string;
  readonly teamId: string;
  readonly processorSubscriptionId: string;
}

/** Finds customers that were deleted here and are still charged. */
export function checkDeletedCustomers(
  billed: readonly (SubscriptionName & { readonly customerId: string })[],
): Finding[] {
  return [...Map.groupBy(billed, ({ customerId }) => customerId)].map(([subject, ofCustomer]) => ({
    check: 'deleted-customer-billed',
    subject,
    problem: `The customer ${subject} was deleted, but is still billed: ${nameSome(ofCustomer.map(({ processorSubscriptionId }) => processorSubscriptionId))}.`,
    action: 'Cancel the subscription at the processor, or create the customer again with the same e-mail address.',
  }));
}

/** Finds subscriptions that count as active although their period is over. */
export function checkPeriods(
  ended: readonly (SubscriptionName & { readonly daysAgo: number })[],
  { periodDays }: Limits,
): Finding[] {
  return ended
    .filter(({ daysAgo }) => daysAgo > periodDays)
    .map(({ id: subject, processorSubscriptionId, daysAgo }) => ({
      check: 'period-ended-long-ago',
      subject,
      problem: `The period of ${subject} (${processorSubscriptionId}) ended ${Math.floor(daysAgo)} days ago, and it is still active.`,
      action: 'Its renewal never arrived: look for its events at the processor and among failed webhook events.',
    }));
}

/** The changes of a team that its customers' states do not show in events yet, because each attempt fails. */
export interface FailedStates {
  readonly teamId: string;
  readonly count: number;
}

/** Finds teams of whose customers some states are not published. */
export const checkFailedStates = (failed: readonly FailedStates[]): Finding[] =>
  failed.map(({ teamId: subject, count }) => ({
    check: 'states-not-published',
    subject,
    problem: `${count} changes of states of customers of ${subject} can not be published.`,
    action: 'See what the log of subscriptions says about states; they are tried again every hour.',
  }));
