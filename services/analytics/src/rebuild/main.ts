import { parseArgs } from 'node:util';
import { ProjectId } from '@billing/contracts/ids';
import { openRpcClient } from '@billing/messaging/rpc';
import { openBus } from '@billing/messaging/bus';
import { closeBroker, connectBroker } from '@billing/messaging/connection';
import { migrate } from '@billing/service/database';
import { createLogger } from '@billing/service/logger';
import { StartError } from '@billing/service/start-error';
import { openDatabase } from '#persistence/database.ts';
import { takeTurns } from '#persistence/rebuild-lock.ts';
import { countSubjects } from '#persistence/subjects.ts';
import { showProgress } from './progress.ts';
import { rebuildProject } from './rebuild-project.ts';
import { projectsOf } from './records.ts';
import { findSurroundings } from './surroundings.ts';

/** Rebuilds the read model of every project, or of the one that `--project` names. */
async function main(): Promise<void> {
  const only = readProject(process.argv.slice(2));
  const { databaseUrl, natsUrl } = await findSurroundings(process.env);
  await using resources = new AsyncDisposableStack();
  const database = resources.adopt(openDatabase(databaseUrl), it => it.close());
  await migrate(database);
  const nats = resources.adopt(await connectBroker(natsUrl, 'analytics-rebuild'), closeBroker);
  const bus = await openBus({ nats, logger: createLogger('analytics-rebuild', 'silent') });
  const rpc = openRpcClient(bus);

  const progress = showProgress(process.stdout);
  const turns = takeTurns(databaseUrl, ({ projectId }) =>
    progress.say(`${projectId}: another rebuild is at it, waiting`),
  );
  const rebuild = rebuildProject({ em: database.em, rpc, takeTurns: turns });
  let count = 0;
  for await (const project of projectsOf(rpc, only)) {
    const scope = { teamId: project.teamId, projectId: project.id };
    progress.begin(project.id, await countSubjects(database.em, scope));
    await rebuild(project, followed => progress.advance(followed));
    progress.end();
    count += 1;
  }
  if (only && count === 0) throw new StartError(`There is no project ${only}.`);
  progress.say(`${count} ${count === 1 ? 'project' : 'projects'} rebuilt`);
}

/** @throws StartError for arguments that are none of ours */
function readProject(args: string[]): ProjectId | null {
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
