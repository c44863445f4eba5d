import type { DeliveryInfo } from '@nats-io/jetstream';
import { UNKNOWN_ATTEMPT } from './consumer/delivery.ts';

interface AttemptsOptions {
  readonly serverVersion: string;
  /** Messages that were delivered more than once and have no end yet, when the process starts to read. */
  readonly redelivered: number;
}

/**
 * Returns a function that says which attempt a delivery is, counted from 1. When the time of a delivery ends while no process
 * asks for messages, nats-server 2.9 goes back in the stream and delivers the message as if for the first time, after each
 * crash. It does so to no more messages than were redelivered: of so many first deliveries the attempt is unknown.
 */
export function openAttempts({ serverVersion, redelivered }: AttemptsOptions) {
  let uncertain = serverVersion.startsWith('2.9.') ? redelivered : 0;
  return ({ deliveryCount }: Pick<DeliveryInfo, 'deliveryCount'>): number => {
    if (deliveryCount > 1 || uncertain === 0) return deliveryCount;
    uncertain -= 1;
    return UNKNOWN_ATTEMPT;
  };
}
