import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { startLocalProcessor } from '@billing/local-processor/server';
import { customerNumberOf, fillFor, type History, type HistoryCustomer } from './history.ts';

/** The local processor, behind a server that knows also the objects of the generated histories. */
export interface HistoryProcessor extends AsyncDisposable {
  readonly url: string;
  /** The address of the local processor itself. */
  readonly localUrl: string;
  /** Serves the subscriptions and checkout sessions of these customers too. */
  add(history: History): void;
}

/**
 * Both sides call the processor for some events: the sync engine reads the line items of a completed checkout session, and
 * we read its subscription if no event has brought it yet.
 */
export async function startHistoryProcessor(): Promise<HistoryProcessor> {
  await using resources = new AsyncDisposableStack();
  const local = resources.adopt(await startLocalProcessor(), it => it.close());
  const customers = new Map<number, Known>();
  const server = resources.adopt(
    createServer((incoming, outgoing) => {
      const body = generatedObject(incoming, customers);
      if (body === undefined) return forward(incoming, outgoing, local.url);
      const headers = { 'content-type': 'application/json', 'request-id': 'req_bench' };
      outgoing.writeHead(200, headers).end(body);
    }),
    it => {
      it.close();
      it.closeAllConnections();
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no TCP port.');
  const running = resources.move();
  return {
    url: `http://127.0.0.1:${address.port}`,
    localUrl: local.url,
    add(history) {
      for (const customer of history.customers) customers.set(customer.number, { history, customer });
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

interface Known {
  readonly history: History;
  readonly customer: HistoryCustomer;
}

const SERVED = [
  [/^\/v1\/subscriptions\/(\w+)(?:\?|$)/, ({ recording }: History) => recording.subscription],
  [/^\/v1\/checkout\/sessions\/(\w+)\/line_items(?:\?|$)/, ({ recording }: History) => recording.lineItems],
] as const;

/** Returns the JSON of a generated object that is read; undefined for any other request. */
function generatedObject({ method, url = '' }: IncomingMessage, customers: ReadonlyMap<number, Known>) {
  if (method !== 'GET') return undefined;
  for (const [pattern, templateOf] of SERVED) {
    const number = customerNumberOf(pattern.exec(url)?.[1] ?? '');
    const known = number === undefined ? undefined : customers.get(number);
    if (known) return fillFor(templateOf(known.history), known.history.tenant, known.customer);
  }
  return undefined;
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, to: string): void {
  const { method, url = '', headers } = incoming;
  const outbound = request(`${to}${url}`, { method, headers }, response => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  });
  outbound.on('error', () => outgoing.destroy());
  incoming.pipe(outbound);
}
