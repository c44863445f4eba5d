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
  /** What the next requests are answered with; empty means 200. */
  answers: number[];
  types(): string[];
}

/** An HTTP server that takes webhooks and remembers them. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const answers: number[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const signature = String(request.headers['stripe-signature']);
      // The processor sends events only; the tests check their shape.
      received.push({ body, signature, event: JSON.parse(body) as Stripe.Event });
      response.writeHead(answers.shift() ?? 200).end('{}');
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    received,
    answers,
    types: () => received.map(({ event }) => event.type),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Waits until the condition holds; fails after ten seconds. */
export async function until(condition: () => boolean | Promise<boolean>, what = 'the condition'): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`gave up waiting for ${what}`);
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}
