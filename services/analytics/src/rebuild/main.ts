import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openServiceDatabase } from '@billing/service/service-database';
import { ProjectId } from '@billing/contracts/ids';
import { openOutbox } from '@billing/messaging/outbox';
import { openRpcClient } from '@billing/messaging/rpc';
import { openBus } from '@billing/messaging/bus';
import { closeBroker, connectBroker } from '@billing/messaging/connection';
import { migrate } from '@billing/database/database';
import { parseEnv, serviceEnv } from '@billing/service/env';
import { createLogger } from '@billing/service/logger';
import { StartError } from '@billing/database/start-error';
import { rebuildLock } from '#persistence/rebuild-lock.ts';
import { analyticsSchema } from '#persistence/schema.ts';
import { countTrackedRecords } from '#persistence/tracked-records.ts';
import { readProjects } from './owner-states.ts';
import { showProgress } from './progress.ts';
import { rebuildProject } from './rebuild-project.ts';

/** Rebuilds the metrics of every project, or only of the one that `--project` names. */
async function main(): Promise<void> {
  const onlyProject = parseProject(process.argv.slice(2));
  const { DATABASE_URL: databaseUrl, NATS_URL: natsUrl } = parseEnv(
    serviceEnv.pick({ DATABASE_URL: true, NATS_URL: true }),
  );
  await using resources = new AsyncDisposableStack();
  const database = resources.adopt(openServiceDatabase('analytics', analyticsSchema, databaseUrl), it => it.close());
  await migrate(database);
  const logger = await createLogger('analytics-rebuild', { level: 'silent' });
  const broker = resources.adopt(await connectBroker({ url: natsUrl, service: 'analytics', logger }), closeBroker);
  const bus = await openBus({ ...broker, logger });
  const rpc = openRpcClient(bus);

  const progress = showProgress(process.stdout);
  const withRebuildLock = rebuildLock(databaseUrl, ({ projectId }) =>
    progress.print(`${projectId}: waiting for another rebuild`),
  );
  const rebuild = rebuildProject({
    em: database.em,
    rpc,
    withRebuildLock,
    audit: { outbox: openOutbox(database.em), requestId: randomUUID() },
  });
  let count = 0;
  for await (const project of readProjects(rpc, onlyProject)) {
    const scope = { teamId: project.teamId, projectId: project.id };
    progress.start(project.id, await countTrackedRecords(database.em, scope));
    await rebuild(project, records => progress.advance(records));
    progress.finish();
    count += 1;
  }
  if (onlyProject && count === 0) throw new StartError(`There is no project ${onlyProject}.`);
  progress.print(`${count} ${count === 1 ? 'project' : 'projects'} rebuilt`);
}

/** @throws StartError for invalid arguments */
function parseProject(args: string[]): ProjectId | null {
  try {
    const { project } = parseArgs({ args, options: { project: { type: 'string' } } }).values;
    return project === undefined ? null : ProjectId.schema.parse(project);
  } catch {
    throw new StartError('Usage: npm run analytics:rebuild [-- --project proj_…]');
  }
}

try {
  await main();
} catch (err) {
  process.stderr.write(`analytics:rebuild: ${err instanceof Error ? err.message : String(err)}\n`);
  process.exitCode = 1;
}
