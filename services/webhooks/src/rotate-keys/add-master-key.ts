import { randomBytes } from 'node:crypto';
import { chownSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { formatKeyRing, parseKeyRing, type KeyRing } from '@billing/processor/key-ring';

/** Puts a new random key before the others in a file of master keys, in one step; returns them all. */
export function addMasterKey(file: string): KeyRing {
  const { keys } = parseKeyRing(readFileSync(file, 'utf8'));
  const current = Math.max(...keys.keys()) + 1;
  const ring = { current, keys: new Map([[current, randomBytes(32)], ...keys]) };
  const { mode, uid, gid } = statSync(file);
  writeFileSync(`${file}.new`, formatKeyRing(ring), { mode });
  chownSync(`${file}.new`, uid, gid);
  renameSync(`${file}.new`, file);
  return ring;
}
