import type { UnitOfWork } from '../api/unit-of-work.ts';
import { invalidRequest } from '../api/errors.ts';
import { newDispute } from '../objects/dispute.ts';
import type { Charge, Dispute } from '../objects/stored.ts';

/**
 * Opens a dispute on a charge, as the cardholder's bank does, and emits the events.
 * (Stripe: https://docs.stripe.com/disputes/how-disputes-work)
 * @throws ApiError 400 when the charge failed or is disputed
 */
export function openDispute(unit: UnitOfWork, charge: Charge, reason: string, amount = charge.amount): Dispute {
  if (!charge.paid) throw invalidRequest('A charge that did not succeed cannot be disputed.');
  if (charge.disputed) throw invalidRequest('This charge is already disputed.');
  const dispute = unit.create('dispute', newDispute(unit, charge, amount, reason));
  unit.update('charge', charge, { disputed: true }, 'charge.updated');
  unit.emit('charge.dispute.created', dispute);
  unit.emit('charge.dispute.funds_withdrawn', dispute);
  return dispute;
}

/** Closes a dispute and emits the events. @throws ApiError 400 when it is closed */
export function closeDispute(unit: UnitOfWork, dispute: Dispute, outcome: 'won' | 'lost'): Dispute {
  if (dispute.status === 'won' || dispute.status === 'lost')
    throw invalidRequest(`This dispute is already closed: ${dispute.status}.`);
  const closed = unit.update('dispute', dispute, { status: outcome });
  unit.emit('charge.dispute.closed', closed, { status: dispute.status });
  if (outcome === 'won') unit.emit('charge.dispute.funds_reinstated', closed);
  return closed;
}
