import { declaredExample, type DeclaredExample } from '@billing/contracts/declare-operations';
import { EXAMPLE_USER_ID } from '@billing/contracts/ids';
import { createdAt, timestamp } from '@billing/contracts/timestamp';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';

// The responses of better-auth: https://better-auth.com/docs

const token = z.string().meta({ example: 'EXAMPLEexampleEXAMPLEexampleEXAM' });
const updatedAt = timestamp;

export const user = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    image: z.string().nullable(),
    twoFactorEnabled: z.boolean().nullable(),
    createdAt,
    updatedAt,
  })
  .meta({
    example: { id: EXAMPLE_USER_ID, name: 'Grace Hopper', email: 'grace@acme.example', twoFactorEnabled: false },
  });

export const session = z
  .object({
    id: z.string(),
    userId: z.string(),
    token,
    expiresAt: timestamp,
    passwordCheckedAt: timestamp.nullable(),
    createdAt,
    updatedAt,
    ipAddress: z.string(),
    userAgent: z.string(),
  })
  .meta({
    example: {
      id: 'u3N7qW1zB5xK9rT2',
      userId: EXAMPLE_USER_ID,
      expiresAt: '2026-03-09T09:30:00.000Z',
      passwordCheckedAt: '2026-03-02T09:30:00.000Z',
      ipAddress: '',
      userAgent: 'Mozilla/5.0',
    },
  });

export const signedIn = z.object({ token, user });
/** For a response that signs in only when the installation lets it. */
export const maybeSignedIn = z.object({ token: token.nullable().meta({ example: token.meta()?.['example'] }), user });
export const done = z.object({ status: z.boolean().meta({ example: true }) });

export const withSession = [{ session: [] }];

/** The errors of every endpoint that only reads, and of every other. */
export const readErrors = ['forbidden', 'internal', 'unavailable'] as const;
const writeErrors = [
  'validation_error',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  ...readErrors,
] as const;

type Given = 'id' | 'path' | 'summary' | 'description' | 'body' | 'errors';

/** `path` is below `/api/auth`; `errors` are those besides the ones that all have. */
interface Declaration extends Pick<Endpoint, Given> {
  readonly response: z.ZodType;
  /** POST unless given. */
  readonly method?: 'GET';
  /** None unless given. */
  readonly security?: Endpoint['security'];
  readonly example?: DeclaredExample;
}

/** Describes an endpoint of better-auth. */
export function signInEndpoint(declared: Declaration): Endpoint {
  const { method = 'POST', path, errors, security = [] } = declared;
  return {
    ...declared,
    tag: 'Sign-in',
    method,
    path: `/api/auth/${path}`,
    security,
    params: z.object({}),
    takesIdempotencyKey: false,
    isTagged: false,
    status: 200,
    errors: [...errors, ...(method === 'GET' ? readErrors : writeErrors)],
    example: declaredExample(declared),
  };
}
