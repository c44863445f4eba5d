import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from '../../system/tenant.ts';

/** Callers that read one after another. */
const READERS = 6;
/** A list of each service. */
const PATHS = [
  '/customers',
  '/products',
  '/subscriptions',
  '/referrals/codes',
  '/analytics',
  '/webhook-events',
  '/portal/sessions',
  '/api-keys',
];
/** Before a caller repeats a request, in milliseconds. */
const CLIENT_PAUSE_MS = 500;

/** Reads that go on until they are stopped. */
export interface ReadLoad {
  /** Ends, and returns how many requests there were, and the statuses of those that had to be repeated; 0 is no response. */
  stop(): Promise<{ readonly requests: number; readonly repeated: readonly (readonly number[])[] }>;
}

/** Has callers read lists of every service, each over open connections; a request that fails is sent once more. */
export function startReadLoad(entranceUrl: string, { secret, P, user }: Tenant): ReadLoad {
  const stopping = new AbortController();
  const repeated: number[][] = [];
  let requests = 0;

  const readOnce = async (path: string): Promise<number> => {
    // API keys are listed by people only.
    const caller = path === '/api-keys' ? { cookie: user.cookie } : { authorization: `Bearer ${secret}` };
    try {
      const response = await fetch(`${entranceUrl}${P}${path}`, { headers: caller });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return 0;
    }
  };
  const read = async (path: string): Promise<void> => {
    requests += 1;
    const status = await readOnce(path);
    if (status === 200) return;
    await delay(CLIENT_PAUSE_MS);
    repeated.push([status, await readOnce(path)]);
  };
  const readAll = async (reader: number): Promise<void> => {
    for (let turn = reader; !stopping.signal.aborted; turn += 1) await read(PATHS[turn % PATHS.length] ?? '');
  };
  const running = Promise.all(Array.from({ length: READERS }, (_reader, index) => readAll(index)));
  return {
    async stop() {
      stopping.abort();
      await running;
      return { requests, repeated };
    },
  };
}
