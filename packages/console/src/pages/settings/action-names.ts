/** Returns `createApiKey` as "Create API key". */
export function sentenceOf(action: string): string {
  const words = action
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/\bapi\b/g, 'API');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** Returns "Create API key" as `createApiKey`, however it is typed; the API filters by this name. */
export const actionOf = (text: string): string =>
  text.includes(' ')
    ? text
        .trim()
        .toLowerCase()
        .replaceAll(/ +(\w)/g, (_match, letter: string) => letter.toUpperCase())
    : text.charAt(0).toLowerCase() + text.slice(1);
