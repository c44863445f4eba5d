import { webhooksOperations } from '@billing/contracts/operations/webhooks';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { describeWebhookUrl } from '#accounts/webhook-url.ts';
import { connectProcessor } from '#operations/connect-processor.ts';
import type { Dependencies } from '../app.ts';

/** A team's connection to the processor. */
export function serveProcessor(app: HttpServer, { database, secrets, ...parts }: Dependencies): void {
  const connect = connectProcessor({ em: database.em, ...parts });
  serve(app, webhooksOperations.getWebhookUrl, async ({ params }) =>
    describeWebhookUrl(parts.publicUrl, params.teamId),
  );
  serve(app, webhooksOperations.connectProcessor, async ({ params, body }) => {
    const processor = await connect(params.teamId, body);
    secrets.forget(params.teamId);
    return { processor };
  });
}
