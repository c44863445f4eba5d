import { z } from 'zod';
import { declareOperations, success } from '../declare-operations.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { createdQuery, pageQuery, pagination } from '../pagination.ts';
import { billingDetails, billingDetailsUpdate } from '../resources/billing-details.ts';
import {
  customer,
  customerCreate,
  customerFilter,
  customerIds,
  customerSearch,
  customerUpdate,
} from '../resources/customer.ts';
import { text } from '../text.ts';

const read = projectAccess('customers:read');
const write = projectAccess('customers:write');
const path = `${PROJECT_PATH}/customers/:customerId` as const;
const details = `${path}/billing-details` as const;

export const customersOperations = declareOperations('customers', {
  listCustomers: {
    route: `GET ${PROJECT_PATH}/customers`,
    access: read,
    summary:
      'List customers; with `email` or `externalId`, the one that has it; with `search`, those that contain it; with `ids`, those of them that exist',
    query: z.strictObject({
      ...customerFilter.shape,
      ids: customerIds,
      search: customerSearch,
      processorId: text(255).optional().describe('Only the customer with this id at the payment processor.'),
      ...createdQuery,
      ...pageQuery,
    }),
    response: z.object({ customers: z.array(customer), pagination }),
    example: { query: { limit: '50', offset: '0' } },
  },
  createCustomer: {
    route: `POST ${PROJECT_PATH}/customers`,
    access: write,
    summary: 'Create a customer here, linked to the payment processor’s customer with this email, or to a new one',
    body: customerCreate,
    status: 201,
    response: z.object({ customer }),
    problems: [
      'customer_email_taken',
      'customer_external_id_taken',
      'test_clock_not_found',
      'test_clock_advancing',
      'quota_exceeded',
      'processor_not_connected',
      'processor_error',
    ],
  },
  getCustomer: {
    route: `GET ${path}`,
    access: read,
    summary: 'Get a customer',
    response: z.object({ customer }),
    problems: ['customer_not_found'],
  },
  updateCustomer: {
    route: `PATCH ${path}`,
    access: write,
    summary: 'Update a customer here and at the payment processor; metadata is replaced as a whole',
    body: customerUpdate,
    response: z.object({ customer }),
    problems: [
      'customer_not_found',
      'customer_email_taken',
      'customer_external_id_taken',
      'processor_not_connected',
      'processor_error',
    ],
    example: { response: { customer: { name: 'Ada King' } } },
  },
  getBillingDetails: {
    route: `GET ${details}`,
    access: read,
    summary: 'Get who is billed for a customer, and with which tax',
    response: z.object({ billingDetails }),
    problems: ['customer_not_found', 'processor_not_connected', 'processor_error'],
  },
  updateBillingDetails: {
    route: `PATCH ${details}`,
    access: write,
    summary: 'Change who is billed for a customer: address, tax ids, what stands on invoices; absent fields stay',
    body: billingDetailsUpdate,
    response: z.object({ billingDetails }),
    problems: [
      'customer_not_found',
      'tax_id_invalid',
      'tax_location_invalid',
      'invoice_fields_full',
      'processor_not_connected',
      'processor_error',
    ],
  },
  deleteCustomer: {
    route: `DELETE ${path}`,
    access: write,
    summary: 'Delete a customer here; the payment processor’s customer stays',
    response: success,
    problems: ['customer_not_found'],
  },
});
