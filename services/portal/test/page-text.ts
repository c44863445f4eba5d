/** Returns the text of a page, without tags. */
export function textOf(body: string): string {
  return body
    .replaceAll(/<(style|script) [^>]*>[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
