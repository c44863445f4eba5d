import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { StartError } from '@billing/database/start-error';

/**
 * Writes a new file that only its owner can read.
 * @throws StartError when it exists, its folder does not, or it would be in the folder `outside`
 */
export function writePrivateFile(path: string, text: string, { outside }: { readonly outside: string }): void {
  if (!existsSync(dirname(path))) throw new StartError(`The folder ${dirname(path)} does not exist.`);
  const file = join(realpathSync(dirname(path)), basename(path));
  const inside = relative(realpathSync(outside), file);
  if (!inside.startsWith('..'))
    throw new StartError(
      `${file} would be in ${outside}, from where it gets into images and git. Name a file elsewhere.`,
    );
  if (existsSync(file))
    throw new StartError(`${file} exists: it may hold the only secrets of a system. Move it away first.`);
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
}
