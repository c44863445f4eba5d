import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { z } from 'zod';
import { completeSession, declineSession } from '../billing/checkout.ts';
import type { Processor } from '../processor.ts';
import type { Account } from '../store/account.ts';
import { checkoutPage, closedPage, missingPage } from './checkout-page.ts';
import { invoicePage, invoicePdf } from './invoice-page.ts';
import { sendPage } from './layout.ts';

const action = z.object({ action: z.enum(['pay', 'decline']) });
const sessionPath = z.object({ id: z.string() });
const invoicePath = z.object({ account: z.string(), id: z.string() });

/** The hosted pages of checkouts and invoices. They need no JavaScript and no key. */
export function pageRoutes(processor: Processor): FastifyPluginAsync {
  return async app => {
    app.get('/c/pay/:id', async (request, reply) => {
      const { id } = sessionPath.parse(request.params);
      return showSession(processor, id, reply);
    });

    app.post('/c/pay/:id', async (request, reply) => {
      const { id } = sessionPath.parse(request.params);
      const chosen = action.safeParse(request.body);
      const account = accountOfSession(processor, id);
      const session = account?.tables['checkout.session'].get(id);
      if (!account || session?.status !== 'open') return showSession(processor, id, reply);
      if (!chosen.success) return showSession(processor, id, reply, 400);
      if (chosen.data.action === 'decline') {
        processor.run(account, unit => declineSession(unit, id));
        return showSession(processor, id, reply, 402);
      }
      processor.run(account, unit => completeSession(unit, id));
      const target = (session.success_url ?? '').replaceAll('{CHECKOUT_SESSION_ID}', id);
      return reply.code(303).header('location', target).header('cache-control', 'no-store').send();
    });

    app.get('/i/:account/:id', async (request, reply) => {
      const invoice = findInvoice(processor, request.params);
      const { title, body } = invoice ? invoicePage(invoice) : missingPage();
      return sendPage(reply, invoice ? 200 : 404, title, body);
    });

    app.get('/i/:account/:id/pdf', async (request, reply) => {
      const invoice = findInvoice(processor, request.params);
      if (!invoice) {
        const { title, body } = missingPage();
        return sendPage(reply, 404, title, body);
      }
      const file = `Invoice-${(invoice.number ?? invoice.id).replaceAll(/[^\w-]/g, '')}.pdf`;
      return reply
        .header('content-type', 'application/pdf')
        .header('content-disposition', `attachment; filename="${file}"`)
        .header('cache-control', 'no-store')
        .send(await invoicePdf(invoice));
    });
  };
}

function showSession(processor: Processor, id: string, reply: FastifyReply, openStatus = 200): FastifyReply {
  const account = accountOfSession(processor, id);
  const session = account?.tables['checkout.session'].get(id);
  const plan = account?.tables.checkout_plan.get(id);
  if (!account || !session || !plan) {
    const { title, body } = missingPage();
    return sendPage(reply, 404, title, body);
  }
  const open = session.status === 'open';
  const { title, body } = open
    ? processor.run(account, unit => checkoutPage(unit, session, plan))
    : closedPage(session);
  return sendPage(reply, open ? openStatus : 410, title, body);
}

/** Returns the account of a session. The session's id is the secret that gives access to its page. */
function accountOfSession(processor: Processor, id: string): Account | undefined {
  return processor.accounts.all().find(account => account.tables['checkout.session'].get(id) !== undefined);
}

function findInvoice(processor: Processor, params: unknown) {
  const { account, id } = invoicePath.parse(params);
  return processor.accounts.find(account)?.tables.invoice.get(id);
}
