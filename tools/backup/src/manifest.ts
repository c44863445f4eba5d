import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StartError } from '@billing/database/start-error';
import { SERVICES } from '@billing/contracts/operation';
import { z } from 'zod';

const MANIFEST_FILE = 'manifest.json';

const manifest = z.object({
  format: z.literal(1),
  /** By the database's clock: what had committed before is in the backup, and nothing else. */
  takenAt: z.iso.datetime().transform(text => new Date(text)),
  /** Major version of the server, and of the program that dumped it. */
  postgres: z.int(),
  pgDump: z.int(),
  /** In the order in which they are restored. */
  dumps: z.array(
    z.object({
      file: z.string().regex(/^[\w-]+\.dump$/),
      /** Whose role owns what the dump holds. */
      service: z.enum(SERVICES),
      /** The schemas that provisioning creates; in a dump without them the schemas are created with the tables. */
      schemas: z.array(z.string()),
      sha256: z.string(),
    }),
  ),
});

/** What a backup holds. */
export type Manifest = z.output<typeof manifest>;

/** The path and the text of a backup's manifest. */
export const manifestOf = (folder: string, content: Manifest): readonly [path: string, text: string] => [
  join(folder, MANIFEST_FILE),
  `${JSON.stringify(content, null, 2)}\n`,
];

/**
 * Reads a backup's manifest, and checks that every dump is complete.
 * @throws StartError when the folder is no backup, or a file is missing or changed
 */
export async function readManifest(folder: string): Promise<Manifest> {
  const file = join(folder, MANIFEST_FILE);
  if (!existsSync(file)) throw new StartError(`${folder} is no backup: it has no ${MANIFEST_FILE}.`);
  const { data, error } = manifest.safeParse(parseJson(readFileSync(file, 'utf8')));
  if (!data) throw new StartError(`${file} can't be read: ${z.prettifyError(error)}`);
  for (const dump of data.dumps) {
    const path = join(folder, dump.file);
    if (!existsSync(path)) throw new StartError(`The backup is not complete: ${path} is missing.`);
    if ((await sha256Of(path)) !== dump.sha256)
      throw new StartError(`The backup is damaged: ${path} is not what was written.`);
  }
  return data;
}

/** Returns the digest of a file, in hex. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
