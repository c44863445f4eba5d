// Restores a backup into an empty PostgreSQL and NATS; docs/operations.md says how.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { lockEmptyDataDir, startDatabaseAlone } from '@billing/local-system/stopped-system';
import { StartError } from '@billing/database/start-error';
import { restoreSecrets } from './kept-secrets.ts';
import { readManifest } from './manifest.ts';
import { requireEmptyStream } from './require-empty-stream.ts';
import type { Republished } from './republish-unhandled.ts';
import { restoreDatabase } from './restore-database.ts';
import { findSystem, readRolePasswords, runCommand } from './settings.ts';

/** How long the processor keeps events, in milliseconds. */
const PROCESSOR_KEEPS_MS = 30 * 24 * 3_600_000;

await runCommand('restore', async () => {
  const folder = parseFolder(process.argv.slice(2));
  const system = findSystem(process.env);
  const manifest = await readManifest(folder);
  const common = { folder, manifest, env: process.env, report: (line: string) => console.log(line) };
  let republished: Republished;
  if (system.kind === 'data-folder') {
    using locked = await lockEmptyDataDir(system.dataDir);
    restoreSecrets(folder, system.dataDir, process.env['BACKUP_PASSPHRASE']);
    await using database = await startDatabaseAlone(locked, common.report);
    republished = await restoreDatabase({ ...database, ...common });
  } else {
    const { adminUrl, adminNatsUrl } = system;
    if (!adminNatsUrl) throw new StartError('Set ADMIN_NATS_URL too: the stream has to be empty.');
    await requireEmptyStream(adminNatsUrl);
    republished = await restoreDatabase({ adminUrl, passwordOf: readRolePasswords(process.env), ...common });
  }
  const { outboxEvents, webhookEvents } = republished;
  console.log(`\n${outboxEvents} events and ${webhookEvents} webhook events will be published again.`);
  console.log(`The system is as it was at ${manifest.takenAt.toISOString()}. Start every service:`);
  console.log("what happened at the processor since then is fetched by each team's reconciler within minutes.");
  if (Date.now() - manifest.takenAt.getTime() > PROCESSOR_KEEPS_MS)
    console.log('The backup is older than 30 days: what happened before that is no longer listed by the processor.');
});

function parseFolder(args: string[]): string {
  const { positionals } = parseArgs({ args, allowPositionals: true });
  const [folder, ...rest] = positionals;
  if (folder === undefined || rest.length > 0) throw new StartError('Usage: npm run restore -- <backup folder>');
  return resolve(folder);
}
