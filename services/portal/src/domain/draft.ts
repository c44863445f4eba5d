import { createHmac, timingSafeEqual } from 'node:crypto';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import { portalConfig } from '@billing/contracts/resources/portal-config';
import { PORTAL_LANGUAGES } from '@billing/contracts/resources/portal-session';
import { timestamp } from '@billing/contracts/timestamp';
import { z } from 'zod';

const draft = z.object({
  teamId: TeamId.schema,
  projectId: ProjectId.schema,
  config: portalConfig,
  /** That of the configuration where it is not given. */
  language: z.enum(PORTAL_LANGUAGES).nullable(),
  expiresAt: timestamp,
});
/** A configuration that is not saved, to be looked at until it expires. */
export type Draft = z.output<typeof draft>;

const signatureOf = (key: Buffer, content: string): Buffer => createHmac('sha256', key).update(content).digest();

/** Returns a draft as text that only holders of the key can make. It is no secret: its holder can read it. */
export function signDraft(key: Buffer, signed: Draft): string {
  const content = Buffer.from(JSON.stringify(draft.encode(signed))).toString('base64url');
  return `${content}.${signatureOf(key, content).toString('base64url')}`;
}

/** Returns the draft of a signed text; null if the key has not signed it, or it has expired. */
export function openDraft(key: Buffer, signed: string, now: Date): Draft | null {
  const [content = '', signature = ''] = signed.split('.');
  const [given, expected] = [Buffer.from(signature, 'base64url'), signatureOf(key, content)];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const opened = draft.parse(JSON.parse(Buffer.from(content, 'base64url').toString()));
  return opened.expiresAt > now ? opened : null;
}
