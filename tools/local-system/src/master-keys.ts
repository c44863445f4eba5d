import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a data folder has the versions of its master key, which `npm run keys:rotate` changes. */
const masterKeysFile = (dataDir: string): string => join(dataDir, 'credentials-keys');

/** Writes the first version of the master key, unless there is a file; returns its path. */
export function ensureMasterKeys(dataDir: string, firstKey: string): string {
  const file = masterKeysFile(dataDir);
  if (existsSync(file)) return file;
  writeFileSync(`${file}.new`, `1:${firstKey}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return file;
}
