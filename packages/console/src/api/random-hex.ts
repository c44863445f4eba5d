/** Returns random hexadecimal digits. Pages on plain http have no `crypto.randomUUID`. */
export const randomHex = (digits: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(digits)), byte => (byte % 16).toString(16)).join('');
