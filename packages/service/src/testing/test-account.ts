import { randomBytes } from 'node:crypto';
import type { Envelope } from '@billing/contracts/event';
import type { ProjectScope, TeamId } from '@billing/contracts/ids';
import type { ServiceName } from '@billing/contracts/operation';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { FindProcessorCredentials } from '@billing/contracts/rpc/calls';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { startLocalProcessor } from '@billing/local-processor/server';
import { seal } from '@billing/processor/credentials';
import { keyRingOf } from '@billing/processor/key-ring';
import { stripeClient } from '@billing/processor/stripe-client';
import { stripeProcessor } from '@billing/processor/stripe-processor';
import { toRoutedEvent } from '@billing/testing/processor-events';
import type { Stripe } from 'stripe';
import { rpcHandler, type RpcHandler } from '../definition.ts';

/** Starts a local processor with one account, which all teams of a test share. */
export async function startTestAccount() {
  const server = await startLocalProcessor();
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`;
  const serviceKey = randomBytes(32);
  const processor = stripeProcessor(secretKey, server.url);
  const dashboard = stripeClient(secretKey, server.url);
  const disconnected = new Set<TeamId>();

  const sealFor = (service: ServiceName, teamId: TeamId, secret: string) =>
    seal(keyRingOf(serviceKey), { teamId, kind: `secret-key-for-${service}` }, secret);

  /** Stands in for the webhooks service, which owns the credentials. */
  const credentials: RpcHandler = rpcHandler(FindProcessorCredentials, async ({ teamId, service }) => {
    if (disconnected.has(teamId)) return null;
    const sealedSecretKey = sealFor(service, teamId, secretKey);
    return { version: 1, livemode: false, sealedSecretKey, publishableKey: 'pk_test_shared' };
  });

  const read = new Map<string, Stripe.Event>();
  /** All events so far, oldest first; reads only those since it was called last. */
  const everyEvent = async () => {
    const unread: Stripe.Event[] = [];
    for await (const event of dashboard.events.list({ limit: 25 })) {
      if (read.has(event.id)) break;
      unread.push(event);
    }
    for (const event of unread.toReversed()) read.set(event.id, event);
    return [...read.values()];
  };

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
    dashboard,
    /** Clock, faults and deliveries of the account. */
    control: new LocalProcessorControl(server.url, secretKey),
    /** The account's events so far, oldest first, as the bus carries them to a project; only of `types` if given. */
    events: async (scope: ProjectScope, ...types: readonly ProcessorEventType[]): Promise<Envelope[]> => {
      const wanted = (await everyEvent()).filter(({ type }) => types.length === 0 || types.some(it => it === type));
      return wanted.map(event => toRoutedEvent({ ...event }, scope)).filter(event => event !== null);
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

export type TestAccount = Awaited<ReturnType<typeof startTestAccount>>;
