import { portalOperations } from '@billing/contracts/operations/portal';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import type { FastifyRequest } from 'fastify';
import { subscriptionOf } from '@billing/contracts/events/subscriptions';
import { admitVisitor, type AdmitVisitorDependencies, type Visitor } from '#operations/admit-visitor.ts';
import { findBillingDetails, updateBillingDetails } from '#operations/billing-details.ts';
import { changePlan, dropPlanChange, previewPlan } from '#operations/change-plan.ts';
import { pauseSubscription, resumeSubscription } from '#operations/pause-subscription.ts';
import { bodyResolver } from '#operations/find-prices-by-key.ts';
import { acceptSaveOffer } from '#operations/save-offer.ts';
import { scheduleCancellation } from '#operations/schedule-cancellation.ts';
import { startPaymentUpdate, type StartPaymentUpdateDependencies } from '#operations/start-payment-update.ts';
import { byCustomer } from './customer-audit.ts';
import { textsOf } from './page-request.ts';

type ActionDependencies = AdmitVisitorDependencies & StartPaymentUpdateDependencies & { readonly now: () => Date };

/** The API of the page's script; the token in the path is the only credential. */
export function actionRoutes(dependencies: ActionDependencies) {
  const admitByToken = admitVisitor(dependencies);
  const admit = async (request: FastifyRequest, token: string): Promise<Visitor> => {
    const visitor = await admitByToken(token);
    await request.takePlace(visitor.scope.teamId);
    return visitor;
  };
  const schedule = scheduleCancellation(dependencies);
  const startUpdate = startPaymentUpdate(dependencies);
  const preview = previewPlan(dependencies);
  const change = changePlan(dependencies);
  const resolved = bodyResolver(dependencies);
  const drop = dropPlanChange(dependencies);
  const [pause, resume] = [pauseSubscription(dependencies), resumeSubscription(dependencies)];
  const accept = acceptSaveOffer(dependencies);
  const findDetails = findBillingDetails(dependencies);
  const updateDetails = updateBillingDetails(dependencies);
  /** An `Idempotency-Key` belongs to the link. */
  const ownerOf = async ({ token }: { readonly token: string }) => (await admitByToken(token)).sessionId;

  return async (app: HttpServer): Promise<void> => {
    serve(app, portalOperations.updatePortalSubscription, async ({ params, body, audit, request }) => {
      const visitor = await admit(request, params.token);
      return {
        subscription: subscriptionOf(await schedule(visitor, params.subscriptionId, body, byCustomer(audit, visitor))),
      };
    });

    serve(
      app,
      portalOperations.previewPortalPlanChange,
      async ({ params, body, request }) => {
        const visitor = await admit(request, params.token);
        const wanted = await resolved(visitor.scope, body);
        return { preview: (await preview(visitor, params.subscriptionId, wanted)).preview };
      },
      { ownerOf },
    );

    serve(
      app,
      portalOperations.changePortalPlan,
      async ({ params, body, audit, reply, operationKey, request }) => {
        const visitor = await admit(request, params.token);
        const wanted = await resolved(visitor.scope, body);
        const made = await change(visitor, params.subscriptionId, wanted, byCustomer(audit, visitor), operationKey);
        if (made.change.status === 'pending_payment') reply.code(202);
        return { change: made.change, subscription: subscriptionOf(made.subscription) };
      },
      { ownerOf },
    );

    serve(app, portalOperations.dropPortalPlanChange, async ({ params, audit, request }) => {
      const visitor = await admit(request, params.token);
      return { subscription: subscriptionOf(await drop(visitor, params.subscriptionId, byCustomer(audit, visitor))) };
    });

    serve(
      app,
      portalOperations.acceptSaveOffer,
      async ({ params, audit, request }) => {
        const visitor = await admit(request, params.token);
        return {
          subscription: subscriptionOf(await accept(visitor, params.subscriptionId, byCustomer(audit, visitor))),
        };
      },
      { ownerOf },
    );

    serve(
      app,
      portalOperations.pausePortalSubscription,
      async ({ params, body, audit, operationKey, request }) => {
        const visitor = await admit(request, params.token);
        const by = byCustomer(audit, visitor);
        const paused = await pause(visitor, params.subscriptionId, body?.resumesAt, by, operationKey);
        return { subscription: subscriptionOf(paused) };
      },
      { ownerOf },
    );

    serve(
      app,
      portalOperations.resumePortalSubscription,
      async ({ params, body, audit, operationKey, request }) => {
        const visitor = await admit(request, params.token);
        const by = byCustomer(audit, visitor);
        const resumed = await resume(visitor, params.subscriptionId, body?.expectedAmountDue ?? 0, by, operationKey);
        return { subscription: subscriptionOf(resumed) };
      },
      { ownerOf },
    );

    serve(app, portalOperations.getPortalBillingDetails, async ({ params, request }) => ({
      billingDetails: await findDetails(await admit(request, params.token)),
    }));

    serve(app, portalOperations.updatePortalBillingDetails, async ({ params, body, audit, request }) => {
      const visitor = await admit(request, params.token);
      return { billingDetails: await updateDetails(visitor, body, byCustomer(audit, visitor)) };
    });

    serve(
      app,
      portalOperations.createPortalSetupSession,
      async ({ params, query: { lang }, audit, request, reply, operationKey }) => {
        const visitor = await admit(request, params.token);
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
