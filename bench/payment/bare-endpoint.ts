import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** A webhook endpoint that does nothing but note when events arrive. */
export interface BareEndpoint extends AsyncDisposable {
  readonly url: string;
  /**
   * Waits for the first event that shows a subscription of this customer of the processor as active. Returns when it
   * arrived, on the clock of `performance.now()`.
   */
  activeAt(processorCustomerId: string): Promise<number>;
}

/** The fields of an event that are read. */
interface Received {
  readonly type: string;
  readonly data: { readonly object: { readonly customer?: string; readonly status?: string } };
}

export async function startBareEndpoint(): Promise<BareEndpoint> {
  const arrivals = new Map<string, PromiseWithResolvers<number>>();
  const arrivalOf = (customer: string) => {
    const existing = arrivals.get(customer);
    if (existing) return existing;
    const added = Promise.withResolvers<number>();
    arrivals.set(customer, added);
    return added;
  };
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const arrivedAt = performance.now();
    response.writeHead(200).end();
    const { type, data } = JSON.parse(body) as Received; // as Stripe sends it
    const { customer, status } = data.object;
    // A promise keeps its first value.
    if (type.startsWith('customer.subscription.') && status === 'active' && customer !== undefined)
      arrivalOf(customer).resolve(arrivedAt);
  };
  const server = createServer((request, response) => void receive(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The endpoint has no TCP port.');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    activeAt: customer => arrivalOf(customer).promise,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
