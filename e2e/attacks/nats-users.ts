import type { ServiceName } from '@billing/contracts/operation';
import { tryingOf } from '@billing/testing/nats-refusals';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { addressOf, readSecrets } from '../system/servers.ts';

/** A connection of a user of NATS, and what the server has refused to it. */
export interface NatsUser extends AsyncDisposable {
  readonly nats: NatsConnection;
  /**
   * Publishes to subjects and subscribes to others, and returns those that the server refused.
   * @throws Error when the server does not answer
   */
  refused(tried: { readonly publish?: readonly string[]; readonly subscribe?: readonly string[] }): Promise<string[]>;
}

/** Connects as a service, or as the user that owns the stream, with the password of the running system. */
export async function connectAs(name: ServiceName | 'admin'): Promise<NatsUser> {
  const [{ natsPassword, natsPasswords }, servers] = await Promise.all([readSecrets(), addressOf('nats')]);
  const pass = name === 'admin' ? natsPassword : natsPasswords[name];
  const inboxPrefix = name === 'admin' ? '_INBOX' : `_INBOX_${name}`;
  const nats = await connect({ servers, user: name, pass, inboxPrefix, reconnect: false });
  return {
    nats,
    refused: tryingOf(nats),
    [Symbol.asyncDispose]: () => nats.close(),
  };
}

/** Returns the subject of an event. */
export const subjectOf = ({ name }: { readonly name: string }): string => `billing.${name}`;
