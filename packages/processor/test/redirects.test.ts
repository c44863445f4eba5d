import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { ProcessorError } from '../src/errors.ts';
import { stripeProcessor } from '../src/stripe-processor.ts';

async function listen(server: Server): Promise<string> {
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a server on a TCP port
}

it.concurrent.each([301, 302, 303, 307, 308])('follows no redirect with status %i to another host', async status => {
  const visits: unknown[] = [];
  await using elsewhere = createServer((request, response) => {
    visits.push(request.url);
    response.end('{}');
  });
  const location = `${await listen(elsewhere)}/v1/account`;
  await using redirecting = createServer((_request, response) => void response.writeHead(status, { location }).end());
  const processor = stripeProcessor('sk_test_0123456789abcdef', await listen(redirecting));
  await expect(processor.findAccount()).rejects.toBeInstanceOf(ProcessorError);
  await expect(processor.createCustomer({ email: 'ada@example.com', metadata: {} }, 'op:1')).rejects.toBeDefined();
  expect(visits).toEqual([]);
});
