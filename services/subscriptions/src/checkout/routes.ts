import type { Routes } from '@billing/service/definition';
import type { TeamId } from '@billing/contracts/ids';
import { FindProcessorCredentials } from '@billing/contracts/rpc/calls';
import { subscriptionsOperations as operations } from '@billing/contracts/operations/subscriptions';
import { testCardOperations } from '@billing/contracts/operations/test-clocks';
import { serve } from '@billing/service/serve';
import { bodyResolver } from '#copies/find-prices-by-key';
import { toResource as toInvoice } from '#money/invoice.entity';
import { toResource } from '#record/subscription.entity';
import type { Dependencies } from '../dependencies.ts';
import { previewSale } from './prepare-sale.ts';
import { sellAtOnce } from './sell-at-once.ts';
import { setTestCard } from './set-test-card.ts';
import { startCheckout } from './start-checkout.ts';

/** Sales: by a page, or at once. */
export function checkoutRoutes(
  dependencies: Pick<Dependencies, 'em' | 'outbox' | 'rpc' | 'processors' | 'operationLog' | 'traces' | 'now'>,
): Routes {
  const [start, sell, preview] = [startCheckout(dependencies), sellAtOnce(dependencies), previewSale(dependencies)];
  const setCard = setTestCard(dependencies);
  const resolved = bodyResolver(dependencies);
  const publishableKeyOf = async (teamId: TeamId) => {
    const found = await dependencies.rpc.call(FindProcessorCredentials, { teamId, service: 'subscriptions' });
    return found?.publishableKey ?? null;
  };
  return app => {
    serve(
      app,
      testCardOperations.setTestCard,
      async ({ params: { customerId, ...scope }, body, audit, operationKey }) => {
        await setCard(scope, customerId, body.card, audit, operationKey);
        return { testCard: body };
      },
    );
    serve(app, operations.previewCheckout, async ({ params, body }) => ({
      preview: await preview(params, await resolved(params, body)),
    }));
    serve(app, operations.createCheckout, async ({ params, body: given, audit, operationKey }) => {
      const body = await resolved(params, given);
      if (body.collect === 'page') {
        const opened = await start(params, body, audit, operationKey);
        const publishableKey = opened.clientSecret === null ? null : await publishableKeyOf(params.teamId);
        return { ...opened, publishableKey, subscription: null, invoice: null };
      }
      const { subscription, invoice } = await sell(params, body, audit, operationKey);
      const sold = { subscription: toResource(subscription), invoice: invoice && toInvoice(invoice) };
      return { sessionId: null, url: null, clientSecret: null, publishableKey: null, ...sold };
    });
  };
}
