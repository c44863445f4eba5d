import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settleEngines, type Lockfile } from './settle-engines.ts';

const FILE = join(import.meta.dirname, '../../../package-lock.json');

const lock = JSON.parse(await readFile(FILE, 'utf8')) as Lockfile; // npm's own format
await writeFile(FILE, `${JSON.stringify(settleEngines(lock), null, 2)}\n`);
