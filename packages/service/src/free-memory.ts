import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects what loading and starting left behind, about 20 MB of each service, which would stay until the heap is full. */
export function freeMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NonNullable<typeof globalThis.gc>; // what the flag defines
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
