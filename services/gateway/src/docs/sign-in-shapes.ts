import { exampleMember } from '@billing/contracts/openapi/examples/gateway';
import { exampleIds } from '@billing/contracts/openapi/examples/shared';
import { timestamp } from '@billing/contracts/timestamp';
import { z } from 'zod';

// The responses of better-auth: https://better-auth.com/docs

export const user = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  image: z.string().nullable(),
  twoFactorEnabled: z.boolean().nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

export const session = z.object({
  id: z.string(),
  userId: z.string(),
  token: z.string(),
  expiresAt: timestamp,
  passwordCheckedAt: timestamp.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  ipAddress: z.string(),
  userAgent: z.string(),
});

const { createdAt } = exampleMember;

export const exampleUser: z.input<typeof user> = {
  id: exampleIds.user,
  name: 'Grace Hopper',
  email: 'grace@acme.example',
  emailVerified: false,
  image: null,
  twoFactorEnabled: false,
  createdAt,
  updatedAt: createdAt,
};

export const examplePassword = 'correct horse battery staple';
export const exampleSessionToken = 'EXAMPLEexampleEXAMPLEexampleEXAM';

export const exampleSession: z.input<typeof session> = {
  id: 'u3N7qW1zB5xK9rT2',
  userId: exampleIds.user,
  token: exampleSessionToken,
  expiresAt: '2026-03-09T09:30:00.000Z',
  passwordCheckedAt: createdAt,
  createdAt,
  updatedAt: createdAt,
  ipAddress: '',
  userAgent: 'Mozilla/5.0',
};

/** What all these endpoints have in common. */
export const signInEndpoint = {
  tag: 'Sign-in',
  params: z.object({}),
  security: [],
  takesIdempotencyKey: false,
  status: 200,
} as const;

export const readErrors = ['forbidden', 'internal', 'unavailable'] as const;
export const writeErrors = [
  'validation_error',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  ...readErrors,
] as const;
