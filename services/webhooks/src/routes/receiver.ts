import { BUNDLE_BYTES, decodeBundle, DELIVERIES_PATH } from '@billing/contracts/delivery-bundle';
import type { BundleResponse, Delivery, DeliveryResponse } from '@billing/contracts/delivery-bundle';
import { webhooksOperations } from '@billing/contracts/operations/webhooks';
import { inGroups } from '@billing/messaging/in-groups';
import { withinTrace } from '@billing/messaging/trace-carrier';
import { toProblem, type HttpServer } from '@billing/service/http';
import { overloaded } from '@billing/service/overloaded';
import { serve } from '@billing/service/serve';
import { receiveEvent } from '#operations/receive-event.ts';
import { storeEvents, type ReceivedEvent } from '#operations/store-events.ts';
import type { Dependencies } from '../app.ts';

/** Room for a full bundle, its head, and one body more. */
const BUNDLE_LIMIT = 2 * BUNDLE_BYTES;
/** While one group waits for its commit, others are stored. */
const STORED_AT_ONCE = 3;

/**
 * Where the processor posts its events, at the address of now and at the older one, one by one or as the gateway has
 * bundled them; bodies stay the bytes that were signed.
 */
export function serveReceiver(app: HttpServer, dependencies: Dependencies): void {
  const { database, secrets, now, onStored, logger, isOverloaded = () => false } = dependencies;
  const storeInGroups = inGroups((received: readonly ReceivedEvent[]) => storeEvents(database.em, received), {
    parallel: STORED_AT_ONCE,
  });
  const store = async (received: ReceivedEvent) => {
    const stored = await storeInGroups(received);
    if (stored === 'new') onStored();
    return stored;
  };
  const receive = receiveEvent({ secrets, store, now });

  const answerOf = async ({ teamId, body, signature, trace, requestId }: Delivery): Promise<DeliveryResponse> => {
    try {
      if (isOverloaded()) throw overloaded();
      return { status: 200, body: await withinTrace(trace, () => receive(teamId, body, signature)) };
    } catch (err) {
      const problem = toProblem(err instanceof Error ? err : new Error(String(err)));
      const { status, retryAfterSeconds } = problem;
      if (status >= 500) logger[status === 500 ? 'error' : 'warn']({ err, requestId }, 'delivery not stored');
      return { status, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }), body: problem.toBody(requestId) };
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
    const bundles = { bodyLimit: BUNDLE_LIMIT, config: { refusesEach: true } };
    receiver.post<{ Body: Buffer }>(DELIVERIES_PATH, bundles, async ({ body }) => {
      const responses = await Promise.all(decodeBundle(body).map(answerOf));
      return { responses } satisfies BundleResponse;
    });
  });
}
