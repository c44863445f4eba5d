import { html } from 'hono/html';
import type { InvoiceStatus } from '@billing/contracts/resources/invoice';
import { processorLink } from '#domain/processor-link.ts';
import { formatMoney } from '#format/money.ts';
import { INVOICES_PER_PAGE } from '#operations/describe-billing.ts';
import { day } from './date.ts';
import type { Html } from './html.ts';
import { DOWNLOAD } from './icons.ts';
import type { PortalView, ShownInvoice } from './view.ts';

interface Standing {
  readonly words: string;
  readonly tone: string;
}
const OPEN: Standing = { words: 'Open', tone: 'urgent' };
/** To a customer an invoice nobody expects to be paid is still open. */
const STANDINGS: Readonly<Record<InvoiceStatus, Standing>> = {
  draft: { words: 'Draft', tone: '' },
  open: OPEN,
  uncollectible: OPEN,
  paid: { words: 'Paid', tone: 'good' },
  void: { words: 'Void', tone: '' },
};

/** One page of invoices, newest first. The roles keep it a table where the style lays it out otherwise. */
export function invoicesPanel(view: PortalView): Html {
  const { invoices, invoicePage } = view;
  if (invoices.length === 0 && invoicePage === 1)
    return html`<div class="card empty">
      <h3>No invoices yet</h3>
      <p>They are listed here as soon as there is one.</p>
    </div>`;
  return html`<table class="invoices" role="table">
      <thead role="rowgroup">
        <tr role="row">
          ${['Date', 'Number', 'Amount', 'Status', 'Document'].map(name => html`<th role="columnheader">${name}</th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${invoices.map(it => row(it, view))}
      </tbody>
    </table>
    ${pages(view)}`;
}

function row(invoice: ShownInvoice, { locale, processorBaseUrl }: PortalView): Html {
  const { status, amountDue, currency, createdAt } = invoice;
  const { words, tone } = STANDINGS[status];
  const number = invoice.number ?? 'Without number';
  const pdf = processorLink(invoice.invoicePdfUrl, processorBaseUrl);
  const payment = words === OPEN.words ? processorLink(invoice.hostedInvoiceUrl, processorBaseUrl) : null;
  return html`<tr role="row">
    <td role="cell" class="date">${day(createdAt, locale)}</td>
    <td role="cell" class="number"><bdi>${number}</bdi></td>
    <td role="cell" class="amount">${formatMoney(amountDue, currency, locale)}</td>
    <td role="cell" class="standing"><span class="status ${tone}">${words}</span></td>
    <td role="cell" class="links">
      ${payment && html`<a href="${payment}" rel="noreferrer">Pay<span class="unseen"> ${number}</span></a>`}
      ${pdf && html`<a href="${pdf}" rel="noreferrer">${DOWNLOAD}PDF<span class="unseen"> of ${number}</span></a>`}
    </td>
  </tr>`;
}

function pages({ links, invoicePage, invoiceTotal }: PortalView): Html | false {
  const last = Math.max(1, Math.ceil(invoiceTotal / INVOICES_PER_PAGE));
  if (last === 1 && invoicePage === 1) return false;
  const to = (page: number) => links.tab('invoices', { page });
  return html`<nav class="pages" aria-label="Pages of invoices">
    ${invoicePage > 1 && html`<a class="button quiet" href="${to(Math.min(invoicePage - 1, last))}" rel="prev">Newer</a>`}
    <span class="soft">Page ${invoicePage} of ${last}</span>
    ${invoicePage < last && html`<a class="button quiet" href="${to(invoicePage + 1)}" rel="next">Older</a>`}
  </nav>`;
}
