import { html } from 'hono/html';
import { formatMoney } from '@billing/contracts/money-format';
import type { InvoiceStatus } from '@billing/contracts/resources/invoice';
import { processorLink } from '#domain/processor-link.ts';
import type { StatusLabel } from './subscription-label.ts';
import { INVOICES_PER_PAGE } from '#operations/find-customer-billing.ts';
import { timeElement, type Html } from './html.ts';
import { DOWNLOAD } from './icons.ts';
import type { PortalView, ShownInvoice } from './portal-view.ts';

const OPEN: StatusLabel = { text: 'invoiceOpen', tone: 'urgent' };
/** Customers see uncollectible invoices as open, because they can still pay them. */
const LABELS: Readonly<Record<InvoiceStatus, StatusLabel>> = {
  draft: { text: 'invoiceDraft', tone: 'neutral' },
  open: OPEN,
  uncollectible: OPEN,
  paid: { text: 'invoicePaid', tone: 'good' },
  void: { text: 'invoiceVoid', tone: 'neutral' },
};

/** Returns whether the customer can still pay an invoice. */
const isPayable = ({ status }: ShownInvoice): boolean => LABELS[status] === OPEN;

/** Returns one page of invoices, newest first. The roles keep it a table for screen readers on narrow screens. */
export function invoicesPanel(view: PortalView): Html {
  const { invoices, invoicePage, texts } = view;
  if (invoices.length === 0 && invoicePage === 1)
    return html`<div class="card empty">
      <h3>${texts.text('noInvoices')}</h3>
      <p>${texts.text('invoicesComeHere')}</p>
    </div>`;
  return html`<table class="invoices" role="table">
      <thead role="rowgroup">
        <tr role="row">
          ${COLUMNS.map(name => html`<th role="columnheader">${texts.text(name)}</th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${invoices.map(it => row(it, view))}
      </tbody>
    </table>
    ${pages(view)}`;
}

const COLUMNS = ['date', 'number', 'amount', 'status', 'document'] as const;

function row(invoice: ShownInvoice, { texts, processorBaseUrl }: PortalView): Html {
  const { locale } = texts;
  const { status, amountDue, currency, createdAt, dueDate } = invoice;
  const tax = invoice.tax ?? 0;
  const label = LABELS[status];
  const number = html`<bdi>${invoice.number ?? texts.text('withoutNumber')}</bdi>`;
  const pdf = processorLink(invoice.invoicePdfUrl, processorBaseUrl);
  const payment = isPayable(invoice) ? processorLink(invoice.hostedInvoiceUrl, processorBaseUrl) : null;
  return html`<tr role="row">
    <td role="cell" class="date">${timeElement(createdAt, locale)}</td>
    <td role="cell" class="number">${number}</td>
    <td role="cell" class="amount">
      ${formatMoney(amountDue, currency, locale)}
      ${tax !== 0 && html`<div class="soft">${texts.text('includingTax', { tax: formatMoney(tax, currency, locale) })}</div>`}
    </td>
    <td role="cell" class="state">
      <span class="status ${label.tone}">${texts.text(label.text)}</span>
      ${isPayable(invoice) && dueDate && html`<div class="soft">${texts.html('dueOn', { date: timeElement(dueDate, locale) })}</div>`}
    </td>
    <td role="cell" class="links">
      ${payment && html`<a href="${payment}" rel="noreferrer">${texts.html('pay', { number })}</a>`}
      ${pdf && html`<a href="${pdf}" rel="noreferrer">${DOWNLOAD}${texts.html('pdf', { number })}</a>`}
    </td>
  </tr>`;
}

function pages({ links, invoicePage, invoiceTotal, texts }: PortalView): Html | false {
  const last = Math.max(1, Math.ceil(invoiceTotal / INVOICES_PER_PAGE));
  if (last === 1 && invoicePage === 1) return false;
  const to = (page: number) => links.tab('invoices', { page });
  return html`<nav class="pages" aria-label="${texts.text('pagesOfInvoices')}">
    ${invoicePage > 1 && html`<a class="button quiet" href="${to(Math.min(invoicePage - 1, last))}" rel="prev">${texts.text('newer')}</a>`}
    <span class="soft">${texts.text('pageOf', { page: invoicePage, last })}</span>
    ${invoicePage < last && html`<a class="button quiet" href="${to(invoicePage + 1)}" rel="next">${texts.text('older')}</a>`}
  </nav>`;
}
