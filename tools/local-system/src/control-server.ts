import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { SupervisedPart } from './supervised-part.ts';

export interface ControlServer {
  port: number;
  url: string;
  token: string;
  close(): void;
}

/**
 * Starts an HTTP server on 127.0.0.1 for tests and operators: `POST /services/<name>/stop` and `…/start` respond when
 * the part has stopped or is ready. Requests need the bearer token of `pids.json`, so that no web page can send them.
 */
export async function openControlServer(find: (name: string) => SupervisedPart | undefined): Promise<ControlServer> {
  const token = randomBytes(24).toString('base64url');
  const server = createServer((request, response) => void handleRequest(request, response, find, token));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The control server has no TCP port.');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  // The parts keep this process alive; this server must not.
  server.unref();
  return { port: address.port, url: `http://127.0.0.1:${address.port}`, token, close };
}

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  find: (name: string) => SupervisedPart | undefined,
  token: string,
): Promise<void> {
  const respond = (status: number, body: object) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  if (!isAuthorized(request, token)) return respond(401, { error: 'unauthorized' });
  const [, name = '', action] = /^\/services\/([\w-]+)\/(stop|start)$/.exec(request.url ?? '') ?? [];
  const part = find(name);
  if (request.method !== 'POST' || part === undefined) return respond(404, { error: 'not found' });
  try {
    await (action === 'stop' ? part.stop() : part.resume());
    respond(200, { name, pid: part.pid ?? null });
  } catch (error) {
    respond(500, { error: error instanceof Error ? error.message : String(error) });
  }
}

function isAuthorized(request: IncomingMessage, token: string): boolean {
  const given = Buffer.from(request.headers.authorization ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
