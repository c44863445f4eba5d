import { createHmac } from 'node:crypto';
import { runForSystem } from './operator-command.ts';

const COMMAND = 'services/gateway/src/reset-link/main.ts';
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Prints a link to reset a password by the operator's command. */
export async function createResetLink(dataDir: string, email: string): Promise<string> {
  const { exitCode, output } = await runForSystem(dataDir, COMMAND, email);
  if (exitCode !== 0) throw new Error(output);
  return output.trim();
}

/** Returns the code that an authenticator app shows now. RFC 6238: https://www.rfc-editor.org/rfc/rfc6238 */
export function codeOf(totpUri: string, nowMs = Date.now()): string {
  const secret = new URL(totpUri).searchParams.get('secret') ?? '';
  const bits = Array.from(secret, letter => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000)));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0x0f;
  return `${(digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000}`.padStart(6, '0');
}
