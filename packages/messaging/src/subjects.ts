import type { ServiceName } from '@billing/contracts/operation';
import type { Rpc } from '@billing/contracts/rpc';

/** The first token of the subjects of all events. */
export const ROOT = 'billing';

/** The stream that stores the events of a root. */
export const streamOf = (root: string): string => root.toUpperCase();

/** The durable name of a consumer: NATS allows no dots and wildcards in it. */
export const durableOf = (consumer: string): string => consumer.replaceAll(/[.*>]/g, '_');

/** The subject of a call; the stream does not store it. */
export const rpcSubject = (root: string, rpc: Rpc): string => `${root}-rpc.${rpc.name}`;

/** The first token of every inbox of a service. */
export const inboxOf = (service: ServiceName): string => `_INBOX_${service}`;

/** The prefix of the inboxes to which `owner` replies: it reaches no other inbox of the caller. */
export const replyInboxOf = (callerInbox: string, owner: ServiceName): string => `${callerInbox}.${owner}`;
