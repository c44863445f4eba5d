import { sentence } from '#ui/sentence.ts';

/** What stands before the actions of sign-in, and how it is said. */
const SIGN_IN = { prefix: 'auth.', words: 'Account: ' } as const;

/** Returns `createApiKey` as "Create API key", and `auth.signIn` as "Account: sign in". */
export function sentenceOf(action: string): string {
  const isSignIn = action.startsWith(SIGN_IN.prefix);
  const words = (isSignIn ? action.slice(SIGN_IN.prefix.length) : action)
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/\bapi\b/g, 'API');
  return isSignIn ? `${SIGN_IN.words}${words}` : sentence(words);
}

/** Returns "Create API key" as `createApiKey`, however it is typed; the API filters by this name. */
export function actionOf(text: string): string {
  const [, ofSignIn] = /^account: *(.*)$/i.exec(text) ?? [];
  if (ofSignIn !== undefined) return `${SIGN_IN.prefix}${actionOf(ofSignIn)}`;
  return text.includes(' ')
    ? text
        .trim()
        .toLowerCase()
        .replaceAll(/ +(\w)/g, (_match, letter: string) => letter.toUpperCase())
    : text.charAt(0).toLowerCase() + text.slice(1);
}
