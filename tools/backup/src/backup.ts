// Saves the whole system in a new folder while it runs; docs/operations.md says how.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findAdminUrl, findMasterKeys } from '@billing/local-system/running-system';
import { StartError } from '@billing/database/start-error';
import { saveSecrets, secretFilesOf, SECRETS_TO_KEEP } from './kept-secrets.ts';
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
  let hasSecrets = false;
  await takeBackup({
    adminUrl: isLocal ? findAdminUrl(system.dataDir) : system.adminUrl,
    folder,
    env: process.env,
    saveSecrets: async target => {
      if (isLocal) hasSecrets = saveSecrets(system.dataDir, target, process.env['BACKUP_PASSPHRASE']);
    },
    report: line => console.log(line),
  });
  console.log(`\nThe backup is ${folder}`);
  if (hasSecrets) console.log('The secrets in it are encrypted: without BACKUP_PASSPHRASE nobody can open them.');
  else if (isLocal)
    console.log(
      `It holds no secrets. Keep apart, or set BACKUP_PASSPHRASE: ${secretFilesOf(system.dataDir).join(', ')}`,
    );
  else
    console.log(
      ['It holds the database only. Keep with it, apart:', ...SECRETS_TO_KEEP.map(it => `- ${it}`)].join('\n'),
    );
});
