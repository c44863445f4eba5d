/**
 * Returns how a text may stand in stored bytes: as it is, in hex, and in base64 wherever it begins within the encoded bytes.
 * It should have eight characters or more, or others than the one that was meant are found.
 */
export function spellingsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const encoded = [0, 1, 2].flatMap(offset => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]);
    // The first and last characters depend on what stands beside the text.
    const [first, last] = [Math.ceil((offset * 8) / 6), Math.floor((shifted.length * 8) / 6)];
    return (['base64', 'base64url'] as const).map(form => shifted.toString(form).slice(first, last));
  });
  return [...new Set([text, encodeURIComponent(text), bytes.toString('hex'), ...encoded])];
}

/** Returns a function that names those of the texts that stand in a larger one, in any spelling. */
export function finderOf(texts: Readonly<Record<string, string>>): (text: string) => string[] {
  const spellings = Object.entries(texts).map(([what, text]) => ({ what, all: spellingsOf(text) }));
  return text => spellings.filter(({ all }) => all.some(spelling => text.includes(spelling))).map(({ what }) => what);
}
