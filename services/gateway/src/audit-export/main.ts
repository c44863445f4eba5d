import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { cursorText, type Cursor } from '@billing/contracts/cursor';
import { TeamId } from '@billing/contracts/ids';
import { migrate } from '@billing/database/database';
import { StartError } from '@billing/database/start-error';
import { parseEnv, serviceEnv } from '@billing/service/env';
import { openServiceDatabase } from '@billing/service/service-database';
import { listAuditLog } from '#operations/audit-log.ts';
import { Team } from '#persistence/entities.ts';
import { gatewaySchema } from '#persistence/schema.ts';

const environment = serviceEnv.pick({ DATABASE_URL: true });
const PAGE = { limit: 100, offset: 0 };

/** Prints the audit log of a team, an entry a line in JSON, newest first. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { team: { type: 'string' } } });
  const { data: teamId } = TeamId.schema.safeParse(values.team);
  if (teamId === undefined) throw new StartError('Usage: npm run audit:export -- --team team_…');
  await using resources = new AsyncDisposableStack();
  const databaseUrl = parseEnv(environment).DATABASE_URL;
  const database = resources.adopt(openServiceDatabase('gateway', gatewaySchema, databaseUrl), it => it.close());
  await migrate(database);
  if ((await database.em.fork().count(Team, { id: teamId })) === 0) throw new StartError(`There is no team ${teamId}.`);
  const list = listAuditLog({ em: database.em });
  let cursor: Cursor | undefined;
  do {
    const [entries, { nextCursor }] = await list(teamId, { ...PAGE, cursor });
    const lines = entries.map(entry => `${JSON.stringify(entry)}\n`).join('');
    if (!process.stdout.write(lines)) await once(process.stdout, 'drain');
    cursor = nextCursor === null ? undefined : cursorText.parse(nextCursor);
  } while (cursor);
}

try {
  await main();
} catch (err) {
  process.stderr.write(`audit-export: ${err instanceof Error ? err.message : String(err)}\n`);
  process.exitCode = 1;
}
