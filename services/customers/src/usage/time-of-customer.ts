import type { LinkedCustomer } from '#persistence/customer.entity.ts';

/** Returns the time that counts for a customer. */
export const timeOf = ({ testClockNow }: LinkedCustomer, now: () => Date): Date => testClockNow ?? now();
