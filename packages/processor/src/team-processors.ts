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

/** Each team's own account at the processor. */
export interface TeamProcessors {
  /**
   * The processor with the team's own key.
   * @throws Problem 409 `processor_not_connected`; 503 when the credentials cannot be asked for at the moment
   */
  of(teamId: TeamId): Promise<Processor>;
}

interface TeamProcessorsOptions {
  readonly rpc: RpcClient;
  readonly nats: NatsConnection;
  /** First token of the bus's subjects. */
  readonly root: string;
  /** 32 bytes: opens the sealed keys. */
  readonly credentialsKey: Buffer;
  readonly baseUrl?: string | undefined;
}

interface Known {
  readonly processor: Processor;
  readonly version: number;
  readonly askedAt: number;
}

/** A new key is asked for after so long even if the news of it was lost, in milliseconds. */
const REMEMBER_MS = 60_000;

/** Asks for a team's credentials once a minute, and at once after they changed; the key is held in memory only. */
export function openTeamProcessors({ rpc, nats, root, credentialsKey, baseUrl }: TeamProcessorsOptions) {
  const known = new Map<TeamId, Known>();
  const changes = nats.subscribe(`${root}.${ProcessorAccountChanged.name}`, {
    callback: (_err, message) => {
      const event = envelope.safeParse(message.json());
      if (event.success) known.delete(event.data.teamId as TeamId); // the fact's team; an unknown one deletes nothing
    },
  });

  const ask = async (teamId: TeamId): Promise<Processor> => {
    const credentials = await rpc.call(FindProcessorCredentials, { teamId });
    if (!credentials) throw conflict('processor_not_connected', 'Connect the payment processor to this team first.');
    const { version, sealedSecretKey } = credentials;
    const before = known.get(teamId);
    const processor =
      before?.version === version
        ? before.processor
        : stripeProcessor(unseal(credentialsKey, { teamId, kind: 'secret-key' }, sealedSecretKey), baseUrl);
    known.set(teamId, { processor, version, askedAt: performance.now() });
    return processor;
  };

  const processors: TeamProcessors = {
    async of(teamId) {
      const it = known.get(teamId);
      if (it && performance.now() - it.askedAt < REMEMBER_MS) return it.processor;
      return ask(teamId).catch((err: unknown) => {
        // Credentials known a minute ago serve better than none while nobody answers.
        if (it && err instanceof Problem && err.kind === 'unavailable') return it.processor;
        throw err;
      });
    },
  };
  return { ...processors, close: () => changes.unsubscribe() };
}
