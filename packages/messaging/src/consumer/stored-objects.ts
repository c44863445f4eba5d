import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { TeamId } from '@billing/contracts/ids';
import { omittedObject, type OmittedObject } from '@billing/contracts/processor-events';
import { FindWebhookEventObject } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '../rpc.ts';
import { semaphore } from '../semaphore.ts';

/** Objects that a process holds at the same time: each may be some megabytes. */
const MAX_HELD = 4;
const READ_TIMEOUT_MS = 5_000;

const unzip = promisify(gunzip);

/** Which object: that of a team's webhook event. */
export interface ObjectReference {
  readonly teamId: TeamId;
  /** Stripe's event id. */
  readonly eventId: string;
}

/**
 * Runs work with the object of a webhook event that was too large for the bus; null when its payload was deleted.
 * @throws Problem `unavailable` when the webhooks service is
 */
export type WithStoredObject = <Result>(
  reference: ObjectReference,
  work: (stored: OmittedObject | null) => Promise<Result>,
) => Promise<Result>;

interface HeldObject {
  readonly stored: Promise<OmittedObject | null>;
  readonly release: () => void;
  users: number;
}

/**
 * Reads large objects for all consumers of a process. Whoever needs the same object at the same time shares one reading, as
 * the projects do that an event goes to; of different objects no more than four are in memory.
 */
export function openStoredObjects(rpc: RpcClient): WithStoredObject {
  const held = new Map<string, HeldObject>();
  const limit = semaphore(MAX_HELD);

  const hold = (key: string, reference: ObjectReference): HeldObject => {
    const read = Promise.withResolvers<OmittedObject | null>();
    const released = Promise.withResolvers<void>();
    void limit(async () => {
      readObject(rpc, reference).then(read.resolve, read.reject);
      await released.promise;
    });
    const opened = { stored: read.promise, release: released.resolve, users: 0 };
    held.set(key, opened);
    return opened;
  };

  return async (reference, work) => {
    const key = `${reference.teamId} ${reference.eventId}`;
    const shared = held.get(key) ?? hold(key, reference);
    shared.users += 1;
    try {
      return await work(await shared.stored);
    } finally {
      shared.users -= 1;
      if (shared.users === 0) {
        held.delete(key);
        shared.release();
      }
    }
  };
}

async function readObject(rpc: RpcClient, reference: ObjectReference): Promise<OmittedObject | null> {
  const texts: string[] = [];
  for (let parts = 1; texts.length < parts;) {
    const reply = await rpc.call(FindWebhookEventObject, { ...reference, part: texts.length }, READ_TIMEOUT_MS);
    if (!reply) return null;
    texts.push(reply.text);
    parts = reply.parts;
  }
  const json = await unzip(Buffer.from(texts.join(''), 'base64'));
  return omittedObject.parse(JSON.parse(json.toString('utf8')));
}
