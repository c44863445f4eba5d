import { Router, type Request as ExpressRequest } from 'express';
import { forbidden, invalid, Problem, unavailable, type ProblemKind, PROBLEM_STATUS } from '@billing/contracts/problem';
import { fieldErrors } from '@billing/service/field-errors';
import { z } from 'zod';
import type { Limits } from '#admission/limits.ts';
import { isCrossSite } from '#domain/cross-site.ts';
import { readJson } from '#http/body.ts';
import type { Reply, Step } from '#http/exchange.ts';
import { signInBody, signUpBody } from '#sign-in/bodies.ts';
import type { SignIn } from '#sign-in/sign-in.ts';

interface SignInParts {
  readonly signIn: SignIn;
  readonly limits: Pick<Limits, 'takeSignIn'>;
  readonly publicUrl: string;
}

/** What better-auth answers when it refuses: https://better-auth.com/docs */
const refusal = z.object({
  code: z.string().default('error'),
  message: z.string().default('The request was refused.'),
});

/** `/api/auth`: sign-up, sign-in, sign-out and the current session; nothing else of better-auth is open. */
export function signInRoutes({ signIn, limits, publicUrl }: SignInParts): Router {
  const { origin } = new URL(publicUrl);

  /** Passes a request on with its cookies and a body that was checked here. */
  async function pass(request: ExpressRequest, reply: Reply, body?: unknown): Promise<void> {
    if (isCrossSite(request.headers, origin)) throw forbidden();
    const headers = new Headers({ origin });
    if (request.headers.cookie !== undefined) headers.set('cookie', request.headers.cookie);
    if (body !== undefined) headers.set('content-type', 'application/json');
    const url = new URL(`/api/auth${request.url}`, origin);
    const { method } = request;
    const asked = new Request(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    await answer(reply, await signIn.handle(asked));
  }

  async function answer(reply: Reply, response: Response): Promise<void> {
    const answered: unknown = JSON.parse((await response.text()) || 'null');
    if (response.status >= 500) throw await faultOf(signIn);
    for (const cookie of response.headers.getSetCookie()) reply.append('Set-Cookie', cookie);
    reply.status(response.status).json(response.ok ? answered : withOurShape(answered, response.status, reply));
  }

  const signUp: Step = async (request, reply) => pass(request, reply, parse(signUpBody, await readJson(request)));
  const enter: Step = async (request, reply) => {
    await limits.takeSignIn(request.ip ?? '');
    await pass(request, reply, parse(signInBody, await readJson(request)));
  };
  const leave: Step = async (request, reply) => {
    await readJson(request);
    await pass(request, reply);
  };
  const current: Step = (request, reply) => pass(request, reply);

  return Router({ caseSensitive: true, strict: true })
    .post('/sign-up/email', signUp)
    .post('/sign-in/email', enter)
    .post('/sign-out', leave)
    .get('/get-session', current);
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) throw invalid(fieldErrors(result.error));
  return result.data;
}

/** Keeps `code` and `message` where better-auth's clients look for them, beside the shape of all our errors. */
function withOurShape(answered: unknown, status: number, reply: Reply) {
  const { code, message } = refusal.parse(answered ?? {});
  const kind = kindOf(status);
  const ours = kind === 'unauthorized' || kind === 'forbidden' ? kind : code.toLowerCase();
  return { code, message, ...new Problem(kind, ours, message).toBody(reply.locals.requestId) };
}

function kindOf(status: number): ProblemKind {
  const kinds = Object.entries(PROBLEM_STATUS) as [ProblemKind, number][]; // an object's keys are typed as string
  return kinds.find(([, of]) => of === status)?.[0] ?? 'validation';
}

/** Where better-auth itself says 500, it keeps the reason to its log: most often the database is away. */
async function faultOf(signIn: SignIn): Promise<Error> {
  try {
    await signIn.ping();
    return new Error('Sign-in failed with an error of its own; the line before tells it.');
  } catch (cause) {
    return unavailable('Sign-in is not available at the moment.', 2, { cause });
  }
}
