import { z } from 'zod';
import { declareOperations, success } from '../declare-operations.ts';
import { CustomerId, InvoiceId, SubscriptionId } from '../ids.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { createdQuery, pageQuery, pagination } from '../pagination.ts';
import { invoice, INVOICE_STATUSES, wholeInvoice } from '../resources/invoice.ts';
import { invoiceCreate, invoiceItem, invoicePreview, newInvoiceLine } from '../resources/invoice-create.ts';
import { booleanText, idsText, text } from '../text.ts';
import { PROMOTION_CODE_PROBLEMS } from './plan-changes.ts';
import { searchOf } from './search-of.ts';

const processorId = text(255).optional();
const read = projectAccess('subscriptions:read');
const write = projectAccess('subscriptions:write');
const INVOICES = `${PROJECT_PATH}/invoices` as const;
const INVOICE = `${INVOICES}/:invoiceId` as const;
const ITEMS = `${PROJECT_PATH}/subscriptions/:subscriptionId/invoice-items` as const;

const PROCESSOR_PROBLEMS = ['processor_not_connected', 'processor_error'] as const;
const CHANGE_PROBLEMS = ['invoice_not_found', 'invoice_not_open', ...PROCESSOR_PROBLEMS] as const;
/** What can be wrong with lines. */
const LINE_PROBLEMS = [
  'price_not_found',
  'product_not_found',
  'price_inactive',
  'product_inactive',
  'price_type_mismatch',
  'currency_mismatch',
] as const;
const NEW_PROBLEMS = [
  'customer_not_found',
  ...LINE_PROBLEMS,
  ...PROMOTION_CODE_PROBLEMS,
  'tax_location_invalid',
  'total_negative',
  ...PROCESSOR_PROBLEMS,
] as const;
const COLLECTION_PROBLEMS = ['payment_method_missing', 'payment_failed'] as const;
const UNPAID = { amountPaid: 0, amountRemaining: 2999, paidAt: null };
const OPEN = { ...UNPAID, status: 'open', subscriptionId: null, billingReason: 'manual' };

/** Invoices, of subscriptions and beside them, and what the next one of a subscription bills once. */
export const invoiceOperations = declareOperations('subscriptions', {
  listInvoices: {
    route: `GET ${INVOICES}`,
    access: read,
    summary: 'List invoices',
    query: z.strictObject({
      customerId: CustomerId.schema.optional().describe('Only invoices of this customer.'),
      subscriptionId: SubscriptionId.schema.optional().describe('Only invoices of this subscription.'),
      status: z.enum(INVOICE_STATUSES).optional().describe('Only invoices with this status.'),
      ids: idsText(InvoiceId.schema, 100)
        .optional()
        .describe('Only invoices with one of these ids, up to 100 of them with commas between them.'),
      number: text(64)
        .optional()
        .describe(
          'Only invoices whose number contains this text, in any case; begins with it, if it is shorter than 3 characters.',
        ),
      search: searchOf('invoices', '`amountDue`', ', or whose number contains it'),
      processorId: processorId.describe('Only the invoice with this id at the payment processor.'),
      ...createdQuery,
      pastDue: booleanText
        .optional()
        .describe(
          'Whether to return only open invoices that the payment processor has tried to collect, or whose due date is past.',
        ),
      ...pageQuery,
    }),
    response: z.object({ invoices: z.array(invoice), pagination }),
    example: { query: { customerId: CustomerId.example, status: 'paid' } },
  },
  getInvoice: {
    route: `GET ${INVOICE}`,
    access: read,
    summary: 'Get an invoice, with its lines',
    response: z.object({ invoice: wholeInvoice }),
    problems: ['invoice_not_found'],
  },
  voidInvoice: {
    route: `POST ${INVOICE}/void`,
    access: write,
    summary: 'Void an open or uncollectible invoice; this cannot be undone',
    response: z.object({ invoice }),
    problems: CHANGE_PROBLEMS,
    example: { response: { invoice: { ...UNPAID, status: 'void' } } },
  },
  markInvoiceUncollectible: {
    route: `POST ${INVOICE}/mark-uncollectible`,
    access: write,
    summary: 'Give up an open invoice as a bad debt; it can still be paid or voided',
    response: z.object({ invoice }),
    problems: CHANGE_PROBLEMS,
    example: { response: { invoice: { ...UNPAID, status: 'uncollectible' } } },
  },
  previewInvoice: {
    route: `POST ${INVOICES}/preview`,
    access: read,
    summary: 'Preview what an invoice costs; it changes nothing',
    body: invoiceCreate,
    response: z.object({ preview: invoicePreview }),
    problems: NEW_PROBLEMS,
  },
  createInvoice: {
    route: `POST ${INVOICES}`,
    access: write,
    summary: 'Bill something once: charge it to the saved payment method, or send an invoice',
    body: invoiceCreate,
    status: 201,
    otherStatus: 202,
    response: z.object({ invoice }),
    problems: [...NEW_PROBLEMS, 'amount_changed', ...COLLECTION_PROBLEMS],
    example: { response: { invoice: { subscriptionId: null, billingReason: 'manual' } } },
  },
  finalizeInvoice: {
    route: `POST ${INVOICE}/finalize`,
    access: write,
    summary: 'Make a draft final, and charge or send it as it was created for',
    otherStatus: 202,
    response: z.object({ invoice }),
    problems: ['invoice_not_found', 'invoice_not_draft', ...COLLECTION_PROBLEMS, ...PROCESSOR_PROBLEMS],
    example: { response: { invoice: { subscriptionId: null, billingReason: 'manual' } } },
  },
  deleteInvoice: {
    route: `DELETE ${INVOICE}`,
    access: write,
    summary: 'Delete a draft that belongs to no subscription',
    response: success,
    problems: ['invoice_not_found', 'invoice_not_draft', ...PROCESSOR_PROBLEMS],
  },
  sendInvoice: {
    route: `POST ${INVOICE}/send`,
    access: write,
    summary: 'Have the payment processor mail an open invoice again',
    response: z.object({ invoice }),
    problems: [...CHANGE_PROBLEMS, 'invoice_not_sendable'],
    example: { response: { invoice: { ...OPEN, dueDate: '2026-04-01T09:30:00.000Z' } } },
  },
  markInvoicePaid: {
    route: `POST ${INVOICE}/mark-paid`,
    access: write,
    summary: 'Note that an open or uncollectible invoice was paid elsewhere, by bank transfer for example',
    response: z.object({ invoice }),
    problems: CHANGE_PROBLEMS,
  },
  createInvoiceItem: {
    route: `POST ${ITEMS}`,
    access: write,
    summary: 'Bill something once with the next invoice of a subscription',
    body: newInvoiceLine,
    status: 201,
    response: z.object({ invoiceItem }),
    problems: ['subscription_not_found', 'subscription_ended', ...LINE_PROBLEMS, ...PROCESSOR_PROBLEMS],
  },
  listInvoiceItems: {
    route: `GET ${ITEMS}`,
    access: read,
    summary: 'List what waits for the next invoice of a subscription, as the payment processor has it now',
    response: z.object({ invoiceItems: z.array(invoiceItem) }),
    problems: ['subscription_not_found', ...PROCESSOR_PROBLEMS],
  },
  deleteInvoiceItem: {
    route: `DELETE ${ITEMS}/:itemId`,
    access: write,
    summary: 'Take back what waits for the next invoice of a subscription',
    response: success,
    problems: ['subscription_not_found', 'invoice_item_not_found', 'invoice_item_billed', ...PROCESSOR_PROBLEMS],
  },
});
