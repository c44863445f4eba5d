const graphemes = new Intl.Segmenter();

/** Returns the first letter of a name in upper case, in any script. An emoji of several code points stays whole. */
export function firstLetter(name: string): string {
  const [first] = graphemes.segment(name.trim());
  return (first?.segment ?? '').toUpperCase();
}
