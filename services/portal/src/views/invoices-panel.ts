import { html } from 'hono/html';
import { formatMoney } from '@billing/contracts/money-format';
import type { InvoiceStatus } from '@billing/contracts/resources/invoice';
import { processorLink } from '#domain/processor-link.ts';
import type { StatusLabel } from '#domain/subscription-status.ts';
import { INVOICES_PER_PAGE } from '#operations/find-customer-billing.ts';
import { timeElement, type Html } from './html.ts';
import { DOWNLOAD } from './icons.ts';
import type { PortalView, ShownInvoice } from './portal-view.ts';

const OPEN: StatusLabel = { text: 'Open', tone: 'urgent' };
/** Customers see uncollectible invoices as open, because they can still pay them. */
const LABELS: Readonly<Record<InvoiceStatus, StatusLabel>> = {
  draft: { text: 'Draft', tone: 'neutral' },
  open: OPEN,
  uncollectible: OPEN,
  paid: { text: 'Paid', tone: 'good' },
  void: { text: 'Void', tone: 'neutral' },
};

/** Returns whether the customer can still pay an invoice. */
export const isPayable = ({ status }: ShownInvoice): boolean => LABELS[status] === OPEN;

/** Returns one page of invoices, newest first. The roles keep it a table for screen readers on narrow screens. */
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
  const label = LABELS[status];
  const number = invoice.number ?? 'Without number';
  const pdf = processorLink(invoice.invoicePdfUrl, processorBaseUrl);
  const payment = isPayable(invoice) ? processorLink(invoice.hostedInvoiceUrl, processorBaseUrl) : null;
  return html`<tr role="row">
    <td role="cell" class="date">${timeElement(createdAt, locale)}</td>
    <td role="cell" class="number"><bdi>${number}</bdi></td>
    <td role="cell" class="amount">${formatMoney(amountDue, currency, locale)}</td>
    <td role="cell" class="state"><span class="status ${label.tone}">${label.text}</span></td>
    <td role="cell" class="links">
      ${payment && html`<a href="${payment}" rel="noreferrer">Pay<span class="visually-hidden"> ${number}</span></a>`}
      ${pdf && html`<a href="${pdf}" rel="noreferrer">${DOWNLOAD}PDF<span class="visually-hidden"> of ${number}</span></a>`}
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
