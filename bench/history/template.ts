/** Recorded JSON whose ids can be replaced: texts and the names of slots in turn, starting with a text. */
export type Template = readonly string[];

/**
 * An id of the processor or of ours: a prefix, an underscore, and letters and digits that a word of an API would not
 * have.
 */
const ID = /\b[a-z]{2,6}_(?:test_)?(?=[a-z]*[A-Z0-9])[A-Za-z0-9]{14,}/g;

/** Returns the ids in a recorded text, each once. */
export const idsIn = (text: string): string[] => [...new Set(text.match(ID))];

/** Divides a recorded text at the values to replace; `names` has the slot of each value. */
export function toTemplate(text: string, names: ReadonlyMap<string, string>): Template {
  // A longer value first: another may be its beginning.
  const values = [...names.keys()].toSorted((one, other) => other.length - one.length);
  const pattern = new RegExp(`(${values.map(escape).join('|')})`);
  return text.split(pattern).map((part, index) => (index % 2 === 0 ? part : (names.get(part) ?? part)));
}

/** Returns the text with a value in every slot. */
export const fillTemplate = (template: Template, valueOf: (slot: string) => string): string =>
  template.map((part, index) => (index % 2 === 0 ? part : valueOf(part))).join('');

const escape = (text: string): string => text.replace(/[^\w]/g, '\\$&');
