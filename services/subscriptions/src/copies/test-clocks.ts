import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { CustomerCopy } from './customer-copy.entity.ts';

/** Returns what time it is for a customer: that of its test clock, else the present. */
export const timeOf = ({ testClockNow }: Pick<CustomerCopy, 'testClockNow'>, now: () => Date): Date =>
  testClockNow ?? now();

/** A customer on a test clock, and what time it is there. */
export type ClockedCopy = Pick<CustomerCopy, 'id' | 'testClockNow'>;

/** Finds the customers of a project that live on test clocks, and are not gone with them: few, and none of a live account. */
export const findOnTestClocks = (em: EntityManager, { teamId, projectId }: ProjectScope): Promise<ClockedCopy[]> => {
  const where = { teamId, projectId, testClockId: { $ne: null }, deletedAt: null };
  return em.find(CustomerCopy, where, { fields: ['id', 'testClockNow'] });
};
