import { readFileSync, statSync } from 'node:fs';

const KEY_BYTES = 32;
const FILE_PREFIX = 'file:';
const ENTRY = /^(\d{1,9}):([A-Za-z0-9+/]{43}=)$/;

/** Master keys by their versions. Secrets are sealed with the current one and open with the one that they name. */
export interface KeyRing {
  readonly current: number;
  readonly keys: ReadonlyMap<number, Buffer>;
}

/** Returns the keys as they are now; those in a file may change while the process runs. */
export type KeyRingSource = () => KeyRing;

/** The ring of one key, as version 1. */
export const keyRingOf = (key: Buffer): KeyRing => ({ current: 1, keys: new Map([[1, key]]) });

/**
 * Reads `2:<base64>,1:<base64>`, where commas may be line breaks and the first key is the current one.
 * @throws Error that says what is wrong, without the text
 */
export function parseKeyRing(text: string): KeyRing {
  const entries = text
    .split(/[\s,]+/)
    .filter(entry => entry !== '')
    .map(entry => {
      const [, version, encoded = ''] = ENTRY.exec(entry) ?? [];
      const key = Buffer.from(encoded, 'base64');
      if (version === undefined || key.length !== KEY_BYTES)
        throw new Error('Expected `<version>:<32 bytes in base64>`, separated by commas.');
      return [Number(version), key] as const;
    });
  const [current] = entries.map(([version]) => version);
  if (current === undefined) throw new Error('Expected at least one key.');
  const keys = new Map(entries);
  if (keys.size < entries.length) throw new Error('Expected each version once.');
  return { current, keys };
}

/** Writes a ring as `parseKeyRing` reads it, a key a line. */
export function formatKeyRing({ current, keys }: KeyRing): string {
  const versions = [current, ...[...keys.keys()].filter(version => version !== current)];
  return versions.map(version => `${version}:${keys.get(version)?.toString('base64')}\n`).join('');
}

/** The path in `file:/path`; undefined for keys that stand in the text itself. */
export const keyFileOf = (text: string): string | undefined =>
  text.startsWith(FILE_PREFIX) ? text.slice(FILE_PREFIX.length) : undefined;

/**
 * Opens the keys in a text, or in the file that `file:/path` names, which is read again when it has changed.
 * @throws Error when they cannot be read
 */
export function openKeyRing(text: string): KeyRingSource {
  const file = keyFileOf(text);
  if (file === undefined) {
    const ring = parseKeyRing(text);
    return () => ring;
  }
  let read = { ring: parseKeyRing(readFileSync(file, 'utf8')), changedMs: statSync(file).mtimeMs };
  return () => {
    const changedMs = statSync(file).mtimeMs;
    if (changedMs !== read.changedMs) read = { ring: parseKeyRing(readFileSync(file, 'utf8')), changedMs };
    return read.ring;
  };
}
