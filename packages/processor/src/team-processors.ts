import { ProcessorAccountChanged } from '@billing/contracts/events/webhooks';
import type { TeamId } from '@billing/contracts/ids';
import type { ServiceName } from '@billing/contracts/operation';
import { conflict, Problem, unavailable } from '@billing/contracts/problem';
import { FindProcessorCredentials } from '@billing/contracts/rpc/calls';
import type { Bus } from '@billing/messaging/bus';
import type { RpcClient } from '@billing/messaging/rpc';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { unseal } from './credentials.ts';
import { keyRingOf } from './key-ring.ts';
import type { Processor } from './port.ts';
import { recordCalls } from './record-calls.ts';
import { missingReporter } from './report-missing.ts';
import { stripeProcessor } from './stripe-processor.ts';

/** The processors of the teams. */
export interface TeamProcessors {
  /**
   * Returns the processor with the team's own secret key; with that of `minVersion` of the credentials or a newer one.
   * @throws Problem 409 `processor_not_connected`; `unavailable` when the credentials can't be fetched at the moment
   */
  of(teamId: TeamId, minVersion?: number): Promise<Processor>;
}

export interface TeamProcessorsOptions {
  readonly rpc: RpcClient;
  readonly follow: Bus['follow'];
  readonly service: ServiceName;
  /** 32 bytes; opens what the webhooks service seals for this one. */
  readonly serviceKey: Buffer;
  readonly baseUrl?: string | undefined;
  readonly logger: Logger;
}

interface CachedProcessor {
  readonly processor: Processor;
  readonly version: number;
}

/** Credentials are fetched again after this time, even if the event about a change was lost, in milliseconds. */
const CACHE_MS = 60_000;
/** Teams in memory. */
const MAX_TEAMS = 10_000;

/** Fetches a team's credentials once a minute, and again when they changed; the secret key stays in memory only. */
export function openTeamProcessors(options: TeamProcessorsOptions) {
  const { rpc, follow, service, serviceKey, baseUrl, logger } = options;
  const onCall = recordCalls(logger);
  // Webhooks reads what may be gone for syncs, which may have to change nothing.
  const reporting = service === 'webhooks' ? undefined : missingReporter({ rpc, logger });
  const cached = new LRUCache<TeamId, CachedProcessor>({ max: MAX_TEAMS, ttl: CACHE_MS, noDeleteOnStaleGet: true });
  const stopFollowing = follow(ProcessorAccountChanged, teamId => cached.delete(teamId));

  const ring = keyRingOf(serviceKey);
  const open = (teamId: TeamId, sealed: string): string => {
    try {
      return unseal(ring, { teamId, kind: `secret-key-for-${service}` }, sealed);
    } catch (cause) {
      throw unavailable(
        `What the webhooks service sealed for ${service} does not open: SERVICE_KEY differs from SERVICE_KEYS there.`,
        60,
        { cause },
      );
    }
  };

  const fetchProcessor = async (teamId: TeamId, minVersion: number): Promise<Processor> => {
    const credentials = await rpc.call(FindProcessorCredentials, { teamId, service, minVersion });
    if (!credentials) throw conflict('processor_not_connected', 'Connect the payment processor to this team first.');
    const { version, sealedSecretKey } = credentials;
    const before = cached.get(teamId, { allowStale: true });
    const connect = () => stripeProcessor(open(teamId, sealedSecretKey), baseUrl, onCall);
    const connectReporting = () => reporting?.(teamId, connect()) ?? connect();
    const processor = before?.version === version ? before.processor : connectReporting();
    cached.set(teamId, { processor, version });
    return processor;
  };

  const processors: TeamProcessors = {
    async of(teamId, minVersion = 0) {
      const fresh = cached.get(teamId);
      if (fresh && fresh.version >= minVersion) return fresh.processor;
      return fetchProcessor(teamId, minVersion).catch((err: unknown) => {
        // While the webhooks service is away, the last credentials are used.
        const last = cached.get(teamId, { allowStale: true });
        if (last && last.version >= minVersion && err instanceof Problem && err.kind === 'unavailable')
          return last.processor;
        throw err;
      });
    },
  };
  return { ...processors, close: stopFollowing };
}
