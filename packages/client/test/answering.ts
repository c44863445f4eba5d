import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { BillingClient } from '../src/index.ts';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly headers?: Record<string, string>;
}

type Reply = Answer | 'drop' | 'break off' | 'never';

/** A server that gives these answers in turn, and a client of it. */
export async function answering(replies: readonly Reply[]) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void text(request).then(body => {
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body });
      return give(replies[seen.length - 1] ?? { status: 500 }, response);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    seen,
    client: new BillingClient({
      baseUrl: `http://127.0.0.1:${port}/`,
      apiKey: 'bil_test_1',
      teamId: 'team_1',
      projectId: 'proj_1',
    }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

function give(reply: Reply, response: ServerResponse): void {
  if (reply === 'never') return;
  if (reply === 'drop') response.socket?.destroy();
  else if (reply === 'break off')
    response.writeHead(200, { 'content-length': 100 }).write('{"id":', () => response.socket?.destroy());
  else response.writeHead(reply.status, reply.headers).end(reply.text ?? JSON.stringify(reply.body ?? {}));
}
