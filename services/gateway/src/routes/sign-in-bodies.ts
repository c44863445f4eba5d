import { optional } from '@billing/contracts/optional';
import { invitationToken } from '@billing/contracts/resources/team';
import { email, text } from '@billing/contracts/text';
import { z } from 'zod';

/** better-auth checks the length of a new one. */
const password = z.string().min(1).max(1_024).meta({ example: 'correct horse battery staple' });
const newPassword = password.meta({ example: 'a staple holds the horse' });
/** True by default: the session outlives the browser. */
const rememberMe = optional(z.boolean());
const address = email.meta({ example: 'grace@acme.example' });

export const signUpBody = z
  .object({ name: text(120), email: address, password, rememberMe, invitationToken: optional(invitationToken) })
  .meta({ example: { name: 'Grace Hopper' } });
/** What people may change of their own account without a password. */
export const updateUserBody = z.strictObject({ name: text(120).meta({ example: 'Grace Hopper' }) });
export const signInBody = z.object({ email: address, password, rememberMe });
export const passwordBody = z.object({ password });
export const changePasswordBody = z.object({ currentPassword: password, newPassword });
export const requestResetBody = z.object({ email: address });
export const resetPasswordBody = z.object({
  newPassword,
  token: text(128).meta({ example: 'k3V9sT1wQ7xZ5bN8mR2cY6dL0pF4hJ7gA1eU3iO5tXs' }),
});
export const verifyEmailBody = z.object({
  password,
  token: text(128).meta({ example: 'p8Yh2sK4vQ6mB0nW3cX5zR7dT9fG1jLk3V9sT1wQ7xZ' }),
});
export const revokeSessionBody = z.object({ token: text(128).meta({ example: 'EXAMPLEexampleEXAMPLEexampleEXAM' }) });
export const oneTimeTokenBody = z.object({ token: text(128) });
export const codeBody = z.object({ code: text(32).meta({ example: '492039' }) });
