import { isPayable } from '../billing/pay-invoice.ts';
import { formatAmount } from '../domain/money.ts';
import type { TestCard } from '../objects/payment-method.ts';
import type { Invoice } from '../objects/stored.ts';
import { type Html, html, type Page } from './html.ts';

/**
 * Returns the hosted page of an invoice, on which one that is not paid can be. `card` is the test card that pays; `toConfirm`
 * are the last digits of the card whose bank waits for the customer.
 */
export function invoicePage(
  invoice: Invoice,
  { card, toConfirm, wasDeclined = false }: { card: TestCard; toConfirm: string | null; wasDeclined?: boolean },
): Page {
  const title = `Invoice ${invoice.number ?? 'draft'}`;
  const { currency } = invoice;
  const used = invoice.total - invoice.amount_due;
  const off = sumOf(invoice.total_discount_amounts ?? []);
  const tax = sumOf((invoice.total_taxes ?? []).filter(({ tax_behavior: behavior }) => behavior === 'exclusive'));
  // A negative total, or one below the least charge, goes to the balance.
  const isCarried = used < 0 || (invoice.ending_balance ?? 0) > 0;
  const payment = html`
    <p class="card">Test card: ${card.label} <span aria-hidden="true">••••</span> ${card.last4}</p>
    <form method="post">
      <button name="action" value="pay">Pay ${formatAmount(invoice.amount_remaining, currency)}</button>
      <button class="second" name="action" value="decline">Decline</button>
    </form>
  `;
  const body = html`
    <h1>${title}</h1>
    ${wasDeclined ? html`<p class="alert" role="alert">Your card was declined. You can try again.</p>` : null}
    <p class="total">${formatAmount(invoice.total, currency)}</p>
    <p class="soft">
      ${invoice.status ?? 'draft'},
      ${day(invoice.created)}${invoice.customer_email === null ? null : `, for ${invoice.customer_email}`}
    </p>
    <ul>
      ${invoice.lines.data.map(line => html`<li><span>${line.description}</span><span>${formatAmount(line.amount, currency)}</span></li>`)}
      ${off === 0 ? null : html`<li><span>Discount</span><span>${formatAmount(0 - off, currency)}</span></li>`}
      ${tax === 0 ? null : html`<li><span>Tax</span><span>${formatAmount(tax, currency)}</span></li>`}
      ${used === 0 ? null : html`<li><span>${isCarried ? 'Carried over' : 'Credit used'}</span><span>${formatAmount(used, currency)}</span></li>`}
      <li><strong>Amount due</strong><strong>${formatAmount(invoice.amount_due, currency)}</strong></li>
      ${invoice.amount_paid === 0 ? null : html`<li><span>Amount paid</span><span>${formatAmount(invoice.amount_paid, currency)}</span></li>`}
    </ul>
    ${toConfirm === null ? null : confirmation(toConfirm)} ${isPayable(invoice) ? payment : null}
    <p class="back"><a href="${invoice.invoice_pdf ?? ''}">Download PDF</a></p>
  `;
  return { title, body };
}

/** The step in which the customer confirms a payment to the bank. */
const confirmation = (last4: string): Html => html`
  <p class="card">
    The bank wants you to confirm the payment with the card <span aria-hidden="true">••••</span> ${last4}.
  </p>
  <form method="post"><button name="action" value="confirm">Confirm with the bank</button></form>
`;

/** Returns the invoice as a PDF. */
export async function invoicePdf(invoice: Invoice): Promise<Buffer> {
  // Loaded when somebody downloads one: it takes long, and a start should not.
  const { default: PDFDocument } = await import('pdfkit');
  const document = new PDFDocument({
    size: 'A4',
    margin: 56,
    info: { Title: `Invoice ${invoice.number ?? invoice.id}` },
  });
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  document.once('end', () => resolve(Buffer.concat(chunks)));
  document.once('error', reject);
  document.fontSize(22).text('Invoice').moveDown(0.5).fontSize(11);
  const fields: [string, string][] = [
    ['Number', invoice.number ?? 'draft'],
    ['Date', day(invoice.created)],
    ['Status', invoice.status ?? 'draft'],
    ['Customer', [invoice.customer_name, invoice.customer_email].filter(Boolean).join(', ') || 'Guest'],
  ];
  for (const [label, value] of fields) document.text(`${label}: ${value}`);
  document.moveDown();
  for (const line of invoice.lines.data)
    document.text(`${line.description ?? ''}: ${formatAmount(line.amount, invoice.currency)}`);
  document.moveDown();
  document.text(`Total: ${formatAmount(invoice.total, invoice.currency)}`);
  document.text(`Amount due: ${formatAmount(invoice.amount_due, invoice.currency)}`);
  document.text(`Amount paid: ${formatAmount(invoice.amount_paid, invoice.currency)}`);
  document.end();
  return promise;
}

function day(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

const sumOf = (amounts: readonly { amount: number }[]): number => amounts.reduce((sum, { amount }) => sum + amount, 0);
