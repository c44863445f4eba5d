import { webhooksOperations } from '@billing/contracts/operations/webhooks';
import type { HttpServer } from '@billing/service-kit/http';
import { serve } from '@billing/service-kit/serve';
import { inGroups } from '@billing/messaging/in-groups';
import { receiveEvent } from '#operations/receive-event.ts';
import { storeEvents, type ReceivedEvent } from '#operations/store-events.ts';
import type { Dependencies } from '../app.ts';

/** Where the processor posts its events, at the address of now and at the older one; bodies stay the bytes that were signed. */
export function serveReceiver(app: HttpServer, { database: { em }, secrets, now, onStored }: Dependencies): void {
  const storeInGroups = inGroups((received: readonly ReceivedEvent[]) => storeEvents(em, received));
  const store = async (received: ReceivedEvent) => {
    const stored = await storeInGroups(received);
    if (stored === 'new') onStored();
    return stored;
  };
  const receive = receiveEvent({ secrets, store, now });
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
  });
}
