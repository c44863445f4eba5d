import { allRpcs, busAccessOf, callersOf } from '@billing/contracts/bus-access';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { durableOf, inboxOf, replyInboxOf, ROOT, rpcSubject, streamOf } from './subjects.ts';

/** The account that holds the stream, and its only user. */
export const STREAM_ACCOUNT = 'EVENTS';
export const STREAM_ADMIN = 'admin';

const STREAM = streamOf(ROOT);
/** Under this prefix the services reach the part of the JetStream API that their account imports. */
export const SERVICES_API = `${STREAM_ACCOUNT}.API`;
/** What services may do with the stream, as subjects without the prefix. Nothing here changes or deletes it. */
const API = {
  streamInfo: `STREAM.INFO.${STREAM}`,
  createConsumer: `CONSUMER.CREATE.${STREAM}`,
  consumerInfo: `CONSUMER.INFO.${STREAM}`,
  nextMessages: `CONSUMER.MSG.NEXT.${STREAM}`,
} as const;
const ACKS = `$JS.ACK.${STREAM}`;

/** The subjects that one service may publish and subscribe to. */
export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** Returns the permissions that follow from what a service has declared. */
export function permissionsOf(service: ServiceName): Permissions {
  const { publishes, consumers, follows, serves, calls } = busAccessOf(service);
  const served = allRpcs.filter(({ name }) => serves.has(name));
  const callers = new Set(served.flatMap(callersOf));
  const ofConsumer = ([name, filter]: readonly [string, string]) => {
    const durable = durableOf(name);
    return [
      // The server checks that the consumer has the filter that stands in the subject.
      `${SERVICES_API}.${API.createConsumer}.${durable}.${ROOT}.${filter}`,
      `${SERVICES_API}.${API.consumerInfo}.${durable}`,
      `${SERVICES_API}.${API.nextMessages}.${durable}`,
      `${ACKS}.${durable}.>`,
    ];
  };
  return {
    publish: [
      ...[...publishes].map(type => `${ROOT}.${type}`),
      `${SERVICES_API}.${API.streamInfo}`,
      ...[...consumers].flatMap(ofConsumer),
      ...[...calls.values()].map(rpc => rpcSubject(ROOT, rpc)),
      ...[...callers].map(caller => `${replyInboxOf(inboxOf(caller), service)}.>`),
    ],
    subscribe: [
      `${inboxOf(service)}.>`,
      ...served.map(rpc => rpcSubject(ROOT, rpc)),
      ...[...follows].map(type => `${ROOT}.${type}`),
    ],
  };
}

interface Passwords {
  /** Of the user that creates the stream. */
  readonly admin: string;
  readonly of: (service: ServiceName) => string;
}

/**
 * Returns the `accounts` of a nats-server's configuration: one account with the stream, and one for the services, which
 * imports only what reads and writes events. In one account alone permissions would not do: JetStream sends its
 * responses to any reply subject, and so would delete the stream for a service that names the API's subject there.
 * Passwords are values of the configuration: text in quotes, or `$VARIABLE`.
 */
export function natsAccounts(passwords: Passwords): string {
  const shared = [
    { subject: `${ROOT}.>` },
    { subject: `$JS.API.${API.streamInfo}`, to: `${SERVICES_API}.${API.streamInfo}` },
    { subject: `$JS.API.${API.createConsumer}.>`, to: `${SERVICES_API}.${API.createConsumer}.>` },
    { subject: `$JS.API.${API.consumerInfo}.>`, to: `${SERVICES_API}.${API.consumerInfo}.>` },
    { subject: `$JS.API.${API.nextMessages}.>`, to: `${SERVICES_API}.${API.nextMessages}.>`, many: true },
    { subject: `${ACKS}.>` },
  ];
  const exported = shared.map(
    ({ subject, many }) =>
      `      { service: ${quoted(subject)}, accounts: [SERVICES]${many ? ', response_type: stream' : ''} }`,
  );
  const imported = shared.map(
    ({ subject, to }) =>
      `      { service: { account: ${STREAM_ACCOUNT}, subject: ${quoted(subject)} }${to ? `, to: ${quoted(to)}` : ''} }`,
  );
  return [
    'accounts {',
    `  ${STREAM_ACCOUNT} {`,
    '    jetstream: enabled',
    `    users: [{ user: ${STREAM_ADMIN}, password: ${passwords.admin} }]`,
    '    exports: [',
    ...exported,
    '    ]',
    '  }',
    '  SERVICES {',
    '    imports: [',
    ...imported,
    '    ]',
    '    users: [',
    ...SERVICES.flatMap(service => userLines(service, passwords.of(service))),
    '    ]',
    '  }',
    '}',
    '',
  ].join('\n');
}

function userLines(service: ServiceName, password: string): string[] {
  const { publish, subscribe } = permissionsOf(service);
  const list = (subjects: readonly string[]) => subjects.map(subject => `            ${quoted(subject)}`);
  return [
    `      { user: ${service}, password: ${password}, permissions: {`,
    '          publish: [',
    ...list(publish),
    '          ]',
    '          subscribe: [',
    ...list(subscribe),
    '          ]',
    '      } }',
  ];
}

/** A string of the configuration. Our subjects hold no quotes; `$` starts a variable only outside of quotes. */
const quoted = (text: string): string => JSON.stringify(text);
