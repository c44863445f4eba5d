import { randomBytes } from 'node:crypto';
import type { Envelope } from '@billing/contracts/event';
import type { ProjectScope, TeamId } from '@billing/contracts/ids';
import type { ServiceName } from '@billing/contracts/operation';
import { processorEvent, type ProcessorEventType } from '@billing/contracts/processor-events';
import { FindProcessorCredentials } from '@billing/contracts/rpc/calls';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { startLocalProcessor } from '@billing/local-processor/server';
import { seal } from '@billing/processor/credentials';
import { keyRingOf } from '@billing/processor/key-ring';
import { listEveryEvent } from '@billing/processor/every-event';
import { stripeClient } from '@billing/processor/stripe-client';
import { stripeProcessor } from '@billing/processor/stripe-processor';
import { toRoutedEvent } from '@billing/testing/processor-events';
import { rpcHandler, type RpcHandler } from '../definition.ts';

/** Starts a local processor with one account, which all teams of a test share. */
export async function startTestAccount() {
  const server = await startLocalProcessor();
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`;
  const serviceKey = randomBytes(32);
  const processor = stripeProcessor(secretKey, server.url);
  const disconnected = new Set<TeamId>();

  const sealFor = (service: ServiceName, teamId: TeamId, secret: string) =>
    seal(keyRingOf(serviceKey), { teamId, kind: `secret-key-for-${service}` }, secret);

  /** Stands in for the webhooks service, which owns the credentials. */
  const credentials: RpcHandler = rpcHandler(FindProcessorCredentials, async ({ teamId, service }) => {
    if (disconnected.has(teamId)) return null;
    const sealedSecretKey = sealFor(service, teamId, secretKey);
    return { version: 1, livemode: false, sealedSecretKey, publishableKey: 'pk_test_shared' };
  });

  return {
    url: server.url,
    secretKey,
    /** 32 bytes; opens what is sealed for a service. */
    serviceKey,
    /** Seals a secret key as the webhooks service does. */
    sealFor,
    credentials,
    /** Teams that have no account connected. */
    disconnected,
    /** The account through our port. */
    processor,
    /** The account through Stripe's own library, as the team's people use it without us. */
    dashboard: stripeClient(secretKey, server.url),
    /** Clock, faults and deliveries of the account. */
    control: new LocalProcessorControl(server.url, secretKey),
    /** The account's events so far, oldest first, as the bus carries them to a project; only of `types` if given. */
    events: async (scope: ProjectScope, ...types: readonly ProcessorEventType[]): Promise<Envelope[]> => {
      const names = new Set(types.map(type => processorEvent(type).name));
      const events = (await listEveryEvent(processor)).toReversed().map(raw => toRoutedEvent(raw, scope));
      return events.filter(event => event !== null).filter(({ type }) => names.size === 0 || names.has(type));
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

export type TestAccount = Awaited<ReturnType<typeof startTestAccount>>;
