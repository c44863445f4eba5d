import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { TestClockSaved } from '@billing/contracts/events/test-clocks';
import type { CustomerId, ProjectScope, TestClockId } from '@billing/contracts/ids';
import { conflict, quotaExceeded } from '@billing/contracts/problem';
import { MAX_CUSTOMERS_OF_CLOCK, type TestClock as TestClockResource } from '@billing/contracts/resources/test-clock';
import type { Publish } from '@billing/messaging/outbox';
import { isMirrored, mirroredRows } from '@billing/service/mirrored-rows';
import { Customer, type LinkedCustomer } from '#persistence/customer.entity.ts';
import { TestClock, type LinkedClock } from './test-clock.entity.ts';

/** The rows of test clocks. */
export const testClocks = mirroredRows(TestClock, 'test_clock');

/** Finds the customers on a clock that are not deleted, locked if so wanted, in one order. */
export async function findCustomersOn(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  id: TestClockId,
  { isLocked = false }: { readonly isLocked?: boolean } = {},
): Promise<LinkedCustomer[]> {
  const where = { teamId, projectId, testClockId: id, deletedAt: null };
  const lockMode = isLocked ? LockMode.PESSIMISTIC_WRITE : LockMode.NONE;
  return (await em.find(Customer, where, { orderBy: { id: 'asc' }, lockMode })).filter(isMirrored);
}

/** Returns clocks as callers see them, in their order. */
export async function toResources(em: EntityManager, clocks: readonly LinkedClock[]): Promise<TestClockResource[]> {
  const [first] = clocks;
  if (!first) return [];
  const { teamId, projectId } = first;
  const where = { teamId, projectId, testClockId: { $in: clocks.map(({ id }) => id) }, deletedAt: null };
  const customers = (await em.find(Customer, where, { orderBy: { createdAt: 'asc', id: 'asc' } })).filter(isMirrored);
  return clocks.map(({ id, processorId, name, time, target, createdAt, deletesAt, ...clock }) => ({
    id,
    projectId,
    processorTestClockId: processorId,
    name,
    now: time,
    target: shownStatus(clock) === 'advancing' ? target : null,
    status: shownStatus(clock),
    customerIds: customers.filter(it => it.testClockId === id).map((it): CustomerId => it.id),
    createdAt,
    deletesAt,
  }));
}

/**
 * Locks a clock on which a new customer is to live.
 * @throws Problem 404; 409 `test_clock_advancing`; 422 `quota_exceeded`
 */
export async function lockForCustomer(tx: EntityManager, scope: ProjectScope, id: TestClockId): Promise<LinkedClock> {
  const clock = await testClocks.lock(tx, scope, id);
  requireReady(clock);
  const { teamId, projectId } = scope;
  // One that is being created has its place.
  const count = await tx.count(Customer, { teamId, projectId, testClockId: id, deletedAt: null });
  if (count >= MAX_CUSTOMERS_OF_CLOCK) throw quotaExceeded('customers_of_a_test_clock', MAX_CUSTOMERS_OF_CLOCK);
  return clock;
}

const shownStatus = ({ status }: Pick<TestClock, 'status'>) =>
  status === 'queued' || status === 'running' ? 'advancing' : status;

/** @throws Problem 409 `test_clock_advancing` */
export function requireReady(clock: TestClock): void {
  if (shownStatus(clock) === 'advancing')
    throw conflict('test_clock_advancing', 'The test clock advances; wait until it is ready.', 2);
}

/** Publishes which project the processor's events of a clock go to. */
export function publishClock(publish: Publish, clock: LinkedClock): void {
  const { teamId, id, projectId, processorId: processorTestClockId, version, createdAt, deletedAt } = clock;
  publish(TestClockSaved, teamId, { id, projectId, processorTestClockId, version, createdAt, deletedAt });
}
