import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../api/errors.ts';
import { enterCode } from '../billing/checkout-discounts.ts';
import { completeSession, declineSession } from '../billing/checkout.ts';
import { cardToConfirm, isPayable, payOnPage } from '../billing/pay-invoice.ts';
import { nextTestCard } from '../objects/payment-method.ts';
import type { CheckoutSession, Invoice } from '../objects/stored.ts';
import type { Processor } from '../processor.ts';
import type { Account } from '../store/account.ts';
import { checkoutPage, closedPage, MISSING } from './checkout-page.ts';
import { invoicePage, invoicePdf } from './invoice-page.ts';
import { sendPage } from './layout.ts';
import { STRIPE_JS } from './stripe-js.ts';

const action = z.object({ action: z.enum(['pay', 'decline']) });
const codeAction = z.object({ action: z.literal('code'), code: z.string() });
const invoiceAction = z.object({ action: z.enum(['pay', 'decline', 'confirm']) });
const sessionPath = z.object({ access: z.string() });
const invoicePath = z.object({ account: z.string(), id: z.string() });

/** The hosted pages of checkouts and invoices. They need no JavaScript and no key. */
export function pageRoutes(processor: Processor): FastifyPluginAsync {
  return async app => {
    app.get('/stripe.js', async (_request, reply) => reply.type('text/javascript; charset=utf-8').send(STRIPE_JS));

    app.get('/c/pay/:access', async (request, reply) =>
      showSession(processor, sessionPath.parse(request.params).access, reply),
    );

    app.post('/c/pay/:access', async (request, reply) => {
      const { access } = sessionPath.parse(request.params);
      const chosen = action.safeParse(request.body);
      const { account, session } = findSession(processor, access) ?? {};
      if (!account || session?.status !== 'open') return showSession(processor, access, reply);
      const { id } = session;
      const code = codeAction.safeParse(request.body);
      if (code.success) return enterCodeOf(processor, access, code.data.code, reply);
      if (!chosen.success) return showSession(processor, access, reply, 400);
      if (chosen.data.action === 'decline') {
        processor.run(account, unit => declineSession(unit, id));
        return showSession(processor, access, reply, 402);
      }
      processor.run(account, unit => completeSession(unit, id));
      const target = (session.success_url ?? session.return_url ?? '').replaceAll('{CHECKOUT_SESSION_ID}', id);
      return redirect(reply, target);
    });

    app.get('/i/:account/:id', async (request, reply) => showInvoice(processor, request.params, reply));

    app.post('/i/:account/:id', async (request, reply) => {
      const chosen = invoiceAction.safeParse(request.body);
      const found = findInvoice(processor, request.params);
      if (!found || !chosen.success) return showInvoice(processor, request.params, reply, { status: 400 });
      const { account, invoice } = found;
      const isOpen = isPayable(invoice);
      const { action: outcome } = chosen.data;
      processor.run(account, unit => payOnPage(unit, invoice, outcome));
      if (isOpen && outcome === 'decline')
        return showInvoice(processor, request.params, reply, { status: 402, wasDeclined: true });
      return redirect(reply, request.url);
    });

    app.get('/i/:account/:id/pdf', async (request, reply) => {
      const invoice = findInvoice(processor, request.params)?.invoice;
      if (!invoice) return sendPage(reply, 404, MISSING);
      const file = `Invoice-${(invoice.number ?? invoice.id).replaceAll(/[^\w-]/g, '')}.pdf`;
      return reply
        .header('content-type', 'application/pdf')
        .header('content-disposition', `attachment; filename="${file}"`)
        .header('cache-control', 'no-store')
        .send(await invoicePdf(invoice));
    });
  };
}

const redirect = (reply: FastifyReply, target: string): FastifyReply =>
  reply.code(303).header('location', target).header('cache-control', 'no-store').send();

/** Applies a promotion code to an open session, and shows its page again. */
function enterCodeOf(processor: Processor, access: string, code: string, reply: FastifyReply) {
  const { account, session } = findSession(processor, access) ?? {};
  const plan = session && account?.tables.checkout_plan.get(session.id);
  try {
    if (account && plan) processor.run(account, unit => enterCode(unit, session, plan, code));
  } catch (error) {
    if (error instanceof ApiError) return showSession(processor, access, reply, 400, error.message);
    throw error;
  }
  return redirect(reply, `/c/pay/${access}`);
}

function showSession(
  processor: Processor,
  access: string,
  reply: FastifyReply,
  openStatus = 200,
  codeProblem: string | null = null,
): FastifyReply {
  const { account, session } = findSession(processor, access) ?? {};
  const plan = session && account?.tables.checkout_plan.get(session.id);
  if (!account || !plan) return sendPage(reply, 404, MISSING);
  const isEmbedded = session.client_secret !== null;
  if (session.status !== 'open') return sendPage(reply, 410, closedPage(session), isEmbedded);
  const page = processor.run(account, unit => checkoutPage(unit, session, plan, codeProblem));
  return sendPage(reply, openStatus, page, isEmbedded);
}

/** Finds a session by what gives access to its page: the client secret of an embedded one, else the id. */
function findSession(processor: Processor, access: string): { account: Account; session: CheckoutSession } | undefined {
  const [id = ''] = access.split('_secret_');
  for (const account of processor.accounts.all()) {
    const session = account.tables['checkout.session'].get(id);
    if (session && access === (session.client_secret ?? session.id)) return { account, session };
  }
  return undefined;
}

function showInvoice(
  processor: Processor,
  params: unknown,
  reply: FastifyReply,
  { status = 200, wasDeclined = false }: { status?: number; wasDeclined?: boolean } = {},
): FastifyReply {
  const found = findInvoice(processor, params);
  if (!found) return sendPage(reply, 404, MISSING);
  const { account, invoice } = found;
  const { card, toConfirm } = processor.run(account, unit => ({
    card: nextTestCard(unit, invoice.customer),
    toConfirm: cardToConfirm(unit, invoice)?.card?.last4 ?? null,
  }));
  return sendPage(reply, status, invoicePage(invoice, { card, toConfirm, wasDeclined }));
}

/** Finds an invoice by its account and its id, which together are the secret that gives access to its page. */
function findInvoice(processor: Processor, params: unknown): { account: Account; invoice: Invoice } | undefined {
  const { account: accountId, id } = invoicePath.parse(params);
  const account = processor.accounts.find(accountId);
  const invoice = account?.tables.invoice.get(id);
  return account && invoice && { account, invoice };
}
