import { signatureOf } from '@billing/testing/signed-webhooks';
import { openConnection, requestBytes } from './connection.ts';
import type { Shop } from './shop.ts';
import { eventBody } from './subscription-events.ts';

/** Instructs the generator to send `count` events of a shop's subscriptions, from number `first` on. */
export interface Job {
  readonly url: string;
  readonly secret: string;
  readonly connections: number;
  readonly shop: Shop;
  readonly first: number;
  readonly count: number;
}

/** The result of sending. Times are fractional milliseconds since 1970, latencies are milliseconds. */
export interface Sent {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly latencies: readonly number[];
  /** Counts responses by status. */
  readonly statuses: Readonly<Record<number, number>>;
}

/** Sends each event as soon as a connection is free. All events are signed before the first one is sent. */
async function send(job: Job): Promise<Sent> {
  const address = new URL(job.url);
  const requests = Array.from({ length: job.count }, (_, index) => {
    const body = eventBody(job.shop, job.first + index);
    return requestBytes(address, { 'stripe-signature': signatureOf(body, job.secret) }, body);
  });
  const opened = await Promise.all(Array.from({ length: job.connections }, () => openConnection(address)));
  const latencies: number[] = [];
  const statuses: Record<number, number> = {};
  let next = 0;
  const startedAt = now();
  await Promise.all(
    opened.map(async connection => {
      for (let request = requests[next++]; request; request = requests[next++]) {
        const sentAt = performance.now();
        const status = await connection.post(request);
        latencies.push(performance.now() - sentAt);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    }),
  );
  const endedAt = now();
  for (const connection of opened) connection.close();
  return { startedAt, endedAt, latencies, statuses };
}

const now = (): number => performance.timeOrigin + performance.now();

process.on('message', (job: Job) => {
  void send(job).then(
    sent => process.send?.({ sent }),
    (err: unknown) => process.send?.({ failed: err instanceof Error ? err.message : String(err) }),
  );
});
