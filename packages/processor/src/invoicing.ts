import type { CreatedFilter } from './created-filter.ts';
import type { InvoiceItemSnapshot } from './snapshots/invoice-item.ts';
import type { InvoicePreview } from './snapshots/invoice-preview.ts';
import type { InvoiceSnapshot } from './snapshots/invoice.ts';

type Metadata = Readonly<Record<string, string>>;

/** What an invoice bills once: a one-time price, a product at an amount of its own, or an amount alone, which may be negative. */
export type NewInvoiceLine =
  | { readonly priceId: string; readonly quantity: number }
  | {
      readonly productId: string;
      readonly unitAmount: number;
      readonly quantity: number;
      readonly description?: string | undefined;
    }
  | { readonly description: string; readonly amount: number };

/** What the amounts of an invoice beside subscriptions depend on, beside its lines. */
export interface InvoiceTerms {
  readonly customerId: string;
  readonly currency: string;
  readonly automaticTax: boolean;
  /** Without one, the discount of the customer holds. */
  readonly promotionCodeId?: string | undefined;
}

export interface NewInvoice extends InvoiceTerms {
  /** Days until it is due, when it is sent to the customer; absent when it is charged. */
  readonly daysUntilDue?: number | undefined;
  /** What it is charged to; the customer's default when absent. */
  readonly paymentMethodId?: string | undefined;
  /** All fields of the invoice; those of the customer when absent. */
  readonly invoiceFields?: readonly { readonly name: string; readonly value: string }[] | undefined;
  /** Shown above the lines. */
  readonly memo?: string | undefined;
  readonly footer?: string | undefined;
  readonly metadata: Metadata;
}

/** What a subscription's next invoice bills once. */
export interface NewInvoiceItem {
  readonly customerId: string;
  readonly subscriptionId: string;
  readonly currency: string;
  readonly line: NewInvoiceLine;
  readonly metadata: Metadata;
}

/** Invoices beside subscriptions, and what a subscription's next invoice bills once. */
export interface Invoicing {
  /**
   * Previews an invoice of some lines, with all of them, as if it were made now. What waits for the customer's next invoice is
   * left out.
   */
  previewLines(terms: InvoiceTerms, lines: readonly NewInvoiceLine[]): Promise<InvoicePreview>;
  /** Creates a draft without lines, which stays one until it is finalized; what waits for the next invoice is left out. */
  createInvoice(invoice: NewInvoice, idempotencyKey: string): Promise<InvoiceSnapshot>;
  /** Finds an invoice of a customer that an operation created, whatever has become of it since. */
  findCreatedInvoice(customerId: string, created: CreatedFilter): Promise<InvoiceSnapshot | null>;
  /** Adds lines to a draft, all of them or none. https://docs.stripe.com/api/invoices/add_lines */
  addInvoiceLines(
    id: string,
    { currency, lines }: { readonly currency: string; readonly lines: readonly NewInvoiceLine[] },
    idempotencyKey: string,
  ): Promise<InvoiceSnapshot>;
  /** Makes a draft open, or paid if nothing is due. `advances`: the processor goes on collecting it by itself. */
  finalizeInvoice(id: string, advances: boolean, idempotencyKey: string): Promise<InvoiceSnapshot>;
  /** Has an open invoice mailed to its customer. Refused unless it is sent rather than charged. */
  sendInvoice(id: string, idempotencyKey: string): Promise<InvoiceSnapshot>;
  /** Notes that an open or uncollectible invoice was paid elsewhere. */
  markInvoicePaid(id: string, idempotencyKey: string): Promise<InvoiceSnapshot>;
  /** Deletes a draft; one that is gone already is as well. Refused for any other invoice, and for the draft of a subscription. */
  deleteDraft(id: string): Promise<void>;

  createInvoiceItem(item: NewInvoiceItem, idempotencyKey: string): Promise<InvoiceItemSnapshot>;
  findCreatedInvoiceItem(customerId: string, created: CreatedFilter): Promise<InvoiceItemSnapshot | null>;
  findInvoiceItem(id: string): Promise<InvoiceItemSnapshot>;
  /** Lists what waits for the next invoice of a subscription, newest first, prorations included. */
  listPendingItems(customerId: string, subscriptionId: string): Promise<InvoiceItemSnapshot[]>;
  /** One that is gone already is as well. Refused once it is billed. */
  deleteInvoiceItem(id: string): Promise<void>;
}
