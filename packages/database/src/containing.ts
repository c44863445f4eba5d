/** Returns the condition that a text column contains a text, in any case. */
export const containing = (text: string) => ({ $ilike: `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%` });
