import { randomUUID } from 'node:crypto';
import { portalOperations } from '@billing/contracts/operations/portal';
import { PROBLEM_HEADER, type Problem } from '@billing/contracts/problem';
import { toProblem } from '@billing/service/to-problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { NOTICES, portalLinks, TABS } from '#domain/portal-links.ts';
import { processorReturn, tokenFromReturnCookie } from '#domain/processor-return.ts';
import { readerLanguage } from '#domain/reader-language.ts';
import { openDraft } from '#domain/draft.ts';
import { admitVisitor, linkExpired, type AdmitVisitorDependencies, type Visitor } from '#operations/admit-visitor.ts';
import { describeBilling, type DescribeBillingDependencies } from '#operations/describe-billing.ts';
import { describeDraft } from '#operations/describe-draft.ts';
import { findBrand } from '#operations/find-brand.ts';
import { startPaymentUpdate, type StartPaymentUpdateDependencies } from '#operations/start-payment-update.ts';
import { NO_BRAND } from '#views/brand.ts';
import {
  ACTION_FAILED,
  LINK_EXPIRED,
  NOT_FOUND,
  OPEN_LINK_AGAIN,
  messageContent,
  UNAVAILABLE,
  type Message,
} from '#views/message-page.ts';
import { portalPage } from '#views/portal-page.ts';
import { textsFor } from '#views/texts.ts';
import { formKey, langQuery, operationKeyOf, textsOf, tokenParams } from './page-request.ts';
import { billingPages } from './billing-pages.ts';
import { cancelPages } from './cancel-pages.ts';
import { pausePages } from './pause-pages.ts';
import { planPages } from './plan-pages.ts';
import { pageSender, type SendPageDependencies } from './send-page.ts';
import { customerAuditOf } from './customer-audit.ts';
import { subscriptionPages } from './subscription-pages.ts';

interface PageDependencies
  extends
    AdmitVisitorDependencies,
    DescribeBillingDependencies,
    StartPaymentUpdateDependencies,
    Pick<SendPageDependencies, 'assets'> {
  /** 32 bytes. Signs drafts of configurations. */
  readonly draftKey: Buffer;
  readonly now: () => Date;
}

/** How long the page waits for the payment method, in milliseconds: longer on the tab that shows it. */
const PROCESSOR_DEADLINE_MS = { paymentMethodsTab: 4_000, otherTabs: 1_500 };

/** The largest form, in bytes: the 1,900 characters of billing details take at most 9 each. */
const FORM_LIMIT = 32_768;

const paymentMethodQuery = langQuery.extend({ key: formKey });

/** Invalid values are replaced by the defaults. */
const pageQuery = langQuery.extend({
  tab: z.enum(TABS).catch('subscriptions'),
  page: z.coerce.number().int().min(1).max(10_000).catch(1),
  notice: z.enum(NOTICES).optional().catch(undefined),
});
const draftQuery = pageQuery.pick({ tab: true }).extend({ draft: z.string().catch('') });
const returnQuery = pageQuery.pick({ notice: true, lang: true });
const returnParams = z.object({ returnId: z.string() });

/** The page, and its forms for browsers without script. Every response is a page or a redirect to one. */
export function pageRoutes(dependencies: PageDependencies): FastifyPluginAsyncZod {
  const { publicUrl, processorBaseUrl, draftKey, now } = dependencies;
  const sendPage = pageSender(dependencies);
  const admitByToken = admitVisitor(dependencies);
  const findProjectBrand = findBrand(dependencies);
  const describe = describeBilling(dependencies);
  const describeSample = describeDraft(dependencies);
  const startUpdate = startPaymentUpdate(dependencies);

  /** Whom a request has admitted, for the page that says why it failed. */
  const visitors = new WeakMap<FastifyRequest, Visitor>();
  const admit = async (request: FastifyRequest, token: string): Promise<Visitor> => {
    const visitor = visitors.get(request) ?? (await admitByToken(token));
    visitors.set(request, visitor);
    return visitor;
  };
  const sendMessage = async (request: FastifyRequest, reply: FastifyReply, message: Message, status = 200) => {
    const visitor = visitors.get(request);
    const texts = textsOf(request, visitor);
    const brand = visitor ? await findProjectBrand(visitor) : NO_BRAND;
    const page = { title: texts.text(message.title), content: messageContent(message, texts) };
    return sendPage(reply, { texts, brand }, page, status);
  };

  return async app => {
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_LIMIT },
      (_request, fields, done) => done(null, Object.fromEntries(new URLSearchParams(String(fields)))),
    );
    // First, so that the page about a request that is not valid is that of the project, and says nothing to strangers.
    app.addHook('preValidation', async request => {
      const { token } = request.params as { readonly token?: string }; // as the routes below have it
      if (token !== undefined) await admit(request, token);
    });
    // As the last step before the handler, at whose end the place is given back.
    app.addHook('preHandler', async request => {
      const visitor = visitors.get(request);
      if (visitor) await request.takePlace(visitor.scope.teamId);
    });
    app.setNotFoundHandler((request, reply) => sendMessage(request, reply, NOT_FOUND, 404));
    app.setErrorHandler<Error>((error, request, reply) => {
      const problem = toProblem(error);
      if (problem.kind === 'unauthorized') throw error; // the request did not come through the gateway
      if (problem.status >= 500) request.log.warn({ err: error }, 'page not shown');
      if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds));
      reply.header(PROBLEM_HEADER, problem.code);
      return sendMessage(request, reply, ...messageFor(problem, request));
    });

    app.get('/:token', { schema: { params: tokenParams, querystring: pageQuery } }, async (request, reply) => {
      const { tab, page: invoicePage, notice, lang } = request.query;
      const visitor = await admit(request, request.params.token);
      const { customer, returnUrl, token, config } = visitor;
      const processorDeadlineMs = PROCESSOR_DEADLINE_MS[tab === 'payment-methods' ? 'paymentMethodsTab' : 'otherTabs'];
      const billing = await describe(visitor, { invoicePage, processorDeadlineMs });
      const links = portalLinks(publicUrl, token, lang);
      const texts = textsOf(request, visitor);
      const page = { tab, invoicePage, notice, links, texts, setupKey: randomUUID(), now: now() };
      const view = { ...billing, ...page, config, customer, returnUrl, processorBaseUrl };
      return sendPage(reply, view, portalPage(view));
    });

    app.get('/preview', { schema: { querystring: draftQuery } }, async (request, reply) => {
      const { tab, draft: signed } = request.query;
      const draft = openDraft(draftKey, signed, now());
      if (!draft) throw linkExpired();
      const accepted = request.headers['accept-language'];
      const texts = textsFor(readerLanguage({ query: draft.language ?? draft.config.defaultLanguage, accepted }));
      const links = portalLinks(publicUrl, 'preview');
      const page = { tab, invoicePage: 1, notice: undefined, links, texts, setupKey: '', now: now() };
      const view = { ...(await describeSample(draft, now())), ...page, processorBaseUrl };
      return sendPage(reply, view, { ...portalPage(view), isPreview: true });
    });

    const ofSubscriptions = subscriptionPages({ ...dependencies, admit, sendPage });
    await app.register(cancelPages(dependencies, ofSubscriptions));
    await app.register(pausePages(dependencies, ofSubscriptions));
    await app.register(planPages(dependencies, ofSubscriptions));
    await app.register(billingPages(dependencies, ofSubscriptions));

    app.post(
      '/:token/payment-method',
      { schema: { params: tokenParams, querystring: paymentMethodQuery } },
      async (request, reply) => {
        const visitor = await admit(request, request.params.token);
        const { key, lang } = request.query;
        const operationKey = key && operationKeyOf(visitor, key);
        const audit = customerAuditOf(request, portalOperations.createPortalSetupSession, visitor, operationKey);
        const { language } = textsOf(request, visitor);
        const { url, cookie } = await startUpdate(visitor, { language, lang }, audit, operationKey);
        return reply.header('set-cookie', cookie).redirect(url, 303);
      },
    );

    app.get(
      '/return/:returnId',
      { schema: { params: returnParams, querystring: returnQuery } },
      async (request, reply) => {
        const token = tokenFromReturnCookie(request.headers.cookie);
        if (token === undefined) return sendMessage(request, reply, OPEN_LINK_AGAIN);
        await admit(request, token);
        const { notice, lang } = request.query;
        return reply
          .header('set-cookie', processorReturn(publicUrl, request.params.returnId).expiredCookie)
          .redirect(portalLinks(publicUrl, token, lang).tab('payment-methods', { notice }), 303);
      },
    );
  };
}

function messageFor(problem: Problem, request: FastifyRequest): [message: Message, status: number] {
  if (problem.code === 'portal_link_expired') return [LINK_EXPIRED, 404];
  if (problem.status < 500 && ![409, 422, 429].includes(problem.status)) return [NOT_FOUND, 404];
  return [request.method === 'GET' ? UNAVAILABLE : ACTION_FAILED, problem.status];
}
