import { setImmediate as nextTurn } from 'node:timers/promises';
import { PermissionViolationError, type NatsConnection } from '@nats-io/transport-node';

interface Tried {
  readonly publish?: readonly string[];
  readonly subscribe?: readonly string[];
}

/**
 * Returns a function that publishes to subjects and subscribes to others, and returns those that the server refused to the
 * user of the connection. One call at a time.
 */
export function tryingOf(nats: NatsConnection): (tried: Tried) => Promise<string[]> {
  const refusals: PermissionViolationError[] = [];
  void (async () => {
    for await (const status of nats.status())
      if (status.type === 'error' && status.error instanceof PermissionViolationError) refusals.push(status.error);
  })();
  return async ({ publish = [], subscribe = [] }) => {
    refusals.length = 0;
    const subscriptions = subscribe.map(subject => nats.subscribe(subject, { callback: () => undefined }));
    for (const subject of publish) nats.publish(subject, '{}');
    // The server reports a refusal before it answers the ping of a flush.
    await nats.flush();
    await nextTurn();
    for (const subscription of subscriptions) subscription.unsubscribe();
    return refusals.map(({ subject }) => subject);
  };
}
