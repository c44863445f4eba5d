import type { UnitOfWork } from '../api/unit-of-work.ts';

/** Returns the URL of a session's hosted page. */
export function checkoutUrl(publicUrl: string, sessionId: string): string {
  return `${publicUrl}/c/pay/${sessionId}`;
}

/** Returns the URLs of an invoice's hosted page and PDF. */
export function invoiceUrls(unit: UnitOfWork, id: string): { hosted_invoice_url: string; invoice_pdf: string } {
  const page = `${unit.publicUrl}/i/${unit.account.id}/${id}`;
  return { hosted_invoice_url: page, invoice_pdf: `${page}/pdf` };
}

/** Updates the URLs in objects of a previous process, whose port may have been different. */
export function updateHostedUrls(unit: UnitOfWork): void {
  for (const session of unit.tables['checkout.session'].newestFirst())
    if (session.url !== null)
      unit.update('checkout.session', session, { url: checkoutUrl(unit.publicUrl, session.id) });
  for (const invoice of unit.tables.invoice.newestFirst())
    if (invoice.status !== 'draft') unit.store('invoice', invoice, invoiceUrls(unit, invoice.id));
}
