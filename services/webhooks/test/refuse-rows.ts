import { randomBytes } from 'node:crypto';
import type { WebhooksService } from './start-webhooks.ts';

/** Makes PostgreSQL refuse the rows that meet `condition`, about the row `new`, until disposed of. */
export async function refuseRows(
  { sql }: Pick<WebhooksService, 'sql'>,
  operation: 'insert' | 'update',
  condition: string,
  table = 'webhook_events',
): Promise<AsyncDisposable> {
  const name = `refuse_${randomBytes(4).toString('hex')}`;
  await sql(
    `create function ${name}() returns trigger language plpgsql as
       $$ begin if ${condition} then raise exception 'refused'; end if; return new; end $$`,
  );
  await sql(`create trigger ${name} before ${operation} on ${table} for each row execute function ${name}()`);
  return { [Symbol.asyncDispose]: async () => void (await sql(`drop function ${name} cascade`)) };
}
