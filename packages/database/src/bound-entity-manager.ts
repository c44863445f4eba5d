import { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from './bound-statement.ts';
import { readConnections } from './read-connections.ts';

/**
 * Sends the values of `em.execute(sql, values)` beside the SQL text, each for a `?`; MikroORM's own `execute` writes them
 * into the text. So no value can become SQL, whatever it contains. Within `onReadConnections` its forks use those.
 */
export class BoundEntityManager extends EntityManager {
  override fork(options?: Parameters<EntityManager['fork']>[0]): this {
    const reads = readConnections();
    if (!reads || reads.config === this.config) return super.fork(options);
    return reads.fork(options) as this; // `openDatabase` makes both of this class
  }

  override async execute<Result>(query: unknown, values: unknown = [], ...rest: unknown[]): Promise<Result> {
    if (typeof query !== 'string' || !Array.isArray(values) || rest.length > 0)
      throw new Error('Pass em.execute a text of SQL and an array of its values, and nothing else.');
    return (await executeBound(this, numbered(query), values, { isDynamic: true })) as Result; // as the caller says
  }
}

/** Returns SQL whose placeholders `?` are numbered: `$1`, `$2`, … */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${(count += 1)}`);
}
