import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { SubscriptionId } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Notice } from '#domain/portal-links.ts';
import { portalLanguage, readerLanguage } from '#domain/reader-language.ts';
import type { Visitor } from '#operations/admit-visitor.ts';
import type { MessageKey } from '#views/messages/messages.ts';
import { textsFor, type Texts } from '#views/texts.ts';

/** The language that the reader chose. */
export const langQuery = z.object({ lang: z.string().transform(portalLanguage).optional().catch(undefined) });

/** A field of a form that is empty, or was never filled by the page, counts as left out. */
export const field = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(value => (value === '' ? undefined : value), schema.optional()).catch(undefined);

/** The key of the page that a form stands on: clicked twice, it is one operation. */
export const formKey = z.string().max(100).optional().catch(undefined);

export const tokenParams = z.object({ token: z.string() });
export const subscriptionParams = tokenParams.extend({ subscriptionId: SubscriptionId.schema });

/** Returns the operation key of a form in one portal session. */
export const operationKeyOf = ({ sessionId }: Pick<Visitor, 'sessionId'>, key: string): string =>
  createHash('sha256').update(`${sessionId} ${key}`).digest('base64url');

/** Returns the texts in the reader's language; before anybody is admitted the link's is not known. */
export function textsOf(request: FastifyRequest, visitor?: Visitor): Texts {
  const { lang } = langQuery.parse(request.query);
  const accepted = request.headers['accept-language'];
  const wishes = { customer: visitor?.customerLocale, project: visitor?.config.defaultLanguage };
  return textsFor(readerLanguage({ query: lang, link: visitor?.locale, accepted, ...wishes }));
}

const REFUSALS: ReadonlyMap<string, Notice> = new Map([
  ['subscription_ended', 'already-ended'],
  ['subscription_has_schedule', 'has-schedule'],
]);

/**
 * Returns the notice about why a subscription cannot be changed, or `otherwise` for a reason without a notice of its own.
 * @throws every other error
 */
export function refusalNotice(err: unknown, otherwise?: Notice): Notice {
  const isRefusal = err instanceof Problem && err.kind === 'unprocessable';
  const notice = isRefusal ? (REFUSALS.get(err.code) ?? otherwise) : undefined;
  if (!notice) throw err;
  return notice;
}

/** What is confirmed again for, with the amounts of this moment. */
export const CONFIRM_AGAIN: ReadonlyMap<string, MessageKey> = new Map([
  ['amount_changed', 'amountsChanged'],
  ['preview_expired', 'amountsChanged'],
  ['payment_failed', 'paymentDeclined'],
]);

/** Returns whether something was refused with this code. */
export const isRefusal = (err: unknown, code: string): boolean => err instanceof Problem && err.code === code;

/** How long a second click waits for the first one, in milliseconds, and how often it looks. */
const LONGEST_CHANGE_MS = 10_000;
const NEXT_LOOK_MS = 300;

/** Makes a change once the first click on the same page has: the browser shows what comes of the last one. */
export async function afterFirst<Made>(change: () => Promise<Made>): Promise<Made> {
  const endsAt = performance.now() + LONGEST_CHANGE_MS;
  for (;;)
    try {
      return await change();
    } catch (err) {
      if (!isRefusal(err, 'idempotency_key_in_use') || performance.now() > endsAt) throw err;
      await pause(NEXT_LOOK_MS);
    }
}
