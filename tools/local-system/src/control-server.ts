import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Supervised } from './supervise.ts';

export interface ControlServer {
  port: number;
  url: string;
  token: string;
  close(): void;
}

/**
 * A private door for tests and operators on 127.0.0.1: `POST /services/<name>/stop` and `…/start`, answered when it
 * is done. Without the bearer token of `pids.json` it answers 401, so that no web page can use it.
 */
export async function openControlServer(find: (name: string) => Supervised | undefined): Promise<ControlServer> {
  const token = randomBytes(24).toString('base64url');
  const server = createServer((request, response) => void answer(request, response, find, token));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The control server has no TCP port.');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  // The parts keep this process alive; this door alone need not.
  server.unref();
  return { port: address.port, url: `http://127.0.0.1:${address.port}`, token, close };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  find: (name: string) => Supervised | undefined,
  token: string,
): Promise<void> {
  const reply = (status: number, body: object) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  if (!isAllowed(request, token)) return reply(401, { error: 'unauthorized' });
  const [, name = '', verb] = /^\/services\/([\w-]+)\/(stop|start)$/.exec(request.url ?? '') ?? [];
  const part = find(name);
  if (request.method !== 'POST' || part === undefined) return reply(404, { error: 'not found' });
  try {
    await (verb === 'stop' ? part.hold() : part.resume());
    reply(200, { name, pid: part.pid ?? null });
  } catch (error) {
    reply(500, { error: error instanceof Error ? error.message : String(error) });
  }
}

function isAllowed(request: IncomingMessage, token: string): boolean {
  const given = Buffer.from(request.headers.authorization ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
