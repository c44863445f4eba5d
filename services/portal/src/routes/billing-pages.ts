import { portalOperations } from '@billing/contracts/operations/portal';
import { Problem } from '@billing/contracts/problem';
import type { PortalBillingDetails } from '@billing/contracts/resources/billing-details';
import type { RpcClient } from '@billing/messaging/rpc';
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { detailsForm, formOf, readForm, type DetailsForm, type DetailsProblems } from '#domain/details-form.ts';
import type { Visitor } from '#operations/admit-visitor.ts';
import { findBillingDetails, updateBillingDetails } from '#operations/billing-details.ts';
import { billingDetailsContent } from '#views/billing-details.ts';
import { customerAuditOf } from './customer-audit.ts';
import { langQuery, textsOf, tokenParams } from './page-request.ts';
import type { PageRequest, SubscriptionPages } from './subscription-pages.ts';

/** What the fields are told that a refusal is about. */
const REFUSALS: ReadonlyMap<string, DetailsProblems> = new Map([
  ['tax_id_invalid', { taxIdValue: 'taxIdRefused' }],
  ['tax_location_invalid', { country: 'locationRefused' }],
  ['invoice_fields_full', { purchaseOrder: 'noRoomForOrder' }],
]);

interface Filled {
  readonly form: DetailsForm;
  readonly problems?: DetailsProblems;
  readonly isSaved?: boolean;
}

/** The page on which customers see and change what stands on their invoices, without script. */
export function billingPages(
  dependencies: { readonly rpc: RpcClient },
  { visitorOf, linksOf, send }: Pick<SubscriptionPages, 'visitorOf' | 'linksOf' | 'send'>,
): FastifyPluginAsyncZod {
  const find = findBillingDetails(dependencies);
  const update = updateBillingDetails(dependencies);

  /** Sends the form; one with problems has what was typed. */
  async function sendForm(
    request: PageRequest,
    reply: FastifyReply,
    visitor: Visitor,
    { taxIds }: PortalBillingDetails,
    { form, problems, isSaved = false }: Filled,
  ) {
    const texts = textsOf(request, visitor);
    const content = billingDetailsContent({
      taxIds,
      form,
      problems: problems ?? {},
      isSaved,
      links: linksOf(request),
      texts,
    });
    return send(reply, visitor, { texts, title: texts.text('billingDetails'), content }, problems && 422);
  }

  return async app => {
    const route = '/:token/billing-details';
    const querystring = langQuery.extend({ notice: z.literal('details-saved').optional().catch(undefined) });

    app.get(route, { schema: { params: tokenParams, querystring } }, async (request, reply) => {
      const visitor = await visitorOf(request);
      const details = await find(visitor);
      return sendForm(request, reply, visitor, details, {
        form: formOf(details),
        isSaved: request.query.notice !== undefined,
      });
    });

    app.post(
      route,
      { schema: { params: tokenParams, querystring: langQuery, body: detailsForm } },
      async (request, reply) => {
        const visitor = await visitorOf(request);
        const details = await find(visitor);
        const typed = { ...formOf(details), ...request.body };
        const read = readForm(request.body, details);
        if ('problems' in read)
          return sendForm(request, reply, visitor, details, { form: typed, problems: read.problems });
        try {
          const audit = customerAuditOf(request, portalOperations.updatePortalBillingDetails, visitor);
          await update(visitor, read.wanted, audit);
        } catch (err) {
          const problems = err instanceof Problem ? REFUSALS.get(err.code) : undefined;
          if (!problems) throw err;
          return sendForm(request, reply, visitor, details, { form: typed, problems });
        }
        return reply.redirect(linksOf(request).billingDetails('details-saved'), 303);
      },
    );
  };
}
