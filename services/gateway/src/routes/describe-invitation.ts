import { Router } from 'express';
import { z } from 'zod';
import { Problem } from '@billing/contracts/problem';
import { invitationToken } from '@billing/contracts/resources/team';
import type { RateLimits } from '#auth/rate-limits.ts';
import { requireWithin } from '#http/rate-limit-headers.ts';
import { readJson } from '#http/request-body.ts';
import type { Handler } from '#http/request-context.ts';
import type { DescribedInvitation } from '#operations/describe-invitation.ts';
import { parse } from './operation-handler.ts';

interface Dependencies {
  readonly describeInvitation: (token: string) => Promise<DescribedInvitation>;
  readonly rateLimits: Pick<RateLimits, 'badInvitations'>;
}

const body = z.strictObject({ token: invitationToken });

/** The page of an invitation asks here whom it is from. */
export const invitationRoutes = (dependencies: Dependencies): Router =>
  Router({ caseSensitive: true, strict: true }).post('/accept-invitation', describe(dependencies));

/** Tells who has the secret of an invitation whom it is from; guesses are limited by address. */
function describe({ describeInvitation, rateLimits }: Dependencies): Handler {
  return async (request, response) => {
    const { token } = parse(body, await readJson(request));
    const { addressGroup: address } = response.locals;
    const usage = rateLimits.badInvitations.peek(address);
    if (!usage.isAllowed) requireWithin(response, usage);
    try {
      response.json({ invitation: await describeInvitation(token) });
    } catch (err) {
      if (err instanceof Problem && err.kind === 'not_found') await rateLimits.badInvitations.take(address);
      throw err;
    }
  };
}
