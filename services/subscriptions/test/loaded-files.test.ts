import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

const SERVICE = join(import.meta.dirname, '..');
const ROOMS: Readonly<Record<string, string>> = manifest.imports;

/** Returns the files of the service that are loaded with one of them, itself among them: what it imports but types, and so on. */
function loadedWith(file: string, loaded = new Set<string>()): ReadonlySet<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const code = readFileSync(join(SERVICE, file), 'utf8');
  for (const [, path = ''] of code.matchAll(/^(?:import|export)(?! type)(?:[^;]*? from)? '([^']+)';$/gm)) {
    const found = path.startsWith('.') ? join(dirname(file), path) : ROOMS[path];
    if (found) loadedWith(join(found), loaded);
  }
  return loaded;
}

/** What writes a record publishes that in the same transaction. */
const isWriter = (file: string): boolean =>
  readFileSync(join(SERVICE, file), 'utf8').includes(`'@billing/messaging/outbox'`);

const writersWith = (file: string): readonly string[] => [...loadedWith(file)].filter(isWriter);

it('reads a state without loading a writer of records', () => {
  expect(writersWith('src/state/read-state.ts')).toEqual([]);
  expect(loadedWith('src/state/read-state.ts')).toContain('src/state/find-customer-records.ts');
  // Its routes do load some, to follow a checkout.
  expect(writersWith('src/state/routes.ts')).toContain('src/record/save-reads.ts');
});
