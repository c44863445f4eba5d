import { Agent, request as ask } from 'node:http';
import type { Request } from 'express';
import {
  BUNDLE_BYTES,
  BUNDLE_SIZE,
  bundleResponse,
  DELIVERIES_PATH,
  encodeBundle,
  type Delivery,
  type DeliveryResponse,
} from '@billing/contracts/delivery-bundle';
import { unavailable } from '@billing/contracts/problem';
import { currentTrace } from '@billing/messaging/trace-carrier';
import { IDENTITY_HEADER } from '@billing/service/identity-token';
import { inspectBody, readBody } from '#http/body.ts';
import type { Reply } from '#http/exchange.ts';
import { disbelieved, serviceUnavailable } from './unanswered.ts';
import type { State } from './statements.ts';

/** How long a delivery may wait for its answer, in milliseconds; the processor gives up soon after. */
const ANSWER_TIMEOUT_MS = 25_000;
/** Bundles under way at once: while one is stored the next is gathered and sent. */
const MAX_UNDER_WAY = 3;
/** Deliveries that wait; more are asked to come again. */
const MAX_WAITING = 4_096;
/** Bytes of their bodies. */
const MAX_WAITING_BYTES = 64 * 1_048_576;

interface Waiting {
  readonly delivery: Delivery;
  readonly answered: (answer: DeliveryResponse) => void;
  readonly failed: (err: unknown) => void;
}

interface DeliveriesParts {
  /** Where the webhooks service listens. */
  readonly url: string;
  readonly state: State;
  readonly answerTimeoutMs?: number;
}

/** Sends webhooks on to the service that stores them. */
export interface Deliveries {
  /**
   * Hands a webhook of a team over, and the service's answer to the caller.
   * @throws Problem 413, 415 for the body; 503 when the service does not answer, or too many wait for it
   */
  forward(request: Request, reply: Reply, teamId: string): Promise<void>;
  close(): void;
}

/**
 * Webhooks come in floods: those that arrive while others are under way travel together, so that the way there and
 * the commit at its end are shared. Each is answered for itself, and alone it waits for nobody.
 */
export function openDeliveries({ url, state, answerTimeoutMs = ANSWER_TIMEOUT_MS }: DeliveriesParts): Deliveries {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: MAX_UNDER_WAY, scheduling: 'lifo' });
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let underWay = 0;

  const deliver = (delivery: Delivery): Promise<DeliveryResponse> => {
    if (waiting.length >= MAX_WAITING || waitingBytes > MAX_WAITING_BYTES)
      throw unavailable('Too many webhooks wait to be stored.', 5);
    const { promise, resolve, reject } = Promise.withResolvers<DeliveryResponse>();
    const timer = setTimeout(() => reject(serviceUnavailable('webhooks')), answerTimeoutMs);
    const end = () => clearTimeout(timer);
    waiting.push({ delivery, answered: resolve, failed: reject });
    waitingBytes += delivery.body.length;
    // Those that arrived in the same turn of the event loop go together.
    if (waiting.length === 1) setImmediate(sendBundles);
    return promise.finally(end);
  };

  const sendBundles = (): void => {
    while (underWay < MAX_UNDER_WAY && waiting.length > 0) {
      const bundle = waiting.slice(0, sizeOfBundle(waiting));
      waiting = waiting.slice(bundle.length);
      for (const { delivery } of bundle) waitingBytes -= delivery.body.length;
      underWay += 1;
      void send(bundle).finally(() => {
        underWay -= 1;
        sendBundles();
      });
    }
  };

  const send = async (bundle: readonly Waiting[]): Promise<void> => {
    try {
      const answers = await post(bundle.map(({ delivery }) => delivery));
      for (const [index, answer] of answers.entries()) bundle[index]?.answered(answer);
    } catch (err) {
      for (const { failed } of bundle) failed(err);
    }
  };

  /** @throws Problem 503 when the service does not answer, or not as agreed */
  const post = async (bundle: readonly Delivery[]): Promise<DeliveryResponse[]> => {
    const body = encodeBundle(bundle);
    const { promise, resolve, reject } = Promise.withResolvers<DeliveryResponse[]>();
    const headers = {
      'content-type': 'application/octet-stream',
      'content-length': body.length,
      [IDENTITY_HEADER]: state('webhooks', { kind: 'anonymous' }),
    };
    const unanswered = (cause: unknown) => reject(serviceUnavailable('webhooks', cause));
    const signal = AbortSignal.timeout(answerTimeoutMs);
    const asked = ask(`${url}${DELIVERIES_PATH}`, { method: 'POST', agent, headers, signal }, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', unanswered);
      response.on('end', () => {
        if (response.statusCode === 401) return reject(disbelieved('webhooks'));
        if (response.statusCode !== 200) return unanswered(new Error(`A bundle was answered ${response.statusCode}.`));
        try {
          const { answers } = bundleResponse.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
          if (answers.length !== bundle.length)
            throw new Error(`${bundle.length} deliveries, ${answers.length} answers`);
          resolve(answers);
        } catch (err) {
          unanswered(err);
        }
      });
    });
    asked.on('error', unanswered);
    asked.end(body);
    return promise;
  };

  return {
    async forward(request, reply, teamId) {
      const framing = inspectBody(request, { json: false });
      const body = framing === 'none' ? Buffer.alloc(0) : await readBody(request);
      const signature = request.headers['stripe-signature'];
      const answer = await deliver({
        teamId,
        ...(typeof signature === 'string' && { signature }),
        requestId: reply.locals.requestId,
        trace: currentTrace(),
        body,
      });
      if (answer.retryAfterSeconds !== undefined) reply.set('Retry-After', String(answer.retryAfterSeconds));
      reply.status(answer.status).type('application/json').end(JSON.stringify(answer.body));
    },
    close: () => agent.destroy(),
  };
}

/** How many of those that wait, the first ones, make a bundle. */
function sizeOfBundle(waiting: readonly Waiting[]): number {
  let bytes = 0;
  for (const [index, { delivery }] of waiting.entries()) {
    bytes += delivery.body.length;
    if (index > 0 && bytes > BUNDLE_BYTES) return index;
    if (index === BUNDLE_SIZE) return index;
  }
  return waiting.length;
}
