import { z } from 'zod';
import { declareOperations } from '../declare-operations.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { pageQuery, pagination } from '../pagination.ts';
import { DUNNING_STATUSES, dunningCase, dunningTotals } from '../resources/dunning.ts';
import { invoice } from '../resources/invoice.ts';
import { givenTime } from '../timestamp.ts';

/** Payments that failed: which, since when, and what became of them. */
export const dunningOperations = declareOperations('subscriptions', {
  listDunningCases: {
    route: `GET ${PROJECT_PATH}/dunning`,
    access: projectAccess('subscriptions:read'),
    summary: 'List invoices of subscriptions whose payment failed, the newest failure first',
    query: z.strictObject({
      status: z.enum(DUNNING_STATUSES).optional().describe('Only cases with this status.'),
      since: givenTime.optional().describe('Only cases that failed first at this time or later.'),
      until: givenTime.optional().describe('Only cases that failed first before this time.'),
      ...pageQuery,
    }),
    response: z.object({ cases: z.array(dunningCase), totals: dunningTotals, pagination }),
    example: { query: { status: 'recovering' } },
  },
  retryInvoice: {
    route: `POST ${PROJECT_PATH}/invoices/:invoiceId/retry`,
    access: projectAccess('subscriptions:write'),
    summary: 'Try to collect an open invoice now',
    response: z.object({ invoice }),
    problems: ['invoice_not_found', 'invoice_not_open', 'payment_failed', 'processor_not_connected', 'processor_error'],
  },
});
