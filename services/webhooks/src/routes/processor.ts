import { webhooksOperations } from '@billing/contracts/operations/webhooks';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { connectProcessor, type ConnectProcessorParts } from '#operations/connect-processor.ts';
import { describeWebhookUrl } from '#operations/describe-webhook-url.ts';
import type { SigningSecrets } from '#persistence/signing-secrets.ts';

interface Dependencies extends ConnectProcessorParts {
  readonly secrets: Pick<SigningSecrets, 'forget'>;
}

/** A team's connection to Stripe. */
export const processorRoutes =
  ({ secrets, ...parts }: Dependencies) =>
  (app: HttpServer): void => {
    const connect = connectProcessor(parts);
    serve(app, webhooksOperations.getWebhookUrl, async ({ params }) =>
      describeWebhookUrl(parts.publicUrl, params.teamId),
    );
    serve(app, webhooksOperations.connectProcessor, async ({ params, body }) => {
      const processor = await connect(params.teamId, body);
      secrets.forget(params.teamId);
      return { processor };
    });
  };
