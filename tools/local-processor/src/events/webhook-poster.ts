import { createHmac } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { mayPostTo } from '../domain/hosts.ts';

const TIMEOUT_MS = 10_000;

/** Returns the `Stripe-Signature` header for a body sent at `seconds` (Unix time). (Stripe: https://docs.stripe.com/webhooks#verify-manually) */
export function signatureHeader(body: string, secret: string, seconds: number): string {
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${signature}`;
}

/** Where webhooks go. */
export interface WebhookTargets {
  /**
   * The host, with a port, to which webhooks for localhost go. For a processor in a container, whose localhost is the
   * container itself.
   */
  localhost?: string | undefined;
  /** Origins elsewhere to which webhooks may go; `*` for any. None by default: they go to this machine. */
  webhookOrigins?: readonly string[] | undefined;
}

/** Sends webhooks over keep-alive connections. */
export class WebhookPoster {
  readonly #localhost: string | undefined;
  readonly #origins: readonly string[];
  readonly #http = new http.Agent({ keepAlive: true, maxSockets: 64 });
  readonly #https = new https.Agent({ keepAlive: true, maxSockets: 64 });

  /**
   * `localhost` is the host, with a port, that stands for localhost in URLs; undefined: this machine. `origins` are those
   * elsewhere to which webhooks may go; `*` stands for all.
   */
  constructor({ localhost, webhookOrigins = [] }: WebhookTargets) {
    this.#localhost = localhost;
    this.#origins = webhookOrigins;
  }

  /**
   * Posts one body. Returns the status of the response; redirects are not followed.
   * @throws when there is no response within 10 s, or webhooks may not go there
   */
  async post(url: string, body: string, signature: string): Promise<number> {
    if (!mayPostTo(new URL(url), this.#origins))
      throw new Error(`Webhooks go to this machine only: add ${new URL(url).origin} to WEBHOOK_ORIGINS to post there.`);
    const secure = url.startsWith('https:');
    const options = {
      method: 'POST',
      agent: secure ? this.#https : this.#http,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks) local-processor',
        'stripe-signature': signature,
        accept: '*/*',
      },
    };
    return new Promise((resolve, reject) => {
      const request = (secure ? https : http).request(this.#reachable(url), options, response => {
        response.once('error', reject);
        response.once('end', () => resolve(response.statusCode ?? 0));
        response.resume();
      });
      request.once('error', reject);
      request.end(body);
    });
  }

  #reachable(url: string): URL {
    const reachable = new URL(url);
    if (this.#localhost !== undefined && ['localhost', '127.0.0.1'].includes(reachable.hostname))
      reachable.host = this.#localhost;
    return reachable;
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}
