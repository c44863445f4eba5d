import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { findPostgresTools } from '../src/postgres-tools.ts';

/** A folder with programs that only say which version they are. */
async function programsOf(major: number) {
  const folder = await mkdtemp(join(tmpdir(), 'billing-tools-'));
  for (const name of ['pg_dump', 'pg_restore']) {
    await writeFile(join(folder, name), `#!/bin/sh\necho "${name} (PostgreSQL) ${major}.3 (Debian)"\n`);
    await chmod(join(folder, name), 0o755);
  }
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

it('takes the first program on the path that is not older than the server', async () => {
  await using old = await programsOf(14);
  await using recent = await programsOf(99);
  const PATH = [old.folder, recent.folder].join(delimiter);
  expect(await findPostgresTools(98, { PATH })).toEqual({
    pgDump: join(recent.folder, 'pg_dump'),
    pgRestore: join(recent.folder, 'pg_restore'),
    major: 99,
  });
});

it('refuses a program that is older than the server, and says what to install', async () => {
  await using old = await programsOf(14);
  const PG_DUMP = join(old.folder, 'pg_dump');
  await expect(findPostgresTools(98, { PG_DUMP })).rejects.toThrow(
    `The server is PostgreSQL 98, and no pg_dump can read it: ${PG_DUMP} is of PostgreSQL 14. Install`,
  );
  await expect(findPostgresTools(98, { PG_DUMP: '/nowhere' })).rejects.toThrow('/nowhere is no pg_dump');
});
