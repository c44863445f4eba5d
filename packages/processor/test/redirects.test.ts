import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ProcessorError } from '../src/errors.ts';
import { stripeProcessor } from '../src/stripe-processor.ts';

async function listen(server: Server): Promise<string> {
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a server on a TCP port
}

it.each([301, 302, 303, 307, 308])('follows no redirect with status %i to another host', async status => {
  const visits: unknown[] = [];
  const elsewhere = await listen(
    createServer((request, response) => {
      visits.push(request.url);
      response.end('{}');
    }),
  );
  const redirecting = await listen(
    createServer(
      (_request, response) => void response.writeHead(status, { location: `${elsewhere}/v1/account` }).end(),
    ),
  );
  const processor = stripeProcessor('sk_test_0123456789abcdef', redirecting);
  await expect(processor.findAccount()).rejects.toBeInstanceOf(ProcessorError);
  await expect(processor.createCustomer({ email: 'ada@example.com', metadata: {} }, 'op:1')).rejects.toBeDefined();
  expect(visits).toEqual([]);
});
