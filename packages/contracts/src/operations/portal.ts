import { z } from 'zod';
import { CustomerId, PortalSessionId, SubscriptionId } from '../ids.ts';
import { exampleSubscription } from '../openapi/examples/billing.ts';
import { exampleIds, examplePagination } from '../openapi/examples/shared.ts';
import { operation, PROJECT_PATH, projectAccess, projectParams } from '../operation.ts';
import { pageQuery, pagination } from '../pagination.ts';
import { livePortalSession, portalSession, portalSessionCreate } from '../resources/portal-session.ts';
import { subscription, subscriptionUpdate } from '../resources/subscription.ts';

const service = 'portal';
/** A subscription as its customer sees it, without the team's metadata. */
const portalSubscription = subscription.omit({ metadata: true, updatedAt: true });
const { metadata: _metadata, updatedAt: _updatedAt, ...examplePortalSubscription } = exampleSubscription;
/** Accepts any text: a malformed token gets the same response as an expired one. */
const tokenParams = z.object({ token: z.string().max(256) });

export const portalOperations = {
  createPortalSession: operation({
    id: 'createPortalSession',
    service,
    method: 'POST',
    path: `${PROJECT_PATH}/portal`,
    access: projectAccess('subscriptions:write'),
    summary: 'Create a link to the portal of a customer',
    params: projectParams,
    body: portalSessionCreate,
    status: 201,
    response: portalSession,
    rateLimit: 'session-creation',
    problems: ['customer_not_found'],
    example: {
      body: { customerId: exampleIds.customer, ttlMs: 3_600_000, returnUrl: 'https://shop.example/account' },
      response: {
        sessionId: exampleIds.portalSession,
        token: exampleIds.portalToken,
        portalUrl: `https://billing.example.com/portal/${exampleIds.portalToken}`,
        expiresAt: '2026-03-02T10:30:00.000Z',
      },
    },
  }),
  listPortalSessions: operation({
    id: 'listPortalSessions',
    service,
    method: 'GET',
    path: `${PROJECT_PATH}/portal/sessions`,
    access: projectAccess('subscriptions:read'),
    summary: 'List valid portal links, newest first, without their tokens',
    params: projectParams,
    query: z.strictObject({ customerId: CustomerId.schema.optional(), ...pageQuery }),
    status: 200,
    response: z.object({ sessions: z.array(livePortalSession), pagination }),
    problems: [],
    example: {
      query: { customerId: exampleIds.customer },
      response: {
        sessions: [
          {
            sessionId: exampleIds.portalSession,
            customerId: exampleIds.customer,
            returnUrl: 'https://shop.example/account',
            createdAt: '2026-03-02T09:30:00.000Z',
            expiresAt: '2026-03-02T10:30:00.000Z',
          },
        ],
        pagination: examplePagination,
      },
    },
  }),
  revokePortalSession: operation({
    id: 'revokePortalSession',
    service,
    method: 'DELETE',
    path: `${PROJECT_PATH}/portal/sessions/:sessionId`,
    access: projectAccess('subscriptions:write'),
    summary: 'Revoke a portal link at once; an expired or revoked link stays so',
    params: projectParams.extend({ sessionId: PortalSessionId.schema }),
    status: 200,
    response: z.object({ success: z.boolean() }),
    problems: ['portal_session_not_found'],
    example: { response: { success: true } },
  }),
  updatePortalSubscription: operation({
    id: 'updatePortalSubscription',
    service,
    method: 'PATCH',
    path: '/api/portal/:token/subscriptions/:subscriptionId',
    access: { kind: 'portal-token' },
    summary: 'Cancel at the end of the period, or resume, as the customer',
    params: tokenParams.extend({ subscriptionId: SubscriptionId.schema }),
    body: subscriptionUpdate,
    status: 200,
    response: z.object({ subscription: portalSubscription }),
    problems: [
      'portal_link_expired',
      'subscription_not_found',
      'subscription_ended',
      'subscription_has_schedule',
      'processor_not_connected',
      'processor_error',
    ],
    example: {
      body: { cancelAtPeriodEnd: true },
      response: { subscription: { ...examplePortalSubscription, cancelAtPeriodEnd: true } },
    },
  }),
  createPortalSetupSession: operation({
    id: 'createPortalSetupSession',
    service,
    method: 'POST',
    path: '/api/portal/:token/setup-intent',
    access: { kind: 'portal-token' },
    summary: 'Create a hosted page on which the customer changes the payment method',
    params: tokenParams,
    status: 200,
    response: z.object({ url: z.string() }),
    problems: ['portal_link_expired', 'processor_not_connected', 'processor_error'],
    example: { response: { url: 'https://checkout.stripe.com/c/pay/cs_test_example' } },
  }),
};
