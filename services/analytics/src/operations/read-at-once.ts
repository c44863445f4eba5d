import { IsolationLevel, type EntityManager } from '@mikro-orm/postgresql';

/** Several reads that see one and the same moment, whatever is written meanwhile. */
export function readAtOnce<Read>(em: EntityManager, read: (tx: EntityManager) => Promise<Read>): Promise<Read> {
  return em.fork().transactional(read, { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true });
}
