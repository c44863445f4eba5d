import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebhooksService } from './start-webhooks.ts';

/** Starts an HTTP server in place of the gateway: it forwards bodies and signatures to the service. */
export async function startForwardingGateway(service: WebhooksService) {
  const server = createServer(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // a request without an encoding gives buffers
    const { 'content-type': type = '', 'stripe-signature': signature = '' } = request.headers;
    const { status, text } = await service.call('POST', request.url ?? '/', {
      body: Buffer.concat(chunks),
      headers: { 'content-type': type, 'stripe-signature': String(signature) },
      as: service.identity.anonymous(),
    });
    reply.writeHead(status).end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a server on a TCP port has this kind of address
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}
