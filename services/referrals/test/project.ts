import { randomUUID } from 'node:crypto';
import type { CustomerState } from '@billing/contracts/events/customers';
import { type CustomerId, ProjectId, TeamId, type ProjectScope } from '@billing/contracts/ids';
import { customerState } from '@billing/testing/customer-state';
import type { Service } from './service.ts';

/** Returns a new project, and shorthand for requests to it with an API key. */
export function openProject(service: Service, teamId = TeamId.create()) {
  const scope: ProjectScope = { teamId, projectId: ProjectId.create() };
  const request = async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    payload?: object,
    idempotencyKey?: string,
  ) => {
    const headers = idempotencyKey ? { 'idempotency-key': idempotencyKey } : {};
    const options = { of: scope, headers, ...(payload && { body: payload }) };
    const { status, body } = await service.call(method, `/referrals${path}`, options);
    return { status, body };
  };
  return {
    ...scope,
    scope,
    request,
    /** Creates a customer in the customers service; no event of it is published. */
    newCustomer(changes: Partial<CustomerState> = {}): CustomerState {
      const state = customerState({
        projectId: scope.projectId,
        email: `${randomUUID()}@example.com`,
        processorCustomerId: `cus_${randomUUID()}`,
        ...changes,
      });
      service.customers.set(state.id, state);
      return state;
    },
    configure: (config: object = {}) =>
      request('PUT', '/config', { enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 300, ...config }),
    /** Creates a code for a new customer. */
    async newCode(): Promise<{ code: string; customerId: CustomerId }> {
      const { id: customerId } = this.newCustomer();
      const { body } = await request('POST', '/codes', { customerId });
      return { code: body.code.code, customerId };
    },
    apply: (code: string, refereeCustomerId: CustomerId) => request('POST', '/apply', { code, refereeCustomerId }),
  };
}

/** Returns a new project with an enabled program. */
export async function openProgram(service: Service) {
  const project = openProject(service);
  await project.configure();
  return project;
}
