const graphemes = new Intl.Segmenter();

/** Returns the first letter of a name in upper case, in any script. An emoji of several code points stays whole. */
export function firstLetter(name: string): string {
  const [first] = graphemes.segment(name.trim());
  return (first?.segment ?? '').toUpperCase();
}

/** Makes a code readable: `sepa_debit` → `Sepa debit`. */
export function humanize(code: string): string {
  const text = code.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
