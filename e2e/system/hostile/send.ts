import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A request that is sent byte for byte, without normalization. */
export interface Attack {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export interface AttackResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });
/** Longer than the gateway's own deadline of 25 seconds. */
const RESPONSE_TIMEOUT_MS = 40_000;

/**
 * Sends an attack.
 * @throws Error when no response arrives: every request deserves one
 */
export function send(gatewayUrl: string, { method, path, headers, body }: Attack): Promise<AttackResponse> {
  const { hostname, port } = new URL(gatewayUrl);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const all = { ...length, ...headers };
    const sending = request(
      { agent, hostname, port, method, path, headers: all, timeout: RESPONSE_TIMEOUT_MS },
      response => {
        buffer(response).then(
          bytes => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: bytes.toString() }),
          reject,
        );
      },
    );
    sending.once('timeout', () => sending.destroy(new Error(`No response within ${RESPONSE_TIMEOUT_MS} ms.`)));
    sending.on('error', reject); // ignored once the promise is fulfilled
    sending.end(body);
  });
}
