import { SubscriptionId } from '@billing/contracts/ids';
import { notFound, Problem } from '@billing/contracts/problem';
import { toProblem } from '@billing/service/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { NOTICES, portalLinks, TABS, type Notice } from '#domain/links.ts';
import { canCancel } from '#domain/subscription-view.ts';
import { returningToken, wayBack } from '#domain/way-back.ts';
import { readerLocale } from '#format/reader-locale.ts';
import { admit, type Visitor } from '#operations/admit.ts';
import { customerBilling, describeBilling } from '#operations/describe-billing.ts';
import { scheduleCancellation } from '#operations/schedule-cancellation.ts';
import { startPaymentUpdate } from '#operations/start-payment-update.ts';
import type { Assets } from '#page/assets.ts';
import { confirmationContent } from '#page/confirmation-page.ts';
import { document } from '#page/document.ts';
import { contentSecurityPolicy, createNonce } from '#page/headers.ts';
import type { Html } from '#page/html.ts';
import {
  ACTION_FAILED,
  LINK_EXPIRED,
  messageContent,
  NOT_FOUND,
  OPEN_LINK_AGAIN,
  UNAVAILABLE,
  type Message,
} from '#page/message-page.ts';
import { portalContent, portalFooter, portalHeader } from '#page/portal-page.ts';
import type { Dependencies } from '../app.ts';

/** How long the page waits for the payment method: longer when that is what was asked for, in milliseconds. */
const PROCESSOR_DEADLINE_MS = { asked: 4_000, besides: 1_500 };

/** Whatever the address says that is not understood counts as not said. */
const pageQuery = z.object({
  tab: z.enum(TABS).catch('subscriptions'),
  page: z.coerce.number().int().min(1).max(10_000).catch(1),
  notice: z.enum(NOTICES).optional().catch(undefined),
});
const returnQuery = pageQuery.pick({ notice: true });
const returnParams = z.object({ returnId: z.string() });
const tokenParams = z.object({ token: z.string() });
const subscriptionParams = tokenParams.extend({ subscriptionId: SubscriptionId.schema });

interface Page {
  readonly title: string;
  readonly content: Html;
  readonly header?: Html;
  readonly footer?: Html;
  readonly status?: number;
}

/** The page, and what its forms do in a browser without script. Every answer is a page, or leads to one. */
export function portalPages(dependencies: Dependencies, assets: Assets): FastifyPluginAsyncZod {
  const { database, rpc, publicUrl, processorBaseUrl } = dependencies;
  const admitToken = admit({ em: database.em, rpc });
  const describe = describeBilling(dependencies);
  const schedule = scheduleCancellation(dependencies);
  const startUpdate = startPaymentUpdate(dependencies);

  const send = async (reply: FastifyReply, { status = 200, ...page }: Page) => {
    const nonce = createNonce();
    const answer = String(await document({ ...page, nonce, assets }));
    return reply
      .code(status)
      .type('text/html; charset=utf-8')
      .header('content-security-policy', contentSecurityPolicy(nonce, processorBaseUrl))
      .send(answer);
  };
  const say = (reply: FastifyReply, status: number, message: Message) =>
    send(reply, { status, title: message.title, content: messageContent(message) });

  const change = async (visitor: Visitor, id: SubscriptionId, cancelAtPeriodEnd: boolean): Promise<Notice> => {
    try {
      await schedule(visitor, id, cancelAtPeriodEnd);
      return cancelAtPeriodEnd ? 'cancel-scheduled' : 'resumed';
    } catch (err) {
      if (err instanceof Problem && err.code === 'subscription_ended') return 'already-ended';
      throw err;
    }
  };

  return async app => {
    // The page's forms have no fields: what they send is let pass unread.
    app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, _body, done) =>
      done(null, undefined),
    );
    app.setNotFoundHandler((_request, reply) => say(reply, 404, NOT_FOUND));
    app.setErrorHandler<Error>((error, request, reply) => {
      const problem = toProblem(error);
      if (problem.kind === 'unauthorized') throw error; // not a customer: someone came past the gateway
      if (problem.status >= 500) request.log.warn({ err: error }, 'page not shown');
      if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds));
      return say(reply, ...messageFor(problem, request));
    });

    app.get('/:token', { schema: { params: tokenParams, querystring: pageQuery } }, async (request, reply) => {
      const { tab, page: invoicePage, notice } = request.query;
      const visitor = await admitToken(request.params.token);
      const { customer, returnUrl, token } = visitor;
      const deadline = PROCESSOR_DEADLINE_MS[tab === 'payment-methods' ? 'asked' : 'besides'];
      const billing = await describe(visitor, { invoicePage, processorDeadlineMs: deadline });
      const links = portalLinks(publicUrl, token);
      const locale = localeOf(request);
      const page = { tab, invoicePage, notice, links, locale, now: new Date() };
      const view = { ...billing, ...page, customer, returnUrl, processorBaseUrl };
      return send(reply, {
        title: `Billing – ${billing.projectName ?? customer.email}`,
        header: portalHeader(view),
        content: portalContent(view),
        footer: portalFooter,
      });
    });

    app.get(
      '/:token/subscriptions/:subscriptionId/cancel',
      { schema: { params: subscriptionParams } },
      async (request, reply) => {
        const { token, subscriptionId } = request.params;
        const visitor = await admitToken(token);
        const { subscriptions } = await customerBilling(rpc, visitor);
        const subscription = subscriptions.find(it => it.id === subscriptionId);
        if (!subscription) throw notFound('subscription');
        const links = portalLinks(publicUrl, token);
        if (!canCancel(subscription)) return reply.redirect(links.tab('subscriptions'), 303);
        const content = confirmationContent(subscription, links, localeOf(request));
        return send(reply, { title: 'Cancel your subscription?', content, footer: portalFooter });
      },
    );

    for (const [action, cancelAtPeriodEnd] of [
      ['cancel', true],
      ['resume', false],
    ] as const) {
      app.post(
        `/:token/subscriptions/:subscriptionId/${action}`,
        { schema: { params: subscriptionParams } },
        async (request, reply) => {
          const { token, subscriptionId } = request.params;
          const notice = await change(await admitToken(token), subscriptionId, cancelAtPeriodEnd);
          return reply.redirect(portalLinks(publicUrl, token).tab('subscriptions', { notice }), 303);
        },
      );
    }

    app.post('/:token/payment-method', { schema: { params: tokenParams } }, async (request, reply) => {
      const { url, cookie } = await startUpdate(await admitToken(request.params.token));
      return reply.header('set-cookie', cookie).redirect(url, 303);
    });

    app.get(
      '/return/:returnId',
      { schema: { params: returnParams, querystring: returnQuery } },
      async (request, reply) => {
        const { notice } = request.query;
        const token = returningToken(request.headers.cookie);
        if (token === undefined) return say(reply, 200, OPEN_LINK_AGAIN);
        await admitToken(token);
        return reply
          .header('set-cookie', wayBack(publicUrl, request.params.returnId).cookieUsedUp)
          .redirect(portalLinks(publicUrl, token).tab('payment-methods', { ...(notice && { notice }) }), 303);
      },
    );
  };
}

const localeOf = (request: FastifyRequest): string => readerLocale(request.headers['accept-language']);

function messageFor(problem: Problem, request: FastifyRequest): [status: number, message: Message] {
  if (problem.code === 'portal_link_expired') return [404, LINK_EXPIRED];
  if (problem.status < 500 && problem.status !== 409 && problem.status !== 422) return [404, NOT_FOUND];
  return [problem.status, request.method === 'GET' ? UNAVAILABLE : ACTION_FAILED];
}
