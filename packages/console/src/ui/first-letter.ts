const SEGMENTER = new Intl.Segmenter();

/** Returns the first letter of a name, as people see letters. */
export function firstLetter(name = ''): string {
  const [first] = SEGMENTER.segment(name.trim());
  return first?.segment ?? '';
}
