import type { ProjectScope } from '@billing/contracts/ids';
import { invoice as invoiceSchema } from '@billing/contracts/resources/invoice';
import { payment as paymentSchema } from '@billing/contracts/resources/payment';
import { subscription as subscriptionSchema } from '@billing/contracts/resources/subscription';
import type { Publish } from '@billing/messaging/outbox';
import { publishResource, type Resource, type Source } from '@billing/service/publish-resource';
import { toResource as toInvoice, type Invoice } from '#persistence/invoice.entity.ts';
import { toResource as toPayment, type Payment } from '#persistence/payment.entity.ts';
import { toResource as toSubscription, type Subscription } from '#persistence/subscription.entity.ts';

interface ToldRow extends ProjectScope {
  readonly id: string;
  sequence: number;
  updatedAt: Date;
}

interface Change extends Source {
  /** What `toJson` returned before the row was changed; null for a new one. */
  readonly before: Resource | null;
  readonly now: Date;
}

/** Tells tenants of the changes of one kind of record. */
export interface Teller<Row> {
  /** What GET returns for a row; null for one that it does not find. */
  toJson(row: Row): Resource | null;
  /**
   * Tells of what a transaction changes in a row, once for all events that it applies: nobody reads a state between them.
   * What changes nothing that tenants see is not told, and leaves `updatedAt`. The caller saves the row after it.
   */
  tell(publish: Publish, row: Row, change: Change): void;
}

function teller<Row extends ToldRow>(
  type: 'subscription' | 'invoice' | 'payment',
  toJson: (row: Row) => Resource | null,
): Teller<Row> {
  return {
    toJson,
    tell(publish, row, { now, ...change }) {
      const { id, updatedAt } = row;
      row.updatedAt = now;
      const after = toJson(row);
      const isTold = after !== null && publishResource(publish, row, { object: { type, id }, after, ...change });
      if (!isTold) row.updatedAt = updatedAt;
    },
  };
}

export const told = {
  subscription: teller('subscription', (row: Subscription) => subscriptionSchema.encode(toSubscription(row))),
  invoice: teller('invoice', (row: Invoice) => invoiceSchema.encode(toInvoice(row))),
  payment: teller('payment', (row: Payment) => {
    const payment = toPayment(row);
    return payment && paymentSchema.encode(payment);
  }),
} as const;

/**
 * Tells tenants, once for each end of a trial, that the trial of a subscription ends soon. The processor's event about it may
 * be late: nothing is told unless the trial still goes on, to the same end. Returns whether the row has to be saved.
 */
export function tellTrialEnding(publish: Publish, row: Subscription, trialEnd: Date | null, source: Source): boolean {
  const end = row.trialEnd?.getTime();
  if (row.status !== 'trialing' || !end || end !== trialEnd?.getTime() || end === row.toldTrialEnd?.getTime())
    return false;
  row.toldTrialEnd = row.trialEnd;
  const after = subscriptionSchema.encode(toSubscription(row));
  const object = { type: 'subscription', id: row.id } as const;
  publishResource(publish, row, { object, before: after, after, type: 'subscription.trial_ending', ...source });
  return true;
}
