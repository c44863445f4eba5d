import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Stripe } from 'stripe';

interface Received {
  body: string;
  signature: string;
  event: Stripe.Event;
}

export interface Receiver extends AsyncDisposable {
  url: string;
  received: Received[];
  /** The statuses of the next responses; 200 when empty. */
  statuses: number[];
  types(): string[];
}

/** Starts an HTTP server that records webhooks. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const statuses: number[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const signature = String(request.headers['stripe-signature']);
      // The processor sends only events; the tests check their shape.
      received.push({ body, signature, event: JSON.parse(body) as Stripe.Event });
      response.writeHead(statuses.shift() ?? 200).end('{}');
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an address of this type.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    received,
    statuses,
    types: () => received.map(({ event }) => event.type),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Polls until the condition is true; throws after ten seconds. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, what = 'the condition'): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Waited 10 s for ${what}.`);
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}
