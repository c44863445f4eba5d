/**
 * Returns whether a `Content-Type` is JSON in UTF-8, the only charset that JSON has, also as changes of a resource, which our PATCH
 * takes. https://www.rfc-editor.org/rfc/rfc8259#section-8.1 https://www.rfc-editor.org/rfc/rfc7396
 */
export const isJsonType = (type: string | undefined): boolean =>
  isUtf8Type('application/json', type) || isUtf8Type('application/merge-patch+json', type);

/** Returns whether a `Content-Type` is that of a form's fields, in UTF-8 as our pages are. */
export const isFormType = (type: string | undefined): boolean => isUtf8Type('application/x-www-form-urlencoded', type);

function isUtf8Type(wanted: string, type: string | undefined): boolean {
  const [mediaType = '', ...parameters] = (type ?? '').toLowerCase().split(';');
  const charsets = parameters.flatMap(it => /^\s*charset\s*=\s*"?([^"]*?)"?\s*$/.exec(it)?.[1] ?? []);
  return mediaType.trim() === wanted && charsets.every(it => it === 'utf-8' || it === 'utf8');
}
