import { request, type Agent } from 'node:http';
import { text } from 'node:stream/consumers';

interface Sent {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a GET over the agent's connections, and returns its response. */
export function sendOver(
  agent: Agent,
  url: string,
  { path, headers }: Sent,
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ agent, hostname, port, path, headers }, response => {
      text(response).then(body => resolve({ status: response.statusCode ?? 0, text: body }), reject);
    })
      .on('error', reject)
      .end();
  });
}
