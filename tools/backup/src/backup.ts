// Saves the whole system in a new folder while it runs; docs/operations.md says how.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findAdminUrl, findMasterKeys } from '@billing/local-system/running-system';
import { StartError } from '@billing/database/start-error';
import { saveSecrets, SECRETS_TO_KEEP } from './kept-secrets.ts';
import { findSystem, runCommand } from './settings.ts';
import { takeBackup } from './take-backup.ts';

await runCommand('backup', async () => {
  const [parent, ...rest] = process.argv.slice(2);
  if (parent === undefined || rest.length > 0) throw new StartError('Usage: npm run backup -- <folder for backups>');
  const system = findSystem(process.env);
  const folder = join(resolve(parent), `billing-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`);
  if (existsSync(folder)) throw new StartError(`${folder} exists already.`);
  await mkdir(parent, { recursive: true });

  const isLocal = system.kind === 'data-folder';
  // Writes the first version of the master key if no service has needed it yet.
  if (isLocal) findMasterKeys(system.dataDir);
  await takeBackup({
    adminUrl: isLocal ? findAdminUrl(system.dataDir) : system.adminUrl,
    folder,
    env: process.env,
    saveSecrets: async target => {
      if (isLocal) await saveSecrets(system.dataDir, target);
    },
    report: line => console.log(line),
  });
  console.log(`\nThe backup is ${folder}`);
  if (isLocal) console.log('It holds every secret of the system: keep it where only operators can read it.');
  else
    console.log(
      ['It holds the database only. Keep with it, apart:', ...SECRETS_TO_KEEP.map(it => `- ${it}`)].join('\n'),
    );
});
