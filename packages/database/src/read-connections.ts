import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from '@mikro-orm/postgresql';

const reading = new AsyncLocalStorage<EntityManager>();

/**
 * Runs work whose forks use the connections of `reads`, a second pool of the same tables, whichever entity manager they are
 * forked from. So a read need not be handed the pool through every function that a write calls too.
 */
export const onReadConnections = <Result>(reads: EntityManager, work: () => Result): Result => reading.run(reads, work);

/** Returns the entity manager whose connections the running work is to use; undefined for its own. */
export const readConnections = (): EntityManager | undefined => reading.getStore();
