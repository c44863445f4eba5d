import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const RECORD = join(import.meta.dirname, '../previous-release.json');
const record = z.object({ commit: z.string().regex(/^[0-9a-f]{40}$/) });

/** The code of the previous release, in a folder of its own. */
export interface PreviousRelease extends AsyncDisposable {
  readonly root: string;
}

/**
 * Takes the previous release out of the history of git. Its packages are its own; what comes from npm is what is installed.
 * Returns the reason instead if the history lacks it, as a shallow clone does.
 */
export async function openPreviousRelease(): Promise<PreviousRelease | string> {
  const { commit } = record.parse(JSON.parse(await readFile(RECORD, 'utf8')));
  const exists = await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).then(
    () => true,
    () => false,
  );
  if (!exists) return `git's history here lacks ${commit}, which is ${relative(ROOT, RECORD)}`;
  await using resources = new AsyncDisposableStack();
  const root = await mkdtemp(join(tmpdir(), 'billing-previous-'));
  resources.defer(() => rm(root, { recursive: true, force: true }));
  const archive = join(root, 'release.tar');
  await run('git', ['archive', '--format=tar', `--output=${archive}`, commit, 'packages', 'services', 'tools'], {
    cwd: ROOT,
  });
  await run('tar', ['-xf', archive, '-C', root]);
  await linkModules(root);
  const owned = resources.move();
  return { root, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function linkModules(root: string): Promise<void> {
  const modules = join(root, 'node_modules');
  await mkdir(join(modules, '@billing'), { recursive: true });
  for (const name of await readdir(join(ROOT, 'node_modules')))
    if (name !== '@billing') await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  for (const folder of ['packages', 'services', 'tools'])
    for (const name of await readdir(join(root, folder)))
      await symlink(join(root, folder, name), join(modules, '@billing', name)).catch(() => undefined);
}
