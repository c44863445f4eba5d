import { openConnection, requestBytes } from './connection.ts';
import { eventBody, signatureOf, type Shop } from './subscription-events.ts';

/** Events to send: those from number `first` on. */
export interface Job {
  readonly url: string;
  readonly secret: string;
  readonly shop: Shop;
  readonly first: number;
  readonly count: number;
  readonly connections: number;
}

/** How sending went. Times are milliseconds since 1970 with fractions, latencies milliseconds. */
export interface Sent {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly latencies: readonly number[];
  /** How many answers had which status. */
  readonly statuses: Readonly<Record<number, number>>;
}

/** Sends every event as soon as a connection is free; all are made and signed before the first one goes out. */
async function send({ url, secret, shop, first, count, connections }: Job): Promise<Sent> {
  const address = new URL(url);
  const requests = Array.from({ length: count }, (_, index) => {
    const body = eventBody(shop, first + index);
    return requestBytes(address, { 'stripe-signature': signatureOf(body, secret, new Date()) }, body);
  });
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(address)));
  const latencies: number[] = [];
  const statuses: Record<number, number> = {};
  let next = 0;
  const startedAt = now();
  await Promise.all(
    open.map(async connection => {
      for (let request = requests[next++]; request; request = requests[next++]) {
        const sentAt = performance.now();
        const status = await connection.post(request);
        latencies.push(performance.now() - sentAt);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    }),
  );
  const endedAt = now();
  for (const connection of open) connection.close();
  return { startedAt, endedAt, latencies, statuses };
}

const now = (): number => performance.timeOrigin + performance.now();

process.on('message', (job: Job) => {
  void send(job).then(
    sent => process.send?.({ sent }),
    (err: unknown) => process.send?.({ failed: err instanceof Error ? err.message : String(err) }),
  );
});
