import { BUNDLE_BYTES, decodeBundle, DELIVERIES_PATH } from '@billing/contracts/delivery-bundle';
import type { BundleResponse, Delivery, DeliveryResponse } from '@billing/contracts/delivery-bundle';
import type { TeamId } from '@billing/contracts/ids';
import { webhooksOperations } from '@billing/contracts/operations/webhooks';
import { openBatcher } from '@billing/messaging/batcher';
import { withinTrace } from '@billing/tracing/trace-carrier';
import type { HttpServer } from '@billing/service/http';
import { toProblem } from '@billing/service/to-problem';
import { overloaded, teamOverloaded, type IsOverloaded } from '@billing/service/overloaded';
import { serve } from '@billing/service/serve';
import type { Logger } from 'pino';
import { receiveEvent, type ReceiveParts } from './receive.ts';
import { BATCH, type ReceivedEvent, type Stored } from './store.ts';

/** Room for a full bundle, its head, and one more body. */
const BUNDLE_LIMIT = 2 * BUNDLE_BYTES;
/** While one batch waits for its commit, others are stored. */
const PARALLEL_STORES = 3;

interface Dependencies extends Omit<ReceiveParts, 'store'> {
  readonly store: (received: readonly ReceivedEvent[]) => Promise<readonly Stored[]>;
  readonly isOverloaded: IsOverloaded;
  readonly isTeamOverloaded: (teamId: TeamId) => boolean;
  /** Whether it is known to store all that it may. */
  readonly isTeamFull: (teamId: TeamId) => boolean;
  readonly logger: Logger;
}

/**
 * Where Stripe posts its events, at the current address and the older one, one by one or as the gateway has bundled them.
 * Bodies stay the bytes that were signed.
 */
export const receiverRoutes =
  ({ store, isOverloaded, isTeamOverloaded, isTeamFull, logger, ...parts }: Dependencies) =>
  (app: HttpServer): void => {
    const storeBatched = openBatcher(store, { ...BATCH, parallel: PARALLEL_STORES });
    const storeOne = async (received: ReceivedEvent): Promise<Stored> => {
      if (isTeamOverloaded(received.teamId)) throw teamOverloaded();
      if (isTeamFull(received.teamId)) return 'full';
      return storeBatched(received);
    };
    const receive = receiveEvent({ ...parts, store: storeOne });

    const respondTo = async (delivery: Delivery): Promise<DeliveryResponse> => {
      const { teamId, body, signature, trace, requestId } = delivery;
      try {
        if (isOverloaded()) throw overloaded();
        return { status: 200, body: await withinTrace(trace, () => receive(teamId, body, signature)) };
      } catch (err) {
        const problem = toProblem(err);
        const { status, retryAfterSeconds: seconds } = problem;
        if (status >= 500) logger[status === 500 ? 'error' : 'warn']({ err, requestId }, 'webhook event not stored');
        return {
          status,
          ...(seconds !== undefined && { retryAfterSeconds: seconds }),
          body: problem.toBody(requestId),
        };
      }
    };

    void app.register(async receiver => {
      receiver.removeAllContentTypeParsers();
      receiver.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body);
      for (const operation of [webhooksOperations.receiveWebhook, webhooksOperations.receiveWebhookAtOldPath]) {
        serve(receiver, operation, ({ params, request }) => {
          const signature = request.headers['stripe-signature'];
          const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
          return receive(params.teamId, body, typeof signature === 'string' ? signature : undefined);
        });
      }
      const options = { bodyLimit: BUNDLE_LIMIT, config: { refusesEach: true } };
      receiver.post<{ Body: Buffer }>(DELIVERIES_PATH, options, async ({ body }) => {
        const responses = await Promise.all(decodeBundle(body).map(respondTo));
        return { responses } satisfies BundleResponse;
      });
    });
  };
