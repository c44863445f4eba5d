/** Returns whether a `Content-Type` is JSON in UTF-8, the only charset that JSON has. https://www.rfc-editor.org/rfc/rfc8259#section-8.1 */
export function isJsonType(type: string | undefined): boolean {
  const [mediaType = '', ...parameters] = (type ?? '').toLowerCase().split(';');
  const charsets = parameters.flatMap(it => /^\s*charset\s*=\s*"?([^"]*?)"?\s*$/.exec(it)?.[1] ?? []);
  return mediaType.trim() === 'application/json' && charsets.every(it => it === 'utf-8' || it === 'utf8');
}
