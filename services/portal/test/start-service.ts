import { startTestAccount } from '@billing/service/testing/test-account';
import { startTestService } from '@billing/service/testing/start-test-service';
import { CustomerDeleted } from '@billing/contracts/events/customers';
import type { Envelope } from '@billing/contracts/event';
import { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { portalSession } from '@billing/contracts/resources/portal-session';
import { customerState } from '@billing/testing/customer-state';
import { newEvent } from '@billing/testing/events';
import type { z } from 'zod';
import { portalService } from '../src/service.ts';
import { serveOtherServices } from './other-services.ts';

export const PUBLIC_URL = 'https://billing.example.com';

/** Starts the portal in this process, with a database, a bus and a processor account of its own, and one customer. */
export async function startService() {
  const account = await startTestAccount();
  const scope = { teamId: TeamId.create(), projectId: ProjectId.create() };
  const service = await startTestService(portalService(), { account, scope, env: { PUBLIC_URL } });
  const { app, identity } = service;
  if (!app) throw new Error('The portal has a Fastify app.');

  const customerId = CustomerId.create();
  const { id: processorCustomerId } = await account.processor.createCustomer(
    { email: 'ada@example.com', metadata: {} },
    customerId,
  );
  const customer = { scope, customerId, processorCustomerId };
  const otherServices = await serveOtherServices({ ...customer, serve: service.serve });

  const createSession = (payload: object = {}, headers: Record<string, string> = {}) =>
    app.inject({
      method: 'POST',
      url: `/api/service/teams/${scope.teamId}/projects/${scope.projectId}/portal`,
      payload: { customerId, ...payload },
      headers: { ...identity.asKey(scope), ...headers },
    });

  return {
    ...service,
    ...customer,
    app,
    account,
    otherServices,
    createSession,
    /** Creates a session and returns its link. */
    createLink: async (payload: object = {}) => {
      const response = await createSession(payload);
      return response.json<z.input<typeof portalSession>>();
    },
    /** Sets what the portal offers, and how it looks. */
    configure: async (body: object): Promise<void> => {
      const url = `/api/service/teams/${scope.teamId}/projects/${scope.projectId}/portal-config`;
      const { statusCode, body: received } = await app.inject({
        method: 'PUT',
        url,
        payload: body,
        headers: identity.asKey(scope),
      });
      if (statusCode !== 200) throw new Error(received);
    },
    /** Opens a path below the page as the holder of a link. */
    visit: (token: string, path = '', headers: Record<string, string> = {}) =>
      app.inject({ method: 'GET', url: `/portal/${token}${path}`, headers: { ...identity.anonymous(), ...headers } }),
    /** Submits a form of the page, as a browser without script does. */
    submit: (token: string, path: string, fields: Record<string, string> = {}) =>
      app.inject({
        method: 'POST',
        url: `/portal/${token}${path}`,
        headers: { ...identity.anonymous(), 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams(fields).toString(),
      }),
    /** Returns `customer.deleted` of the customer, or of its id in another project. */
    customerDeleted(projectId: ProjectId = scope.projectId): Envelope {
      const fields = { id: customerId, projectId, processorCustomerId, version: 2, deletedAt: new Date() };
      return newEvent(CustomerDeleted, scope.teamId, customerState(fields));
    },
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;
