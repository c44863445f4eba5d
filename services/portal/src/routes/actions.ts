import { portalOperations } from '@billing/contracts/operations/portal';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import { admitVisitor, type AdmitVisitorDependencies } from '#operations/admit-visitor.ts';
import { changePlan, dropPlanChange, previewPlan } from '#operations/change-plan.ts';
import { acceptSaveOffer } from '#operations/save-offer.ts';
import { scheduleCancellation } from '#operations/schedule-cancellation.ts';
import { startPaymentUpdate, type StartPaymentUpdateDependencies } from '#operations/start-payment-update.ts';
import { byCustomer } from './customer-audit.ts';
import { textsOf } from './page-request.ts';

type ActionDependencies = AdmitVisitorDependencies & StartPaymentUpdateDependencies;

/** The API of the page's script; the token in the path is the only credential. */
export function actionRoutes(dependencies: ActionDependencies) {
  const admit = admitVisitor(dependencies);
  const schedule = scheduleCancellation(dependencies);
  const startUpdate = startPaymentUpdate(dependencies);
  const preview = previewPlan(dependencies);
  const change = changePlan(dependencies);
  const drop = dropPlanChange(dependencies);
  const accept = acceptSaveOffer(dependencies);
  /** An `Idempotency-Key` belongs to the link. */
  const ownerOf = async ({ token }: { readonly token: string }) => (await admit(token)).sessionId;

  return async (app: HttpServer): Promise<void> => {
    serve(app, portalOperations.updatePortalSubscription, async ({ params, body, audit }) => {
      const visitor = await admit(params.token);
      return {
        subscription: toResource(await schedule(visitor, params.subscriptionId, body, byCustomer(audit, visitor))),
      };
    });

    serve(
      app,
      portalOperations.previewPortalPlanChange,
      async ({ params, body }) => ({
        preview: (await preview(await admit(params.token), params.subscriptionId, body)).preview,
      }),
      { ownerOf },
    );

    serve(
      app,
      portalOperations.changePortalPlan,
      async ({ params, body, audit, reply, operationKey }) => {
        const visitor = await admit(params.token);
        const made = await change(visitor, params.subscriptionId, body, byCustomer(audit, visitor), operationKey);
        if (made.change.status === 'pending_payment') reply.code(202);
        return { change: made.change, subscription: toResource(made.subscription) };
      },
      { ownerOf },
    );

    serve(app, portalOperations.dropPortalPlanChange, async ({ params, audit }) => {
      const visitor = await admit(params.token);
      return { subscription: toResource(await drop(visitor, params.subscriptionId, byCustomer(audit, visitor))) };
    });

    serve(
      app,
      portalOperations.acceptSaveOffer,
      async ({ params, audit }) => {
        const visitor = await admit(params.token);
        return { subscription: toResource(await accept(visitor, params.subscriptionId, byCustomer(audit, visitor))) };
      },
      { ownerOf },
    );

    serve(
      app,
      portalOperations.createPortalSetupSession,
      async ({ params, query: { lang }, audit, request, reply, operationKey }) => {
        const visitor = await admit(params.token);
        const { language } = textsOf(request, visitor);
        const { url, cookie } = await startUpdate(
          visitor,
          { language, lang },
          byCustomer(audit, visitor),
          operationKey,
        );
        reply.header('set-cookie', cookie);
        return { url };
      },
      { storesResponse: false, ownerOf },
    );
  };
}

/** A subscription without our id of its price has none in its resource. */
const toResource = ({ priceId, ...subscription }: SubscriptionState) => ({
  ...subscription,
  ...(priceId && { priceId }),
});
