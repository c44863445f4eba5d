import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A request as it goes over the wire: nothing is put right on the way. */
export interface Attack {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });
/** The gateway itself gives up on a service after 25 seconds. */
const ANSWER_MS = 40_000;

/** Sends it; rejects when no answer comes, however little the request deserves one. */
export function send(gatewayUrl: string, { method, path, headers, body }: Attack): Promise<Answered> {
  const { hostname, port } = new URL(gatewayUrl);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const all = { ...length, ...headers };
    const sending = request({ agent, hostname, port, method, path, headers: all, timeout: ANSWER_MS }, response => {
      buffer(response).then(
        bytes => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: bytes.toString() }),
        reject,
      );
    });
    sending.once('timeout', () => sending.destroy(new Error(`No answer within ${ANSWER_MS} ms.`)));
    sending.on('error', reject); // nothing happens to a promise that is fulfilled already
    sending.end(body);
  });
}
