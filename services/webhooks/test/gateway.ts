import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Service } from './service.ts';

/** Stands where the gateway does: passes bodies and signatures on, with a statement of who asks. */
export async function startGateway(service: Service) {
  const server = createServer(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // a request without an encoding gives buffers
    const { 'content-type': type, 'stripe-signature': signature } = request.headers;
    const answer = await service.app.inject({
      method: 'POST',
      url: request.url ?? '/',
      payload: Buffer.concat(chunks),
      headers: { ...service.identity.anonymous(), 'content-type': type, 'stripe-signature': signature },
    });
    reply.writeHead(answer.statusCode).end(answer.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a server on TCP has an address of this form
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}
