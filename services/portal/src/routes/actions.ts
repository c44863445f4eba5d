import { portalOperations } from '@billing/contracts/operations/portal';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { readerLanguage } from '#domain/reader-language.ts';
import { admitVisitor, type AdmitVisitorDependencies } from '#operations/admit-visitor.ts';
import { scheduleCancellation } from '#operations/schedule-cancellation.ts';
import { startPaymentUpdate, type StartPaymentUpdateDependencies } from '#operations/start-payment-update.ts';
import { customerAuditOf } from './customer-audit.ts';

type ActionDependencies = AdmitVisitorDependencies & StartPaymentUpdateDependencies;

/** The API of the page's script; the token in the path is the only credential. */
export function actionRoutes(dependencies: ActionDependencies) {
  const admit = admitVisitor(dependencies);
  const schedule = scheduleCancellation(dependencies);
  const startUpdate = startPaymentUpdate(dependencies);

  return async (app: HttpServer): Promise<void> => {
    serve(app, portalOperations.updatePortalSubscription, async ({ params, body, request }) => {
      const visitor = await admit(params.token);
      const { priceId, ...subscription } = await schedule(
        visitor,
        params.subscriptionId,
        body,
        customerAuditOf(request, portalOperations.updatePortalSubscription, visitor),
      );
      return { subscription: { ...subscription, ...(priceId && { priceId }) } };
    });

    serve(
      app,
      portalOperations.createPortalSetupSession,
      async ({ params, query: { lang }, request, reply, operationKey }) => {
        const visitor = await admit(params.token);
        const audit = customerAuditOf(request, portalOperations.createPortalSetupSession, visitor, operationKey);
        const accepted = request.headers['accept-language'];
        const { language } = readerLanguage({ query: lang, link: visitor.locale, accepted });
        const { url, cookie } = await startUpdate(visitor, { language, lang }, audit, operationKey);
        reply.header('set-cookie', cookie);
        return { url };
      },
      { storesResponse: false, ownerOf: async ({ token }) => (await admit(token)).sessionId },
    );
  };
}
