import type { EntityManager } from '@mikro-orm/postgresql';
import type { OperationLog } from './operation-log.ts';

/** A remote operation that is not finished. */
export interface OpenOperation {
  readonly id: string;
  readonly kind: string;
  readonly keyVersion: number;
  readonly keyClosedAt: Date | null;
  readonly attempts: number;
  readonly isLeased: boolean;
  /** Negative when it is due. */
  readonly dueInSeconds: number;
}

/**
 * Gives a test control of the open operations in a service's log; only of those on resources whose ids start with
 * `resourcePrefix`, if given.
 */
export function controlOperationLog(em: EntityManager, resourcePrefix = '') {
  const selected = 'due_at is not null and starts_with(resource_id, ?)';

  /** Sets columns of the operations by SQL. */
  const changeOperations = async (columns: string, where = 'true'): Promise<void> => {
    await em.fork().execute(`update remote_operations set ${columns} where ${selected} and ${where}`, [resourcePrefix]);
  };

  return {
    openOperations: () =>
      em.fork().execute<OpenOperation[]>(
        `select id, kind, key_version as "keyVersion", key_closed_at as "keyClosedAt", attempts,
                lease_id is not null as "isLeased",
                extract(epoch from due_at - clock_timestamp())::float8 as "dueInSeconds"
           from remote_operations where ${selected} order by created_at`,
        [resourcePrefix],
      ),
    changeOperations,
    /** Ends the leases and the pauses, but not the wait for the last call under a closed key. */
    endLeases: () => changeOperations('due_at = clock_timestamp()', 'key_closed_at is null'),
    /** Makes all operations due. */
    makeDue: () => changeOperations('due_at = clock_timestamp()'),
    /** Makes all operations due, as if `time` had passed since they were sent: a PostgreSQL interval. */
    letPass: (time: string) => changeOperations(`due_at = clock_timestamp(), sent_at = sent_at - interval '${time}'`),
  };
}

/** Does what the reconciler does, once. */
export async function reconcileOnce(operationLog: Pick<OperationLog, 'leaseDue' | 'finishLeft'>): Promise<void> {
  const leased = await operationLog.leaseDue(10);
  await Promise.all(leased.map(operationLog.finishLeft));
}
