import { exampleIds, exampleMember } from '@billing/contracts/openapi/examples';
import { timestamp } from '@billing/contracts/timestamp';
import { z } from 'zod';
import { signInBody, signUpBody } from '#routes/sign-in.ts';
import type { Endpoint } from './endpoint.ts';

// The responses of better-auth: https://better-auth.com/docs
const user = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  image: z.string().nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
const session = z.object({
  id: z.string(),
  userId: z.string(),
  token: z.string(),
  expiresAt: timestamp,
  createdAt: timestamp,
  updatedAt: timestamp,
  ipAddress: z.string(),
  userAgent: z.string(),
});

const { createdAt } = exampleMember;
const exampleUser: z.input<typeof user> = {
  id: exampleIds.user,
  name: 'Grace Hopper',
  email: 'grace@acme.example',
  emailVerified: false,
  image: null,
  createdAt,
  updatedAt: createdAt,
};
const credentials = { email: 'grace@acme.example', password: 'correct horse battery staple' };
const token = 'EXAMPLEexampleEXAMPLEexampleEXAM';

const shared = {
  tag: 'Sign-in',
  params: z.object({}),
  security: [],
  takesIdempotencyKey: false,
  status: 200,
} as const;
const errors = [
  'forbidden',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'internal',
  'unavailable',
] as const;

/** `/api/auth`, served by better-auth. */
export const signInEndpoints: readonly Endpoint[] = [
  {
    ...shared,
    id: 'signUp',
    method: 'POST',
    path: '/api/auth/sign-up/email',
    summary: 'Sign up with an e-mail address and a password',
    description: 'Signs in as well: the response sets the session cookie.',
    body: signUpBody,
    response: z.object({ token: z.string().nullable(), user }),
    errors: [
      'validation_error',
      'password_too_short',
      'password_too_long',
      'user_already_exists_use_another_email',
      ...errors,
    ],
    example: { body: { name: 'Grace Hopper', ...credentials }, response: { token, user: exampleUser } },
  },
  {
    ...shared,
    id: 'signIn',
    method: 'POST',
    path: '/api/auth/sign-in/email',
    summary: 'Sign in',
    description: 'The response sets the session cookie.',
    body: signInBody,
    response: z.object({ redirect: z.boolean(), token: z.string(), user }),
    errors: ['validation_error', 'unauthorized', 'rate_limited', ...errors],
    example: { body: credentials, response: { redirect: false, token, user: exampleUser } },
  },
  {
    ...shared,
    id: 'signOut',
    method: 'POST',
    path: '/api/auth/sign-out',
    summary: 'Sign out',
    description: 'Ends the session of the cookie, if there is one.',
    security: [{ session: [] }, {}],
    response: z.object({ success: z.boolean() }),
    errors: ['validation_error', ...errors],
    example: { response: { success: true } },
  },
  {
    ...shared,
    id: 'getSession',
    method: 'GET',
    path: '/api/auth/get-session',
    summary: 'Get the current session',
    description: 'Null without one.',
    security: [{ session: [] }, {}],
    response: z.object({ session, user }).nullable(),
    errors: ['forbidden', 'internal', 'unavailable'],
    example: {
      response: {
        session: {
          id: 'u3N7qW1zB5xK9rT2',
          userId: exampleIds.user,
          token,
          expiresAt: '2026-03-09T09:30:00.000Z',
          createdAt,
          updatedAt: createdAt,
          ipAddress: '',
          userAgent: '',
        },
        user: exampleUser,
      },
    },
  },
];

/** The page of the customer portal. */
export const portalEndpoint: Endpoint = {
  id: 'getPortalPage',
  tag: 'Customer portal',
  method: 'GET',
  path: '/portal/:token',
  summary: 'The page of the customer portal, for a browser',
  description:
    'Needs only the portal token in the path. Shows the customer’s subscriptions, invoices and payment method. A token that is unknown, expired or revoked gets a page as well, with status 404.',
  security: [],
  params: z.object({ token: z.string().max(256) }),
  query: z.object({ tab: z.enum(['subscriptions', 'invoices', 'payment-methods']).optional() }),
  takesIdempotencyKey: false,
  status: 200,
  response: 'page',
  errors: ['rate_limited'],
  example: { query: { tab: 'invoices' }, response: '<!doctype html>…' },
};
