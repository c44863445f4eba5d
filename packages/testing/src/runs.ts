/**
 * Returns how often a property is tried: a quarter of the full number in `npm test`, all of it in `npm run test:system`.
 * fast-check prints the seed of a failure.
 */
export function runs(full: number): number {
  return process.env['SYSTEM'] === '1' ? full : Math.ceil(full / 4);
}
