/**
 * Returns how often a property is tried: an eighth of the full number in `npm test`, all of it in `npm run test:system`.
 * fast-check prints the seed of a failure.
 */
export function runs(full: number): number {
  return process.env['SYSTEM'] === '1' ? full : Math.ceil(full / 8);
}
