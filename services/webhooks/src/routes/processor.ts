import { webhooksOperations } from '@billing/contracts/operations/webhooks';
import type { RpcClient } from '@billing/messaging/rpc';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { connectProcessor } from '#operations/connect-processor.ts';
import { disconnectProcessor } from '#operations/disconnect-processor.ts';
import { describeWebhookUrl, findConnection, type ConnectionParts } from '#operations/connection.ts';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { checkConnection } from '#operations/check-connection.ts';
import type { SigningSecrets } from '#persistence/signing-secrets.ts';

interface Dependencies extends ConnectionParts {
  readonly processors: TeamProcessors;
  readonly now: () => Date;
  readonly rpc: RpcClient;
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
    const { outbox, processors, publicUrl, now } = parts;
    const check = checkConnection({ em: outbox.em, processors, publicUrl, now });
    serve(app, webhooksOperations.getProcessorHealth, ({ params }) => check(params.teamId));
    const find = findConnection(parts);
    serve(app, webhooksOperations.getProcessor, ({ params }) => find(params.teamId));
    const disconnect = disconnectProcessor(parts);
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
