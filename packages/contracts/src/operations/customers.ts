import { z } from 'zod';
import { CustomerId } from '../ids.ts';
import { exampleCustomer } from '../openapi/examples/billing.ts';
import { examplePagination } from '../openapi/examples/shared.ts';
import { operation, PROJECT_PATH, projectAccess, projectParams } from '../operation.ts';
import { pageQuery, pagination } from '../pagination.ts';
import {
  customer,
  customerCreate,
  customerFilter,
  customerIds,
  customerSearch,
  customerUpdate,
} from '../resources/customer.ts';

const service = 'customers';
const read = projectAccess('customers:read');
const write = projectAccess('customers:write');
const params = projectParams.extend({ customerId: CustomerId.schema });
const path = `${PROJECT_PATH}/customers/:customerId` as const;

export const customersOperations = {
  listCustomers: operation({
    id: 'listCustomers',
    service,
    method: 'GET',
    path: `${PROJECT_PATH}/customers`,
    access: read,
    summary:
      'List customers, newest first; with `email` or `externalId`, the one that has it; with `search`, those that contain it; with `ids`, those of them that exist',
    params: projectParams,
    query: z.strictObject({ ...pageQuery, ...customerFilter.shape, ids: customerIds, search: customerSearch }),
    status: 200,
    response: z.object({ customers: z.array(customer), pagination }),
    problems: [],
    example: {
      query: { limit: '50', offset: '0' },
      response: { customers: [exampleCustomer], pagination: examplePagination },
    },
  }),
  createCustomer: operation({
    id: 'createCustomer',
    service,
    method: 'POST',
    path: `${PROJECT_PATH}/customers`,
    access: write,
    summary: 'Create a customer here, linked to the payment processor’s customer with this email, or to a new one',
    params: projectParams,
    body: customerCreate,
    status: 201,
    response: z.object({ customer }),
    problems: ['customer_email_taken', 'customer_external_id_taken', 'processor_not_connected', 'processor_error'],
    example: {
      body: {
        email: 'ada@example.com',
        name: 'Ada Lovelace',
        externalId: 'user-815',
        metadata: { accountId: '4711' },
      },
      response: { customer: exampleCustomer },
    },
  }),
  getCustomer: operation({
    id: 'getCustomer',
    service,
    method: 'GET',
    path,
    access: read,
    summary: 'Get a customer',
    params,
    status: 200,
    response: z.object({ customer }),
    problems: ['customer_not_found'],
    example: { response: { customer: exampleCustomer } },
  }),
  updateCustomer: operation({
    id: 'updateCustomer',
    service,
    method: 'PATCH',
    path,
    access: write,
    summary: 'Update a customer here and at the payment processor; metadata is replaced as a whole',
    params,
    body: customerUpdate,
    status: 200,
    response: z.object({ customer }),
    problems: [
      'customer_not_found',
      'customer_email_taken',
      'customer_external_id_taken',
      'processor_not_connected',
      'processor_error',
    ],
    example: { body: { name: 'Ada King' }, response: { customer: { ...exampleCustomer, name: 'Ada King' } } },
  }),
  deleteCustomer: operation({
    id: 'deleteCustomer',
    service,
    method: 'DELETE',
    path,
    access: write,
    summary: 'Delete a customer here; the payment processor’s customer stays',
    params,
    status: 200,
    response: z.object({ success: z.boolean() }),
    problems: ['customer_not_found'],
    example: { response: { success: true } },
  }),
};
