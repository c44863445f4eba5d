import { z } from 'zod';
import { openBrowser } from './browser.ts';
import type { DemoContext } from './demo-context.ts';

interface User {
  readonly email: string;
  readonly password: string;
}

/**
 * Returns a link to the console that signs the user in once, on this machine; undefined where the gateway makes none,
 * because other machines can reach it.
 */
export async function createSignInLink(
  { gatewayUrl, send }: DemoContext,
  { email, password }: User,
): Promise<string | undefined> {
  const browser = openBrowser(gatewayUrl, send);
  await browser.post('/api/auth/sign-in/email', { email, password }, z.unknown());
  try {
    const { token } = await browser.get('/api/auth/one-time-token/generate', z.object({ token: z.string() }));
    return `${gatewayUrl}/sign-in#${token}`;
  } catch {
    return undefined;
  }
}
