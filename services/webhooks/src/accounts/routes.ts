import { webhooksOperations } from '@billing/contracts/operations/webhooks';
import type { RpcClient } from '@billing/messaging/rpc';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { connectProcessor } from './connect-processor.ts';
import { disconnectProcessor } from './disconnect-processor.ts';
import { describeWebhookUrl, findConnection, type ConnectionParts } from './connection.ts';
import { checkConnection, type CheckConnectionParts } from './check-connection.ts';
import type { SigningSecrets } from './signing-secrets.ts';

interface Dependencies extends ConnectionParts, CheckConnectionParts {
  readonly rpc: RpcClient;
  readonly secrets: Pick<SigningSecrets, 'forget'>;
}

/** A team's connection to Stripe. */
export const processorRoutes =
  ({ secrets, ...parts }: Dependencies) =>
  (app: HttpServer): void => {
    const [connect, disconnect] = [connectProcessor(parts), disconnectProcessor(parts)];
    const [find, check] = [findConnection(parts), checkConnection(parts)];
    serve(app, webhooksOperations.getWebhookUrl, async ({ params }) =>
      describeWebhookUrl(parts.publicUrl, params.teamId),
    );
    serve(app, webhooksOperations.getProcessorHealth, ({ params }) => check(params.teamId), { placeOf: () => 'calls' });
    serve(app, webhooksOperations.getProcessor, ({ params }) => find(params.teamId));
    serve(app, webhooksOperations.disconnectProcessor, async ({ params, query: { purge }, body, audit }) => {
      await disconnect(params.teamId, { purge, confirm: body?.confirm }, audit);
      secrets.forget(params.teamId);
      return { success: true };
    });
    serve(app, webhooksOperations.connectProcessor, async ({ params, body, audit }) => {
      const processor = await connect(params.teamId, body, audit);
      secrets.forget(params.teamId);
      return { processor };
    });
  };
