import { formatAmount } from '../domain/money.ts';
import type { Invoice } from '../objects/stored.ts';
import { type Html, html } from './html.ts';

/** Returns the hosted page of an invoice. */
export function invoicePage(invoice: Invoice): { title: string; body: Html } {
  const title = `Invoice ${invoice.number ?? 'draft'}`;
  const { currency } = invoice;
  const body = html`
    <h1>${title}</h1>
    <p class="total">${formatAmount(invoice.total, currency)}</p>
    <p class="soft">
      ${invoice.status ?? 'draft'},
      ${day(invoice.created)}${invoice.customer_email === null ? null : `, for ${invoice.customer_email}`}
    </p>
    <ul>
      ${invoice.lines.data.map(line => html`<li><span>${line.description}</span><span>${formatAmount(line.amount, currency)}</span></li>`)}
      <li><span>Credit used</span><span>${formatAmount(invoice.total - invoice.amount_due, currency)}</span></li>
      <li><strong>Amount due</strong><strong>${formatAmount(invoice.amount_due, currency)}</strong></li>
    </ul>
    <p class="back"><a href="${invoice.invoice_pdf ?? ''}">Download PDF</a></p>
  `;
  return { title, body };
}

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
