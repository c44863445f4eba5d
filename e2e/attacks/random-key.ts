import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns an API key that nobody has, with a right checksum, as anyone can make one. */
export function randomKey(): string {
  const text = `bil_test_${Array.from({ length: 32 }, () => BASE62[randomInt(62)]).join('')}`;
  let [rest, digits] = [crc32(text), ''];
  while (digits.length < 6) {
    digits = `${BASE62[rest % 62]}${digits}`;
    rest = Math.floor(rest / 62);
  }
  return text + digits;
}
