import type { NatsConnection } from '@nats-io/transport-node';
import { ProcessorAccountChanged } from '@billing/contracts/events/webhooks';
import { envelope } from '@billing/contracts/event';
import type { TeamId } from '@billing/contracts/ids';
import { conflict, Problem } from '@billing/contracts/problem';
import { FindProcessorCredentials } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import { unseal } from './credentials.ts';
import type { Processor } from './port.ts';
import { stripeProcessor } from './stripe-processor.ts';

/** The processors of the teams. */
export interface TeamProcessors {
  /**
   * Returns the processor with the team's own secret key.
   * @throws Problem 409 `processor_not_connected`; `unavailable` when the credentials can't be fetched at the moment
   */
  of(teamId: TeamId): Promise<Processor>;
}

interface TeamProcessorsOptions {
  readonly rpc: RpcClient;
  readonly nats: NatsConnection;
  /** First token of the bus's subjects. */
  readonly root: string;
  /** 32 bytes; decrypts the teams' secret keys. */
  readonly credentialsKey: Buffer;
  readonly baseUrl?: string | undefined;
}

interface CachedProcessor {
  readonly processor: Processor;
  readonly version: number;
  /** By the process's monotonic clock. */
  readonly fetchedAt: number;
}

/** Credentials are fetched again after this time, even if the event about a change was lost, in milliseconds. */
const CACHE_MS = 60_000;

/** Fetches a team's credentials once a minute, and again when they changed; the secret key stays in memory only. */
export function openTeamProcessors({ rpc, nats, root, credentialsKey, baseUrl }: TeamProcessorsOptions) {
  const cached = new Map<TeamId, CachedProcessor>();
  const changes = nats.subscribe(`${root}.${ProcessorAccountChanged.name}`, {
    callback: (_err, message) => {
      const event = envelope.safeParse(message.json());
      if (event.success) cached.delete(event.data.teamId as TeamId); // any other text deletes nothing
    },
  });

  const fetchProcessor = async (teamId: TeamId): Promise<Processor> => {
    const credentials = await rpc.call(FindProcessorCredentials, { teamId });
    if (!credentials) throw conflict('processor_not_connected', 'Connect the payment processor to this team first.');
    const { version, sealedSecretKey } = credentials;
    const before = cached.get(teamId);
    const processor =
      before?.version === version
        ? before.processor
        : stripeProcessor(unseal(credentialsKey, { teamId, kind: 'secret-key' }, sealedSecretKey), baseUrl);
    cached.set(teamId, { processor, version, fetchedAt: performance.now() });
    return processor;
  };

  const processors: TeamProcessors = {
    async of(teamId) {
      const entry = cached.get(teamId);
      if (entry && performance.now() - entry.fetchedAt < CACHE_MS) return entry.processor;
      return fetchProcessor(teamId).catch((err: unknown) => {
        // While the webhooks service is away, the last credentials are used.
        if (entry && err instanceof Problem && err.kind === 'unavailable') return entry.processor;
        throw err;
      });
    },
  };
  return { ...processors, close: () => changes.unsubscribe() };
}
