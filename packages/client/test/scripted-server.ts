import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { BillingClient, type ClientOptions } from '../src/index.ts';

interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface HttpResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly headers?: Record<string, string>;
}

/** A response; or the connection closes before it, closes within it, or stays open without one. */
type Reply = HttpResponse | 'drop' | 'break off' | 'never';

/** Starts a server that sends these replies in turn, and a client of it. */
export async function startScriptedServer(replies: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    void text(request).then(body => {
      const { method, url, headers } = request;
      requests.push({ method, url, headers, body });
      return send(replies[requests.length - 1] ?? { status: 500 }, response);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    /** The requests received so far. */
    requests,
    client: new BillingClient({
      baseUrl: `http://127.0.0.1:${port}/`,
      apiKey: 'bil_test_1',
      teamId: 'team_1',
      projectId: 'proj_1',
      ...options,
    }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

function send(reply: Reply, response: ServerResponse): void {
  if (reply === 'never') return;
  if (reply === 'drop') response.socket?.destroy();
  else if (reply === 'break off')
    response.writeHead(200, { 'content-length': 100 }).write('{"id":', () => response.socket?.destroy());
  else response.writeHead(reply.status, reply.headers).end(reply.text ?? JSON.stringify(reply.body ?? {}));
}
