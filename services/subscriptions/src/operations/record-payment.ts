import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { supersedes, type PaymentSighting, type PaymentStatus } from '#domain/payment.ts';
import { lock } from '#persistence/locks.ts';
import { Payment, type PaymentKind } from '#persistence/payment.entity.ts';

/** A payment intent or charge as an event tells of it; amount in the currency's smallest unit. */
export interface PaymentSnapshot {
  readonly processorId: string;
  readonly kind: PaymentKind;
  readonly status: PaymentStatus;
  readonly amount: number;
  readonly currency: string;
  readonly failureCode: string | null;
  readonly processorCustomerId: string | null;
  readonly processorPaymentIntentId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

/** Keeps how a payment ended, if the event is the newer; `customerId` is null for a payment without a customer. */
export async function recordPayment(
  tx: EntityManager,
  scope: ProjectScope,
  snapshot: PaymentSnapshot,
  { at, eventId, customerId }: Omit<PaymentSighting, 'status'> & { customerId: CustomerId | null },
): Promise<void> {
  const { teamId, projectId } = scope;
  const { processorId, kind, status, amount, currency, failureCode, processorPaymentIntentId } = snapshot;
  await lock(tx, scope, 'payment', processorId);
  const row = await tx.findOne(Payment, { teamId, projectId, processorId });
  if (row && !supersedes({ status, at, eventId }, { status: row.status, at: row.asOf, eventId: row.asOfEvent })) return;

  const state = { status, amount, currency, failureCode };
  const source = { asOf: at, asOfEvent: eventId, updatedAt: new Date() };
  if (row) {
    tx.assign(row, { ...state, ...source });
    return;
  }
  const key = { teamId, projectId, processorId, kind, customerId, processorPaymentIntentId };
  tx.create(Payment, { ...key, ...state, ...source, createdAt: snapshot.createdAt });
}
