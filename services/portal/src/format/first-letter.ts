const graphemes = new Intl.Segmenter();

/** The first letter of a name in upper case, whatever its script; what a reader takes for one letter stays one. */
export function firstLetter(name: string): string {
  const [first] = graphemes.segment(name.trim());
  return (first?.segment ?? '').toUpperCase();
}
